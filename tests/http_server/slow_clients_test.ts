/** Clients that take their time (C2, C3): each is waited for as long as the limits say, and costs nobody anything. */

import assert from "node:assert/strict";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { type ApiRig, assertHeard, lookup, question, questionParts, withApi } from "../support/api_rig.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { handles } from "../support/disconnecting_clients.ts";
import { Line } from "../support/raw_client.ts";
import {
  deltaFrame,
  endFrames,
  openingFrames,
  type Script,
  scripted,
  wholeText,
} from "../support/scripted.ts";
import { pause, settled, until } from "../support/until.ts";

const SECOND = 1_000;
const HEAD_MS = 30 * SECOND;
const IDLE_MS = 75 * SECOND;
const FIRST_BYTE_MS = 10 * SECOND;
const UNREAD_MS = 60 * SECOND;
/** Deadlines are looked at once a second, and begin when what was sent is read. */
const LATER_MS = 12 * SECOND;
const MIB = 1024 * 1024;

/** An API whose time stands still until the test moves it. */
function withTime(test: (rig: ApiRig, time: FakeClock) => Promise<void>): Promise<void> {
  const time = fakeClock();
  return withApi((rig) => test(rig, time), { apiClock: time });
}

/** Moves time on a second at a time: deadlines may be looked at once in a while only. */
async function wait(time: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= SECOND) {
    await time.advanceOnce(turns, Math.min(SECOND, left));
  }
}

/** The next byte or the end is not there yet. */
async function assertOpen(client: Line): Promise<void> {
  const reading = client.more();
  const first = await Promise.race([reading.then(() => "something"), pause(20).then(() => "nothing")]);
  assert.equal(first, "nothing", "the connection is open, and nothing was said");
  // What comes next is read by who asks next.
  pending.set(client, reading);
}

const pending = new WeakMap<Line, Promise<Uint8Array | undefined>>();

/** All that is said until the end, and what `assertOpen` waits for. */
async function received(client: Line): Promise<string> {
  const first = await pending.get(client);
  return new TextDecoder().decode(first) +
    (first === undefined && pending.has(client) ? "" : await client.rest());
}

const beginnings: Readonly<Record<string, (head: string) => string>> = {
  "a letter": (head) => head.slice(0, 1),
  "half a request line": (head) => head.slice(0, 9),
  "a request line": (head) => head.slice(0, head.indexOf("\r\n") + 2),
  "half the fields": (head) => head.slice(0, head.length / 2),
  "all but the last byte": (head) => head.slice(0, -1),
  "an empty line": () => "\r\n",
};

Deno.test("the door waits 30 s for a head, and says so", async (t) => {
  for (const [which, begin] of Object.entries(beginnings)) {
    await t.step(which, () =>
      withTime(async ({ gateway, open }, time) => {
        await using client = await open();
        await client.send(begin(questionParts(gateway).head));
        await pause(5);
        await wait(time, HEAD_MS - 2 * SECOND);
        await assertOpen(client);
        // An empty line is no beginning of a head.
        await wait(time, which === "an empty line" ? IDLE_MS : LATER_MS);
        assert.match(await received(client), /^(?:HTTP\/1\.1 408 [^]*connection: close[^]*|)$/i);
      }));
  }
});

Deno.test("the door does not wait longer for a head that comes byte by byte", async () => {
  await withTime(async ({ gateway, upstream, open }, time) => {
    const { head } = questionParts(gateway);
    await using client = await open();
    for (const byte of head.slice(0, HEAD_MS / SECOND - 2)) {
      await client.send(byte);
      await wait(time, SECOND);
    }
    await assertOpen(client);
    for (const byte of head.slice(HEAD_MS / SECOND - 2, HEAD_MS / SECOND + 3)) {
      await client.send(byte);
      await wait(time, SECOND);
    }
    await wait(time, LATER_MS);
    assert.match(await received(client), /^(?:HTTP\/1\.1 408 |$)/);
    assert.equal(upstream.requested.length, 0);
  });
});

Deno.test("the door takes a head that comes byte by byte in time", async () => {
  await withTime(async ({ gateway, open }, time) => {
    await using client = await open();
    for (let turn = 0; turn < 3; turn++) {
      const text = question(gateway, { input: `turn ${turn}` });
      for (let at = 0; at < text.length; at += 20) {
        await client.send(text.slice(at, at + 20));
        await time.advanceOnce(turns, SECOND);
      }
      assertHeard(await client.reply(), `turn ${turn}`);
      await wait(time, HEAD_MS);
    }
  });
});

Deno.test("the server closes connections without a first byte after 10 s, and idle ones after 75 s", async () => {
  await withTime(async ({ gateway, open }, time) => {
    await using fresh = await open();
    await using used = await open();
    await used.send(lookup(gateway, "/healthz"));
    assert.equal((await used.reply()).status, 200);
    await wait(time, FIRST_BYTE_MS - 2 * SECOND);
    await assertOpen(fresh);
    await wait(time, 3 * SECOND);
    assert.equal(await received(fresh), "");
    await wait(time, IDLE_MS - FIRST_BYTE_MS - 3 * SECOND);
    await assertOpen(used);
    await wait(time, LATER_MS);
    assert.equal(await received(used), "");
  });
});

Deno.test("the door's patience begins anew with each request", async () => {
  await withTime(async ({ gateway, open }, time) => {
    await using client = await open();
    for (let turn = 0; turn < 4; turn++) {
      if (turn > 0) await wait(time, IDLE_MS - 3 * SECOND);
      await client.send(lookup(gateway, "/healthz"));
      assert.equal((await client.reply()).status, 200);
    }
  });
});

/** A provider that answers when it is told to. */
async function withLate(
  test: (gateway: Gateway, parts: { readonly time: FakeClock; readonly answer: () => void }) => Promise<void>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = async ({ body }) => {
    await promise;
    if (body.stream !== true) return Response.json(wholeText("responses", "at last"));
    const frames = [...openingFrames("responses"), ...endFrames("responses", "at last")];
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  const time = fakeClock();
  await using upstream = scripted(script);
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)], apiClock: time });
  try {
    await test(gateway, { time, answer: resolve });
  } finally {
    resolve();
  }
}

for (const stream of [false, true]) {
  Deno.test(`the door's deadlines are none for an answer that takes long (${stream ? "streamed" : "whole"})`, () =>
    withLate(async (gateway, { time, answer }) => {
      await using client = await Line.open(gateway.port);
      const { head, body } = questionParts(gateway, { stream });
      await client.send(head, body);
      await pause(20);
      await wait(time, 2 * IDLE_MS);
      answer();
      const { status, text } = await client.reply();
      assert.equal(status, 200, text);
      assert.match(text, /at last/);
    }));
}

Deno.test("a body that comes byte by byte is waited for 30 s, whatever comes of it", async () => {
  const clock = fakeClock();
  await withApi(async ({ gateway, upstream, open }) => {
    for (const chunks of [undefined, [1]]) {
      await using client = await open();
      const { head, body } = questionParts(gateway, { chunks });
      await client.send(head);
      await pause(5);
      for (const byte of body.slice(0, 29)) {
        await client.send(byte);
        await clock.advanceOnce(turns, SECOND);
      }
      await assertOpen(client);
      await clock.advanceOnce(turns, 2 * SECOND);
      assert.match(
        await received(client),
        /^HTTP\/1\.1 408 [^]*connection: close[^]*not complete after 30 s/,
      );
    }
    assert.equal(upstream.requested.length, 0);
  }, { clock });
});

interface Flood {
  readonly script: Script;
  /** Bytes that were taken of the provider. */
  readonly sent: () => number;
  /** Whether somebody listens to it. */
  readonly live: () => boolean;
}

/** So many words of 16 KiB, as fast as they are read. */
function flood(words: number): Flood {
  let sent = 0;
  let live = false;
  const word = deltaFrame("responses", "x".repeat(16 * 1024));
  const script: Script = () => {
    let at = 0;
    live = true;
    const frames = () => {
      if (at === 0) return openingFrames("responses").join("");
      return at <= words ? word : endFrames("responses", "the end").join("");
    };
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const bytes = new TextEncoder().encode(frames());
        sent += bytes.length;
        controller.enqueue(bytes);
        if (at++ > words) controller.close();
      },
      cancel: () => {
        live = false;
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, sent: () => sent, live: () => live };
}

Deno.test("who stops reading a stream stops the provider, and reads on where it stopped (C2)", async () => {
  const { script, sent, live } = flood(2_000);
  const [clock, apiClock] = [fakeClock(), fakeClock()];
  await using upstream = scripted(script);
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)], clock, apiClock });
  await using client = await Line.open(gateway.port);
  await client.send(question(gateway, { stream: true }));
  const { rss } = Deno.memoryUsage();
  await until(() => sent() > 0);
  const stopped = await settled(sent);
  assert(stopped < 24 * MIB, `${stopped} bytes were taken; the system's buffers hold a few MiB`);
  assert(Deno.memoryUsage().rss - rss < 192 * MIB, "nothing is piled up");
  await clock.advanceOnce(turns, UNREAD_MS - 5 * SECOND);
  await apiClock.advanceOnce(turns, UNREAD_MS - 5 * SECOND);
  assert(live(), "a pause is no end");
  const { text, framing } = await client.reply();
  assert.equal(framing, "chunked");
  assert.equal(text.match(/"type":"response\.output_text\.delta"/g)?.length, 2_000);
  assert.match(text, /"type":"response\.completed"[^]*data: \[DONE\]\n\n$/);
});

/** One answer of 24 MiB: more than the system's buffers hold. */
const large: Script = () => Response.json(wholeText("responses", "y".repeat(24 * MIB)));

Deno.test("who does not read a whole answer is cut off after 60 s (C2)", async () => {
  const time = fakeClock();
  await using upstream = scripted(large);
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)], apiClock: time });
  const before = handles();
  await using client = await Line.open(gateway.port);
  await client.send(question(gateway));
  await until(() => gateway.logged.some((line) => line.includes("Request ended")));
  await pause(20);
  await wait(time, UNREAD_MS + LATER_MS);
  await assert.rejects(client.reply(), /the connection ended/);
  client.hangUp();
  // The connection to the provider is kept, and both its ends are here.
  await until(() => handles() <= before + 3, { what: "that the sockets are given back" });
});

Deno.test("who reads a large whole answer slowly gets all of it (C2)", async () => {
  const time = fakeClock();
  await using upstream = scripted(large);
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)], apiClock: time });
  await using client = await Line.open(gateway.port);
  await client.send(question(gateway));
  for (let read = 0, pauses = 0; read < 24 * MIB;) {
    read += (await client.more())?.length ?? assert.fail(`cut off after ${read} bytes`);
    if (read < (pauses + 1) * 3 * MIB) continue;
    // Three MiB, then nothing for half a minute.
    pauses++;
    await pause(5);
    await wait(time, UNREAD_MS / 2);
  }
});

Deno.test("2,000 connections that say nothing disturb nobody, and are closed in the end (C3)", async () => {
  await withTime(async ({ gateway, open }, time) => {
    const before = handles();
    const idle: Line[] = [];
    for (let at = 0; at < 2_000; at += 50) {
      idle.push(...await Promise.all(Array.from({ length: 50 }, open)));
    }
    // Every fourth has begun a head, every fourth has had an answer.
    const { head } = questionParts(gateway);
    await Promise.all(idle.map(async (client, at) => {
      if (at % 4 === 1) await client.send(head.slice(0, 1 + at % 100));
      if (at % 4 !== 2) return;
      await client.send(lookup(gateway, "/healthz"));
      assert.equal((await client.reply()).status, 200);
    }));
    await Promise.all(Array.from({ length: 10 }, async (_, at) => {
      await using client = await open();
      for (let turn = 0; turn < 5; turn++) {
        await client.send(question(gateway, { input: `${at} ${turn}`, stream: turn % 2 === 0 }));
        assertHeard(await client.reply(), `${at} ${turn}`);
      }
    }));
    await wait(time, IDLE_MS + LATER_MS);
    await Promise.all(
      idle.map(async (client) => assert.match(await client.rest(), /^(?:HTTP\/1\.1 408 |$)/)),
    );
    for (const client of idle) client.hangUp();
    // Connections to the provider are kept, one for each of the 50 questions at most; both ends of each are here.
    await until(() => handles() <= before + 2 * 50, { what: "that every socket is given back" });
  });
});

Deno.test("200 clients that drip disturb nobody (C3)", async () => {
  await withTime(async ({ gateway, open }, time) => {
    const dripping = await Promise.all(Array.from({ length: 200 }, open));
    const text = question(gateway, { input: "dripped" });
    for (let at = 0; at < 25; at++) {
      await Promise.all(dripping.map((client) => client.send(text.slice(at, at + 1))));
      await time.advanceOnce(turns, SECOND);
      await using client = await open();
      await client.send(question(gateway, { input: `beside ${at}` }));
      assertHeard(await client.reply(), `beside ${at}`);
    }
    await Promise.all(dripping.map(async (client) => {
      await client.send(text.slice(25));
      assertHeard(await client.reply(), "dripped");
      client.hangUp();
    }));
  });
});

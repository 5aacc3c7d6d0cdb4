import assert from "node:assert/strict";
import { seeded } from "../fuzz/random.ts";
import { ask } from "../support/call.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { readStream } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import {
  deltaFrame,
  openingFrames,
  says,
  type Script,
  type Scripted,
  scripted,
  type Wire,
  wires,
} from "../support/scripted.ts";
import { isClosed } from "../support/raw.ts";
import { pause, settled, until } from "../support/until.ts";
import { outcomeOf, withFaults } from "./rig.ts";
import { seed } from "../support/seed.ts";

const SECOND = 1_000;

for (const wire of wires) {
  Deno.test(`C1 a client that disconnects in mid-stream ends the upstream call (${wire})`, () =>
    withFaults({ wire }, async ({ ask, faultd }) => {
      const leave = new AbortController();
      const response = await ask({ fault: "stall-after-3", stream: true, signal: leave.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      assert.equal(faultd.open(), 1);
      leave.abort();
      await until(() => faultd.open() === 0, { what: "the end of the upstream call" });
      assert.equal(faultd.aborted(), 1);
      await assert.rejects(async () => {
        while ((await reader?.read())?.done === false);
      });
    }));

  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "whole";
    Deno.test(`C1 a client that disconnects before headers ends the upstream call (${how}, ${wire})`, () =>
      withFaults({ wire }, async ({ ask, faultd }) => {
        const leave = new AbortController();
        const requested = ask({ fault: "hang", stream, signal: leave.signal });
        await until(() => faultd.requests.length === 1);
        leave.abort();
        await assert.rejects(requested);
        await until(() => faultd.open() === 0, { what: "the end of the upstream call" });
      }));

    Deno.test(`C1 a client that disconnects is no reason to ask the next endpoint (${how}, ${wire})`, () =>
      withFaults({ wire, endpoints: ["hang", "ok"] }, async ({ ask, faultd, gateway }) => {
        const leave = new AbortController();
        const requested = ask({ stream, signal: leave.signal });
        await until(() => faultd.requests.length === 1);
        leave.abort();
        await assert.rejects(requested);
        await until(() => faultd.open() === 0);
        await until(() => gateway.logged.some((line) => line.includes("Request ended")));
        assert.equal(faultd.requests.length, 1);
        assert.equal(
          (await outcomeOf(await ask({ fault: "ok" }))).ended,
          "completed",
          "and none to rest the provider",
        );
      }));
  }

  Deno.test(`C1 a client that leaves after the last byte leaves nothing behind (${wire})`, () =>
    withFaults({ wire }, async ({ ask, faultd }) => {
      for (const stream of [false, true]) {
        const leave = new AbortController();
        await outcomeOf(await ask({ fault: "ok", stream, signal: leave.signal }));
        leave.abort();
      }
      await until(() => faultd.open() === 0);
      assert.equal(faultd.aborted(), 0);
    }));
}

interface Endless {
  readonly script: Script;
  /** How many are listening. */
  readonly live: () => number;
  /** How many pauses are not over yet. */
  readonly pausing: () => number;
}

/** Says a word every so many milliseconds until it is disconnected on. */
function endless(wire: Wire, gapMs: number): Endless {
  let live = 0;
  let pausing = 0;
  const script: Script = () => {
    live++;
    let frames: readonly string[] = openingFrames(wire);
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        pausing++;
        await pause(gapMs);
        pausing--;
        controller.enqueue(new TextEncoder().encode(frames.join("")));
        frames = [deltaFrame(wire, " word")];
      },
      cancel: () => {
        live--;
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, live: () => live, pausing: () => pausing };
}

/** Leaves after a random number of bytes, or after a random time when that comes first. */
async function leaveSomewhere(gateway: Gateway, { bytes, ms }: Readonly<Record<"bytes" | "ms", number>>) {
  const leave = new AbortController();
  const timer = setTimeout(() => leave.abort(), ms);
  try {
    const response = await ask(gateway, { model: "mock/model", input: "Hi", stream: true }, {
      signal: leave.signal,
    });
    let read = 0;
    const reader = response.body?.getReader();
    while (reader && read < bytes) read += (await reader.read()).value?.length ?? 0;
    leave.abort();
  } catch (error) {
    if (!leave.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}

for (const wire of wires) {
  Deno.test(`C1 hanging up at a hundred random points always ends the upstream call (${wire})`, async () => {
    const random = seeded(seed);
    const { script, live, pausing } = endless(wire, 1);
    await using upstream = scripted(script);
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    try {
      for (let round = 0; round < 5; round++) {
        const points = Array.from(
          { length: 20 },
          () => ({ bytes: random.below(6_000), ms: random.below(80) }),
        );
        await Promise.all(points.map((point) => leaveSomewhere(gateway, point)));
        await until(() => live() === 0, { what: "the end of every upstream call" });
      }
    } catch (cause) {
      throw new Error(`SEED=${seed}`, { cause });
    }
    assert.equal(gateway.logged.filter((line) => line.includes('"level":"error"')).length, 0);
    await until(() => pausing() === 0, { what: "the end of the provider's last pauses" });
  });
}

/** A client that sends its question and then reads nothing. */
async function stalled({ port, apiKey }: Gateway): Promise<Deno.Conn> {
  const connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  const body = JSON.stringify({ model: "mock/model", input: "Hi", stream: true });
  const head =
    `POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head + body));
  return connection;
}

/** Reads until the connection is closed, by whichever side. */
async function takeAll(connection: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    while (await connection.read(buffer) !== null) { /* nobody looks at it */ }
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
}

/** Sends big deltas as fast as they are read. */
function flood(
  wire: Wire,
): { readonly script: Script; readonly sent: () => number; readonly live: () => number } {
  let sent = 0;
  let live = 0;
  const chunk = new TextEncoder().encode(deltaFrame(wire, "x".repeat(16 * 1024)));
  const script: Script = () => {
    live++;
    const first = new TextEncoder().encode(openingFrames(wire).join(""));
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(sent === 0 ? first : chunk);
        sent += chunk.length;
      },
      cancel: () => {
        live--;
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, sent: () => sent, live: () => live };
}

for (const wire of wires) {
  Deno.test(`C2 a client that reads nothing stops the reading of its provider, and is cut off (${wire})`, async () => {
    const clock = fakeClock();
    const { script, sent, live } = flood(wire);
    await using upstream: Scripted = scripted(script);
    await using gateway = await startGateway({ clock, providers: [providerAt(upstream.baseUrl, { wire })] });
    const before = Deno.memoryUsage().rss;
    const connection = await stalled(gateway);
    try {
      await until(() => sent() > 0);
      const bytes = await settled(sent);
      assert(bytes < 24 * 1024 * 1024, `${bytes} bytes were sent; the system's buffers hold a few MiB`);
      assert(Deno.memoryUsage().rss - before < 192 * 1024 * 1024, "nothing is piled up");
      assert.equal(live(), 1);
      await clock.advanceOnce(turns, 70 * SECOND);
      await until(() => live() === 0, { what: "the end of the upstream call" });
    } finally {
      connection.close();
    }
  });

  Deno.test(`C2 what a client takes to read is no silence of its provider's (${wire})`, async () => {
    const clock = fakeClock();
    const { script, sent, live } = flood(wire);
    await using upstream: Scripted = scripted(script);
    const limits = { unread_seconds: 5_000 };
    const providers = [providerAt(upstream.baseUrl, { wire })];
    await using gateway = await startGateway({ clock, limits, providers });
    const connection = await stalled(gateway);
    try {
      await until(() => sent() > 0);
      await settled(sent);
      await clock.advanceOnce(turns, 1_000 * SECOND);
      assert.equal(live(), 1, "the line is open");
      const before = sent();
      const reading = takeAll(connection);
      await until(() => sent() > before, { what: "that the provider is read again" });
      connection.close();
      await reading;
      await until(() => live() === 0, { what: "the end of the upstream call" });
    } catch (error) {
      connection.close();
      throw error;
    }
  });

  Deno.test(`C2 a client that reads slowly gets everything (${wire})`, async () => {
    const text = Array.from({ length: 300 }, (_, at) => `word${at}`).join(" ");
    await using upstream = scripted(says(wire, text));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const response = await ask(gateway, { model: "mock/model", input: "Hi", stream: true });
    await pause(100);
    const { events } = await readStream(response);
    assert.equal(events.filter(({ type }) => type === "response.output_text.delta").length > 0, true);
    assert.equal(events.at(-1)?.type, "response.completed");
  });

  Deno.test(`C6 two requests that are the same are both served, each with its own call (${wire})`, () =>
    withFaults({ wire }, async ({ ask, faultd }) => {
      for (const stream of [false, true]) {
        const preference = { fault: "slow-50", stream };
        const both = await Promise.all([ask(preference), ask(preference)]);
        const [one, other] = await Promise.all(both.map(outcomeOf));
        assert.deepEqual([one?.ended, other?.ended], ["completed", "completed"]);
        assert.notEqual(one?.result?.id, other?.result?.id);
      }
      assert.equal(faultd.requests.length, 4);
    }));
}

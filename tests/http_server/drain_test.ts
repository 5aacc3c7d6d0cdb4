/** A stop in the middle of whatever clients do (P3): what runs may end, nothing new begins, and nothing is waited for for ever. */

import assert from "node:assert/strict";
import { type RunningGateway, startGateway } from "../../server/app/start.ts";
import { readConfig } from "../../server/config/config.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createRuntime, type Runtime } from "../../server/runtime.ts";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { lookup, type Question, question, questionParts } from "../support/api_rig.ts";
import { PROVIDER_KEY, providerAt } from "../support/gateway.ts";
import { handles } from "../support/disconnecting_clients.ts";
import { Line, type Line as Client, openResetting } from "../support/raw_client.ts";
import { type Scripted, scripted, wholeText } from "../support/scripted.ts";
import { pause, until } from "../support/until.ts";

const SECOND = 1_000;
const DRAIN_MS = 25 * SECOND;
/** A client gets so long to hear the last words, and a connection is looked at once a second. */
const GRACE_MS = 4 * SECOND;

interface Rig {
  readonly clock: FakeClock;
  readonly running: RunningGateway;
  readonly open: () => Promise<Client>;
  readonly ask: (model: string, preference?: Question) => string;
  readonly parts: (model: string, preference?: Question) => { readonly head: string; readonly body: string };
  /** Begins to stop; how much of the clock it has taken when it is over. */
  readonly stop: () => Stopping;
  /** Has one answer, of 24 MiB: more than the system's buffers hold. */
  readonly upstream: Scripted;
}

interface Stopping {
  /**
   * Moves the clock until the stop is over, by `mostMs` at most; fails when that much was not enough. Resolves with the
   * milliseconds that the clock was moved by.
   */
  readonly over: (mostMs: number) => Promise<number>;
  readonly isOver: () => boolean;
}

/** Runs a gateway as an operator does, from its settings, with time that stands still. */
async function withRunning(test: (rig: Rig) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const clock = fakeClock();
  const errors: string[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (text: string) => void errors.push(text),
  };
  const runtime: Runtime = { ...createRuntime(log), clock };
  await using upstream = scripted(() => Response.json(wholeText("responses", "y".repeat(24 * 1024 * 1024))));
  const env: Readonly<Record<string, string>> = {
    TOLLGATE_DATA: folder,
    PORT: "0",
    TOLLGATE_FAULT_LAB: "on",
    TOLLGATE_CONFIG: "test.jsonc",
    MOCK_KEY: PROVIDER_KEY,
  };
  const config = readConfig(
    {
      env: (name) => env[name],
      readFile: () => JSON.stringify({ providers: [providerAt(upstream.baseUrl)] }),
      terminal: false,
    },
    providerSettings,
  );
  const before = handles();
  const running = await startGateway({ config, runtime });
  const stopping: Stopping[] = [];
  try {
    await test({
      clock,
      running,
      upstream,
      ...client(running),
      stop: () => stopOf(running, { clock, stopping }),
    });
    // Time passes faster here than the disk writes, which the ledger may find.
    assert.deepEqual(errors.filter((text) => !text.startsWith("Ledger cannot write")), []);
  } finally {
    if (stopping.length === 0) stopOf(running, { clock, stopping });
    for (const one of stopping) await one.over(200 * SECOND);
    await Deno.remove(folder, { recursive: true });
  }
  assert.equal(clock.open, 0, "no deadline is left");
  await until(() => handles() <= before + 2, { what: "that every socket is given back" });
}

function client({ port, installation: started }: RunningGateway): Pick<Rig, "open" | "ask" | "parts"> {
  const caller = { port, apiKey: started.apiKey ?? "" };
  return {
    open: () => Line.open(port),
    ask: (model, preference) => question(caller, { ...preference, model }),
    parts: (model, preference) => questionParts(caller, { ...preference, model }),
  };
}

interface StopParts {
  readonly clock: FakeClock;
  readonly stopping: Stopping[];
}

function stopOf(running: RunningGateway, { clock, stopping }: StopParts): Stopping {
  let over = false;
  const stopped = running.stop().finally(() => {
    over = true;
  });
  const began = clock.monotonic();
  const one: Stopping = {
    isOver: () => over,
    over: async (mostMs) => {
      const left = () => began + mostMs - clock.monotonic();
      for (let turn = 0; !over && left() > 0; turn++) {
        // Sockets have had their turns before time moves; what is due then shows on a busy machine, too.
        await pause(clock.monotonic() - began < DRAIN_MS ? 3 : 100);
        if (turn >= 20 && !over) await clock.advanceOnce(turns, Math.min(SECOND, left()));
      }
      await until(() => over, { what: `the end of the stop, ${mostMs} ms after its beginning` });
      await stopped;
      return clock.monotonic() - began;
    },
  };
  stopping.push(one);
  return one;
}

async function refusesConnections({ open }: Rig): Promise<void> {
  await assert.rejects(async () => {
    const late = await open();
    late.hangUp();
  }, Deno.errors.ConnectionRefused);
}

Deno.test("a stop closes connections that wait for nothing, kept ones when none of their requests can be on its way", () =>
  withRunning(async (rig) => {
    await using fresh = await rig.open();
    await using used = await rig.open();
    await used.send(rig.ask("local/echo"));
    assert.equal((await used.reply()).status, 200);
    await pause(5);
    const stop = rig.stop();
    assert.equal(await fresh.ended(), "fin");
    await refusesConnections(rig);
    await stop.over(SECOND);
    assert.equal(await used.ended(), "fin");
  }));

Deno.test("a stop waits for what has begun to be asked, and not for ever", async (t) => {
  const begun: Readonly<Record<string, (rig: Rig) => string>> = {
    "half a head": ({ parts }) => parts("local/echo").head.slice(0, 40),
    "a head": ({ parts }) => parts("local/echo").head,
    "half a body": ({ parts }) => parts("local/echo").head + parts("local/echo").body.slice(0, 9),
    "half a chunk": ({ parts }) => {
      const { head, body } = parts("local/echo", { chunks: [20] });
      return head + body.slice(0, 9);
    },
    "half a request behind one": ({ ask, parts }) => ask("local/echo") + parts("local/echo").head,
  };
  for (const [which, bytes] of Object.entries(begun)) {
    await t.step(which, () =>
      withRunning(async (rig) => {
        await using client = await rig.open();
        await client.send(bytes(rig));
        await pause(5);
        const stop = rig.stop();
        await pause(5);
        await refusesConnections(rig);
        await stop.over(DRAIN_MS + GRACE_MS);
        await client.rest();
      }));
  }
});

Deno.test("a stop lets a body come that is on its way, and answers it as the last", async (t) => {
  for (const chunks of [undefined, [20]]) {
    await t.step(chunks ? "in chunks" : "with a length", () =>
      withRunning(async (rig) => {
        await using client = await rig.open();
        const { head, body } = rig.parts("local/echo", { input: "on its way", chunks });
        await client.send(head, body.slice(0, 9));
        await pause(5);
        const stop = rig.stop();
        await pause(5);
        await client.send(body.slice(9));
        const reply = await client.reply();
        assert.equal(reply.status, 200, reply.text);
        assert.match(reply.text, /on its way/);
        assert.equal(reply.keepsAlive, false);
        await client.ended();
        client.hangUp();
        await stop.over(0);
      }));
  }
});

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";
  Deno.test(`a stop lets an answer come that is awaited (${how})`, () =>
    withRunning(async (rig) => {
      await using client = await rig.open();
      await client.send(rig.ask("fault/slow", { stream, input: "one two three" }));
      await pause(100);
      const stop = rig.stop();
      const reading = client.reply();
      await stop.over(DRAIN_MS - SECOND);
      const reply = await reading;
      assert.equal(reply.status, 200, reply.text);
      assert.match(reply.text, /"completed"/);
      // The head of a stream may be out before the stop.
      if (!stream) assert.equal(reply.keepsAlive, false);
      await client.ended();
    }));

  Deno.test(`a stop ends an answer that does not end, with its last word (${how})`, () =>
    withRunning(async (rig) => {
      await using client = await rig.open();
      await client.send(rig.ask("fault/stall", { stream, input: "one two three" }));
      await pause(100);
      const stop = rig.stop();
      const reading = client.reply();
      const took = await stop.over(DRAIN_MS + GRACE_MS);
      assert(took >= DRAIN_MS, `${took} ms`);
      const { status, text } = await reading;
      if (stream) assert.match(text, /"type":"response\.failed"[^]*data: \[DONE\]\n\n$/);
      else assert(status >= 500, `${status} ${text}`);
      await client.ended();
    }));
}

Deno.test("a stop begins nothing that waits behind what is answered", () =>
  withRunning(async (rig) => {
    await using client = await rig.open();
    await client.send(rig.ask("fault/slow", { input: "first" }) + rig.ask("local/echo", { input: "second" }));
    await pause(100);
    const stop = rig.stop();
    const reading = client.reply();
    await stop.over(DRAIN_MS + GRACE_MS);
    const reply = await reading;
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.keepsAlive, false);
    await client.ended();
  }));

Deno.test("a stop does not wait for who leaves in the meantime", async (t) => {
  for (const way of ["hangs up", "half-closes", "resets"] as const) {
    for (const stream of [false, true]) {
      await t.step(`${way}, ${stream ? "streamed" : "whole"}`, () =>
        withRunning(async (rig) => {
          const text = rig.ask("fault/stall", { stream });
          const leave = await leaving(rig, { way, text });
          await pause(100);
          const stop = rig.stop();
          await pause(5);
          assert(!stop.isOver());
          await leave();
          await stop.over(0);
        }));
    }
  }
});

interface Leave {
  readonly way: "hangs up" | "half-closes" | "resets";
  readonly text: string;
}

async function leaving({ running, open }: Rig, { way, text }: Leave): Promise<() => Promise<void>> {
  if (way === "resets") {
    const client = await openResetting(running.port);
    await client.send(text);
    return () => client.reset();
  }
  const client = await open();
  await client.send(text);
  if (way === "hangs up") return () => Promise.resolve(client.hangUp());
  return async () => {
    await client.halfClose();
    await client.rest();
    client.hangUp();
  };
}

Deno.test("a stop cuts off who does not read", () =>
  withRunning(async (rig) => {
    await using client = await rig.open();
    await client.send(rig.ask("mock/model"));
    await until(() => rig.upstream.requested.length === 1);
    await pause(300);
    const stop = rig.stop();
    const took = await stop.over(DRAIN_MS + GRACE_MS);
    assert(took >= DRAIN_MS, `${took} ms`);
  }));

Deno.test("a stop is no reason to forget a refusal's reader", () =>
  withRunning(async (rig) => {
    await using client = await rig.open();
    await client.send("no request\r\n\r\n");
    await pause(5);
    const stop = rig.stop();
    const reply = await client.reply();
    assert.equal(reply.status, 400);
    await client.ended();
    await stop.over(GRACE_MS);
  }));

Deno.test("a stop with many clients in every state is over in time", () =>
  withRunning(async (rig) => {
    const { head, body } = rig.parts("local/echo");
    const texts = [
      "",
      head.slice(0, 30),
      head,
      head + body.slice(0, 5),
      rig.ask("fault/stall"),
      rig.ask("fault/stall", { stream: true }),
      rig.ask("local/echo", { stream: true }),
      rig.ask("local/echo") + head,
      lookup({ port: rig.running.port, apiKey: "nobody" }, "/healthz").repeat(3),
      "no request\r\n\r\n",
    ];
    const clients = await Promise.all(Array.from({ length: 60 }, rig.open));
    await Promise.all(clients.map((client, at) => client.send(texts[at % texts.length] ?? "")));
    await pause(5);
    const stop = rig.stop();
    await stop.over(DRAIN_MS + GRACE_MS);
    await Promise.all(clients.map((client) => client.rest()));
    for (const client of clients) client.hangUp();
  }));

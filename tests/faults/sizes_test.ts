import assert from "node:assert/strict";
import { constants, deflateRawSync } from "node:zlib";
import { providerAt, startGateway } from "../support/gateway.ts";
import { ask } from "../support/call.ts";
import { scripted, wires } from "../support/scripted.ts";
import { pause } from "../support/until.ts";
import { outcomeOf, withFaults } from "./rig.ts";

const MIB = 1024 * 1024;
/** The process may grow by this while an upstream sends 512 MiB or more; other tests run in it at the same time. */
const MOST_GROWTH_MIB = 192;

/** Runs `work` and tells by how much the process grew at most, in MiB. */
async function growth(work: () => Promise<void>): Promise<number> {
  const before = Deno.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, Deno.memoryUsage().rss);
  }, 5);
  try {
    await work();
    await pause(10);
  } finally {
    clearInterval(timer);
  }
  return (most - before) / MIB;
}

/** A gzip stream that unpacks to so many MiB of spaces: blocks of one MiB, each by itself, never ended. */
function bomb(mib: number): Uint8Array<ArrayBuffer> {
  const block = deflateRawSync(new Uint8Array(MIB).fill(32), { finishFlush: constants.Z_FULL_FLUSH });
  const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
  const bytes = new Uint8Array(head.length + mib * block.length);
  bytes.set(head);
  for (let at = 0; at < mib; at++) bytes.set(block, head.length + at * block.length);
  return bytes;
}

for (const wire of wires) {
  Deno.test(`U11 POST /responses cuts off a line without end, streamed (${wire})`, () =>
    withFaults({ wire, limits: { answer_bytes: 4 * MIB } }, async ({ ask }) => {
      const grown = await growth(async () => {
        const { status, ended } = await outcomeOf(await ask({ fault: "huge-line-1024", stream: true }));
        assert.deepEqual([status, ended], [200, "failed"]);
      });
      assert(grown < MOST_GROWTH_MIB, `grew by ${grown} MiB`);
    }));

  Deno.test(`U11 POST /responses cuts off an answer without end, whole (${wire})`, () =>
    withFaults({ wire, limits: { answer_bytes: 4 * MIB } }, async ({ ask }) => {
      const grown = await growth(async () => {
        assert.equal((await outcomeOf(await ask({ fault: "huge-line-1024" }))).status, 502);
      });
      assert(grown < MOST_GROWTH_MIB, `grew by ${grown} MiB`);
    }));

  for (const stream of [false, true]) {
    Deno.test(`U13 POST /responses cuts off a gzip bomb, ${stream ? "streamed" : "whole"} (${wire})`, async () => {
      const bytes = bomb(512);
      assert(bytes.length < MIB);
      const type = stream ? "text/event-stream" : "application/json";
      const headers = { "content-type": type, "content-encoding": "gzip" };
      await using upstream = scripted(() => new Response(bytes, { headers }));
      await using gateway = await startGateway({
        providers: [providerAt(upstream.baseUrl, { wire })],
        limits: { answer_bytes: 4 * MIB },
      });
      const grown = await growth(async () => {
        const response = await ask(gateway, { model: "mock/model", input: "Hi", stream });
        assert.equal((await outcomeOf(response)).status, 502);
      });
      assert(grown < MOST_GROWTH_MIB, `grew by ${grown} MiB`);
    });
  }

  Deno.test(`U11 POST /responses bounds a stream as a whole (${wire})`, async () => {
    const headers = { "content-type": "text/event-stream" };
    await using upstream = scripted(() =>
      new Response(": nothing but comments\n\n".repeat(1_000), { headers })
    );
    await using gateway = await startGateway({
      providers: [providerAt(upstream.baseUrl, { wire })],
      limits: { answer_bytes: 1_024 },
    });
    const response = await ask(gateway, { model: "mock/model", input: "Hi", stream: true });
    assert.equal((await outcomeOf(response)).status, 502);
  });

  Deno.test(`U13 POST /responses survives an answer that is not what it says (${wire})`, () =>
    withFaults({ wire }, async ({ ask }) => {
      for (const stream of [false, true]) {
        const { status, ended } = await outcomeOf(await ask({ fault: "gzip-corrupt", stream }));
        assert(status === 502 || ended === "failed");
      }
    }));
}

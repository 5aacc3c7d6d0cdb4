import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { turns } from "../../../tests/support/clock.ts";
import { always, answer, upstreamServer } from "../../../tests/support/upstream_server.ts";
import { transportRig } from "../../../tests/support/upstream_rig.ts";
import { patiently, pause } from "../../../tests/support/until.ts";

interface SendsTwice {
  readonly url: string;
  /** Resolves once so many answers too many are on their way. */
  readonly sent: (count: number) => Promise<void>;
  readonly stop: () => Promise<number>;
}

/** A provider that sends an answer too many behind each one, up to 20 ms late. */
async function startSendsTwice(): Promise<SendsTwice> {
  const worker = new Worker(new URL("../../../tests/support/sends_twice.ts", import.meta.url));
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  let count = 0;
  const waiting = new Set<() => void>();
  worker.on("message", (now: number) => {
    count = now;
    for (const look of waiting) look();
  });
  const sent = (wanted: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (count < wanted) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { url: `http://127.0.0.1:${port}`, sent, stop: () => worker.terminate() };
}

for (const callers of [1, 3, 8, 40]) {
  Deno.test(`httpTransport gives nobody an answer too many, however late it comes, with ${callers} callers`, async () => {
    const provider = await startSendsTwice();
    await using rig = transportRig();
    const calls = async (caller: number) => {
      for (let i = 0; i < 120 / callers; i++) {
        const body = `${caller} ${i}`;
        assert.equal(await (await rig.post(provider.url, { body })).text(100), body);
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => calls(caller)));
    await provider.stop();
  });
}

Deno.test("httpTransport uses no connection twice once an answer too many has come", async () => {
  const provider = await startSendsTwice();
  await using rig = transportRig();
  const callAll = async (count: number, named: string) => {
    await Promise.all(Array.from({ length: count }, async (_, caller) => {
      const body = `${named} ${caller}`;
      assert.equal(await (await rig.post(provider.url, { body })).text(100), body);
    }));
  };
  await callAll(20, "first");
  // Whatever of it has left the provider is at this end once it has told so.
  await provider.sent(1);
  await rig.kept();
  assert.equal(rig.logged.length, 1);
  assert.equal(rig.clock.open, 0, "no connection is kept");
  for (let round = 0; round < 5; round++) {
    await callAll(10, `round ${round}`);
    await rig.clock.advanceOnce(turns, 1_000);
    assert.equal(rig.clock.open, 0, "no connection is kept");
  }
  assert.equal(rig.logged.length, 1, "it is told once");
  await provider.stop();
});

Deno.test("httpTransport shares connections within one credential only", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  for (let i = 0; i < 4; i++) {
    for (const credentialHash of ["a", "b", "c"]) {
      await (await rig.post(server.url, { credentialHash })).text(10);
      await rig.kept();
    }
  }
  assert.deepEqual(server.connections.map(({ requests }) => requests), [4, 4, 4]);
});

Deno.test("httpTransport keeps 256 unused connections to an origin, the last used ones", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  const post = async (caller: number) =>
    await (await rig.post(server.url, { credentialHash: `caller ${caller}` })).text(10);
  for (let caller = 0; caller < 300; caller++) await post(caller);
  await rig.kept();
  assert.equal(rig.clock.open, 256);
  for (let caller = 44; caller < 300; caller++) await post(caller);
  assert.equal(server.connections.length, 300);
  await post(0);
  assert.equal(server.connections.length, 301);
});

/** More than a socket takes before anybody reads. */
const long = "x".repeat(16_000_000);

Deno.test("httpTransport takes no head on a kept connection before the request has left", async () => {
  for (const status of ["200 OK", "413 Too Large", "103 Early Hints"]) {
    let served = 0;
    await using server = upstreamServer(async (connection) => {
      served++;
      if (await connection.request() === undefined) return;
      await connection.write(answer("ok"));
      while (connection.pending < 1) await pause(1);
      await connection.write(answer("of another request", { status }));
      await connection.gone();
    });
    await using rig = transportRig();
    await (await rig.post(server.url)).text(10);
    await rig.kept();
    await assert.rejects(patiently(rig.post(server.url, { body: long })), { kind: "bad_http" }, status);
    assert.equal(served, 1, "one connection, and nothing is sent twice");
  }
});

Deno.test("httpTransport takes nothing but a refusal on a new connection before the request has left", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.write(answer("ok"));
    await connection.gone();
  });
  await using rig = transportRig();
  await assert.rejects(patiently(rig.post(server.url, { body: long })), { kind: "bad_http" });
});

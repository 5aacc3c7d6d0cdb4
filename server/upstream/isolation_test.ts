import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { always, answer, upstreamServer } from "../../tests/support/upstream_server.ts";
import { kept, transportRig, within } from "../../tests/support/upstream_rig.ts";
import { pause } from "../../tests/support/until.ts";
import { TransportError } from "./transport.ts";

/** A provider that sends an answer too many behind each one. */
async function startSendsTwice(): Promise<{ readonly url: string; readonly stop: () => Promise<number> }> {
  const worker = new Worker(new URL("../../tests/support/sends_twice.ts", import.meta.url));
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  return { url: `http://127.0.0.1:${port}`, stop: () => worker.terminate() };
}

for (const callers of [1, 3, 8]) {
  Deno.test(`httpTransport gives nobody an answer too many, with ${callers} callers`, async () => {
    const provider = await startSendsTwice();
    await using rig = transportRig();
    let wrong = 0;
    let right = 0;
    const calls = async (caller: number) => {
      for (let i = 0; i < 120 / callers; i++) {
        const body = `${caller} ${i}`;
        const answer = await rig.post(provider.url, { body }).then((reply) => reply.text(100)).catch(lost);
        if (answer === body) right++;
        else if (answer !== undefined) wrong++;
      }
    };
    await within(10_000, Promise.all(Array.from({ length: callers }, (_, caller) => calls(caller))));
    await provider.stop();
    assert.equal(wrong, 0, `${wrong} of 120 answers were those of other requests`);
    assert.ok(right > 100, `${right} of 120 calls were answered`);
  });
}

/** No answer is no wrong one. */
function lost(error: unknown): undefined {
  if (!(error instanceof TransportError)) throw error;
}

Deno.test("httpTransport shares connections within one credential only", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  for (let i = 0; i < 4; i++) {
    for (const credentialHash of ["a", "b", "c"]) {
      await (await rig.post(server.url, { credentialHash })).text(10);
      await kept();
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
  await kept();
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
    await kept();
    await assert.rejects(within(5_000, rig.post(server.url, { body: long })), { kind: "bad_http" }, status);
    assert.equal(served, 1, "one connection, and nothing is sent twice");
  }
});

Deno.test("httpTransport takes nothing but a refusal on a new connection before the request has left", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.write(answer("ok"));
    await connection.gone();
  });
  await using rig = transportRig();
  await assert.rejects(within(5_000, rig.post(server.url, { body: long })), { kind: "bad_http" });
});

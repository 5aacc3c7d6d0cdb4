import assert from "node:assert/strict";
import { mock } from "node:test";
import { always, answer, upstreamServer } from "../../../../tests/support/upstream_server.ts";
import { transportRig } from "../../../../tests/support/upstream_rig.ts";
import { pause } from "../../../../tests/support/until.ts";

Deno.test("Pools closes the longest unused connection, wherever it leads, for one beyond their number", async () => {
  await using one = upstreamServer(always(answer("ok")));
  await using other = upstreamServer(always(answer("ok")));
  await using rig = transportRig({ connections: 4 });
  const post = async (url: string, credentialHash: string) => {
    rig.clock.leap(1);
    await (await rig.post(url, { credentialHash })).text(10);
    await rig.kept();
  };
  for (const hash of ["a", "b", "c"]) await post(one.url, hash);
  await post(other.url, "d");
  await post(one.url, "a");
  assert.deepEqual([one.connections.length, other.connections.length, rig.clock.open], [3, 1, 4]);
  await post(other.url, "e");
  await post(other.url, "f");
  assert.equal(rig.clock.open, 4);
  await post(one.url, "a");
  assert.equal(one.connections.length, 3, "the one that was used again is still there");
  await post(one.url, "b");
  assert.equal(one.connections.length, 4, "the longest unused ones are not");
});

Deno.test("Pools makes more connections than their number where all are in use", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig({ connections: 2 });
  const replies = await Promise.all(Array.from({ length: 6 }, () => rig.post(server.url)));
  for (const reply of replies) assert.equal(await reply.text(10), "ok");
});

Deno.test("Pools closes what is unused and tries again where there is no file for a connection", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  for (const credentialHash of ["a", "b"]) await (await rig.post(server.url, { credentialHash })).text(10);
  await rig.kept();
  let times = 1;
  const { connect } = Deno;
  const shortly = mock.method(Deno, "connect", (options: Deno.ConnectOptions) => {
    if (times-- <= 0) return connect(options);
    const error = new Error("Too many open files (os error 24)");
    return Promise.reject(Object.assign(error, { code: "EMFILE" }));
  });
  try {
    assert.equal(await (await rig.post(server.url, { credentialHash: "c" })).text(10), "ok");
    await rig.kept();
    assert.equal(rig.clock.open, 1);
    times = 2;
    await assert.rejects(rig.post(server.url, { credentialHash: "d" }), { code: "EMFILE" });
  } finally {
    shortly.mock.restore();
  }
  await pause(5);
});

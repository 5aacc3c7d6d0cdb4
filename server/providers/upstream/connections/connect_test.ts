import assert from "node:assert/strict";
import { fakeClock } from "../../../../tests/support/clock.ts";
import { CallAbort } from "../call_abort.ts";
import { connect } from "./connect.ts";

/** Counts the connections that come and the ends that they tell. */
function counting() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ended: Promise<unknown>[] = [];
  const accepting = (async () => {
    for await (const conn of listener) {
      ended.push(conn.read(new Uint8Array(1)).finally(() => conn.close()));
    }
  })();
  const close = async () => {
    listener.close();
    await accepting;
    assert.deepEqual(new Set(await Promise.all(ended)), new Set([null]), "every connection was closed");
  };
  return { port: listener.addr.port, close };
}

Deno.test("C1 connect closes a connection once that comes in the moment in which its caller leaves", async () => {
  const { port, close } = counting();
  const clock = fakeClock();
  for (let round = 0; round < 50; round++) {
    const cut = new CallAbort();
    // What comes together with it, in either order, is when the caller leaves.
    const before = Deno.connect({ hostname: "127.0.0.1", port });
    const ours = connect({ hostname: "127.0.0.1", port, secure: false }, {
      clock,
      connectMs: 1_000,
      signal: cut,
    });
    const behind = Deno.connect({ hostname: "127.0.0.1", port });
    const leaving = [before, behind].map(async (other) => {
      (await other).close();
      if (round % 2 === 0 || other === behind) cut.abort();
    });
    await Promise.all([...leaving, ours.then((connection) => connection.close(), () => {})]);
  }
  await close();
  assert.equal(clock.open, 0);
});

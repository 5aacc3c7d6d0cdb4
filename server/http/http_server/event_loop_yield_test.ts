import assert from "node:assert/strict";
import { EventLoopYield } from "./event_loop_yield.ts";

/** Takes until there is something to wait for. */
function spent(turns: EventLoopYield): { readonly waited: Promise<void>; readonly taken: number } {
  for (let taken = 1; taken <= 1_000; taken++) {
    const waited = turns.yieldIfDue();
    if (waited !== undefined) return { waited, taken };
  }
  throw new Error("There is never anything to wait for");
}

Deno.test("EventLoopYield lets everybody have a look after 32 of them, and then begins anew", async () => {
  const turns = new EventLoopYield();
  for (let round = 0; round < 3; round++) {
    const { waited, taken } = spent(turns);
    assert.equal(taken, 32);
    assert.equal(turns.yieldIfDue(), waited, "all wait for the same");
    await waited;
  }
});

Deno.test("EventLoopYield pauses where many requests are under way, and only there", async () => {
  const steps: string[] = [];
  const tell = (what: string) => (then: () => void) => {
    steps.push(what);
    queueMicrotask(then);
  };
  const turns = new EventLoopYield({ look: tell("look"), pause: tell("pause") });
  const { promise, resolve } = Promise.withResolvers<string>();
  const { promise: broken, reject } = Promise.withResolvers<string>();
  const exchanges = Array.from({ length: 63 }, () => turns.track(promise));
  await spent(turns).waited;
  const last = turns.track(broken);
  await spent(turns).waited;
  reject(new TypeError("broken"));
  await assert.rejects(last, TypeError);
  await spent(turns).waited;
  assert.deepEqual(steps, ["look", "pause", "look"]);
  resolve("answered");
  assert.deepEqual(new Set(await Promise.all(exchanges)), new Set(["answered"]));
});

Deno.test("EventLoopYield goes on after a pause of the runtime's", async () => {
  const turns = new EventLoopYield();
  const { promise, resolve } = Promise.withResolvers<void>();
  const exchanges = Array.from({ length: 64 }, () => turns.track(promise));
  for (let round = 0; round < 3; round++) await spent(turns).waited;
  resolve();
  await Promise.all(exchanges);
});

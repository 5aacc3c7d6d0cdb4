import assert from "node:assert/strict";
import { memoryClock } from "../../tests/support/clock.ts";
import { ledgerRuntime } from "../../tests/support/ledger.ts";
import { CleanupStack, COMMON_END_MS } from "./cleanup_stack.ts";

const never = () => new Promise<never>(() => {});

function rig() {
  const clock = memoryClock();
  const order: string[] = [];
  const stack = new CleanupStack(ledgerRuntime(clock));
  const ends = (name: string) => () => Promise.resolve(void order.push(name));
  return { clock, order, stack, ends };
}

Deno.test("CleanupStack closes in the opposite order, and what fails keeps nothing from its turn", async () => {
  const { order, stack, ends } = rig();
  stack.push({ name: "first", close: ends("first") });
  stack.push({ name: "bad", close: () => Promise.reject(new Error("broken")) });
  stack.push({ name: "last", close: ends("last") });
  assert.deepEqual(await stack.close(), ["bad"]);
  assert.deepEqual(order, ["last", "first"]);
  assert.deepEqual(await stack.close(), []);
});

Deno.test("CleanupStack ends in a bounded time, however many parts never do", async () => {
  const { clock, order, stack, ends } = rig();
  stack.push({ name: "ledger", close: ends("ledger"), ms: 100 });
  for (const name of ["a", "b", "c"]) stack.push({ name, close: never });
  stack.push({ name: "server", close: never, ms: 500 });
  let unended: readonly string[] | undefined;
  const closing = stack.close().then((names) => unended = names);
  await clock.advance(500 + COMMON_END_MS);
  await closing;
  assert.deepEqual(unended, ["server", "c", "b", "a"]);
  assert.deepEqual(order, ["ledger"]);
  assert.equal(clock.open, 0);
});

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

Deno.test("CleanupStack counts only time in which the process ran, as far as closers before have left some", async () => {
  const { clock, order, stack, ends } = rig();
  stack.push({ name: "store", close: ends("store"), ms: 100 });
  const slow = Promise.withResolvers<void>();
  stack.push({ name: "slow", close: () => slow.promise });
  stack.push({ name: "server", close: ends("server"), ms: 20_000 });
  const closing = stack.close();
  await clock.advance(0);
  for (let step = 0; step < 8; step++) {
    clock.leap(2_000);
    await clock.advance(0);
  }
  assert.deepEqual(order, ["server"]);
  slow.resolve();
  assert.deepEqual(await closing, []);
  assert.deepEqual(order, ["server", "store"]);
  assert.equal(clock.open, 0);
});

Deno.test("CleanupStack ends in the same time where the process gets no processor", async () => {
  const { clock, order, stack, ends } = rig();
  stack.push({ name: "store", close: ends("store"), ms: 100 });
  stack.push({ name: "never", close: never });
  stack.push({ name: "server", close: ends("server"), ms: 2_000 });
  const closing = stack.close();
  await clock.advance(0);
  clock.leap(2_000 + COMMON_END_MS);
  await clock.advance(100);
  assert.deepEqual(await closing, ["never"]);
  assert.deepEqual(order, ["server", "store"]);
  assert.equal(clock.open, 0);
});

Deno.test("CleanupStack takes a late part for ended that does so while others do", async () => {
  const { clock, order, stack, ends } = rig();
  const late = Promise.withResolvers<void>();
  const server = () => {
    late.resolve();
    return ends("server")();
  };
  stack.push({ name: "server", close: server, ms: 2_000 });
  stack.push({ name: "late", close: () => late.promise });
  const closing = stack.close();
  await clock.advance(COMMON_END_MS);
  assert.deepEqual(await closing, []);
  assert.deepEqual(order, ["server"]);
});

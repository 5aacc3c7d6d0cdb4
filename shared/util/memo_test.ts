import assert from "node:assert/strict";
import { Memo, SharedWork } from "./memo.ts";

/** Fails the first time and counts from then on. */
function failingOnce() {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    make: () =>
      Promise.resolve().then(() => {
        if (calls++ === 0) throw new Error("not yet");
        return calls;
      }),
  };
}

Deno.test("Memo makes once for all who ask, and keeps it", async () => {
  let made = 0;
  const memo = new Memo(() => Promise.resolve(++made));
  assert.deepEqual(await Promise.all([memo.get(), memo.get()]), [1, 1]);
  assert.equal(await memo.get(), 1);
});

Deno.test("Memo tells a failure to those who wait, and makes it anew for the next", async () => {
  const one = failingOnce();
  const memo = new Memo(one.make);
  const waiting = [memo.get(), memo.get()];
  for (const result of await Promise.allSettled(waiting)) assert.equal(result.status, "rejected");
  assert.equal(one.calls, 1);
  assert.equal(await memo.get(), 2);
  assert.equal(await memo.get(), 2);
});

Deno.test("Memo takes a maker that throws for one that rejects", async () => {
  let calls = 0;
  const memo = new Memo((): Promise<number> => {
    if (calls++ === 0) throw new Error("not yet");
    return Promise.resolve(calls);
  });
  await assert.rejects(memo.get(), /not yet/);
  assert.equal(await memo.get(), 2);
});

Deno.test("Memo.forget has it made anew, and a failure from before forgets nothing", async () => {
  const first = Promise.withResolvers<number>();
  const makers = [() => first.promise, () => Promise.resolve(2)];
  const memo = new Memo(() => makers.shift()?.() ?? Promise.resolve(3));
  const old = memo.get();
  memo.forget();
  assert.equal(await memo.get(), 2);
  first.reject(new Error("late"));
  await assert.rejects(old, /late/);
  assert.equal(await memo.get(), 2);
});

Deno.test("SharedWork runs once at a time for a name, and again afterwards, failed or not", async () => {
  const one = failingOnce();
  const shared = new SharedWork<string, number>();
  const waiting = [shared.run("a", one.make), shared.run("a", one.make)];
  for (const result of await Promise.allSettled(waiting)) assert.equal(result.status, "rejected");
  assert.equal(one.calls, 1);
  assert.equal(await shared.run("a", one.make), 2);
  assert.equal(await shared.run("a", one.make), 3);
  assert.deepEqual(await Promise.all([shared.run("a", one.make), shared.run("b", one.make)]), [4, 5]);
});

Deno.test("SharedWork.forget lets nobody join what is under way", async () => {
  const first = Promise.withResolvers<number>();
  const shared = new SharedWork<string, number>();
  const old = shared.run("a", () => first.promise);
  shared.forget("a");
  const young = shared.run("a", () => Promise.resolve(2));
  first.resolve(1);
  assert.deepEqual([await old, await young], [1, 2]);
  const third = Promise.withResolvers<number>();
  const under = shared.run("a", () => third.promise);
  shared.forget();
  assert.equal(await shared.run("a", () => Promise.resolve(4)), 4);
  third.resolve(3);
  assert.equal(await under, 3);
});

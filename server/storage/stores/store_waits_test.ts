/** How long a store waits for others, for a lock, and for an answer. */

import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { createClock } from "../../runtime.ts";
import { denoKvStore } from "./embedded/deno_kv_store.ts";
import { memoryStore } from "./memory_store.ts";
import { type Store, StoreError, type StoreErrorKind } from "./store.ts";
import { withStoreDeadline } from "./store_deadline.ts";

function rejects(work: () => Promise<unknown>, kind: StoreErrorKind): Promise<void> {
  return assert.rejects(work, (error) => error instanceof StoreError && error.kind === kind);
}

Deno.test("denoKvStore tries a commit that meets others again, after pauses that grow and differ", async () => {
  const clock = memoryClock();
  const at: number[] = [];
  let left = 5;
  const commit = () => {
    at.push(clock.now());
    return Promise.resolve(left-- > 0 ? { ok: false } : { ok: true, versionstamp: "1" });
  };
  const getMany = () => Promise.resolve([{ key: ["a"], value: 1, versionstamp: "0" }]);
  const kv = { getMany, atomic: () => ({ set() {}, check() {}, commit }) } as unknown as Deno.Kv;
  const draws = [0.5, 1, 0.25, 0.5];
  const store = denoKvStore({ kv, clock, random: () => draws.shift() ?? 0 });
  const done = store.commit({ puts: [{ key: ["a"], value: 1 }] });
  for (let ms = 0; ms < 100; ms++) await clock.advance(1);
  assert.equal((await done).type, "ok");
  const pauses = at.slice(1).map((time, tries) => time - (at[tries] ?? 0));
  // The drawn shares of 10, 20, 40 and 80 ms.
  assert.deepEqual(pauses, [0, 5, 20, 10, 40]);
  assert.equal(clock.open, 0);
});

Deno.test("denoKvStore waits out a lock of the file and gives up in the end", async () => {
  const clock = memoryClock();
  let locked = 3;
  const commit = () =>
    locked-- > 0
      ? Promise.reject(new TypeError("database is locked"))
      : Promise.resolve({ ok: true, versionstamp: "1" });
  const kv = { atomic: () => ({ set() {}, check() {}, commit }) } as unknown as Deno.Kv;
  const store = denoKvStore({ kv, clock });
  const first = store.commit({ puts: [{ key: ["a"], value: 1 }], small: true });
  await clock.advance(500);
  assert.equal((await first).type, "ok");
  locked = 100;
  const second = rejects(
    () => store.commit({ puts: [{ key: ["a"], value: 1 }], small: true }),
    "unavailable",
  );
  await clock.advance(5_000);
  await second;
  assert.equal(clock.open, 0);
});

Deno.test("withStoreDeadline ends a call that hangs", async () => {
  const clock = memoryClock();
  const never = () => new Promise<never>(() => {});
  const hanging: Store = {
    ...memoryStore(),
    get: never,
    getMany: never,
    list: never,
    commit: never,
    health: never,
    close: () => Promise.resolve(),
  };
  const store = withStoreDeadline(hanging, { clock, ms: 2_000 });
  const calls = [
    () => store.get(["a"]),
    () => store.getMany([]),
    () => store.list(["a"]),
    () => store.commit({}),
  ];
  const ended = calls.map((call) => rejects(call, "timeout"));
  const health = store.health();
  await clock.advance(1_999);
  assert.equal(clock.open, 5);
  await clock.advance(1);
  await Promise.all(ended);
  assert.deepEqual(await health, { ok: false, reason: "The store did not answer within 2000 ms" });
  assert.equal(clock.open, 0);
});

Deno.test("withStoreDeadline leaves no timer behind an answer", async () => {
  const clock = memoryClock();
  const store = withStoreDeadline(memoryStore(), { clock });
  await store.commit({ puts: [{ key: ["a"], value: 1 }] });
  assert.equal((await store.get(["a"]))?.value, 1);
  await rejects(() => store.get([]), "invalid");
  assert.equal(clock.open, 0);
});

// The real clock, as the gateway uses it, ticks for a moment after the last deadline.
Deno.test({
  name: "withStoreDeadline works on the real clock",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const store = withStoreDeadline(memoryStore(), { clock: createClock() });
    assert.equal(await store.get(["a"]), undefined);
  },
});

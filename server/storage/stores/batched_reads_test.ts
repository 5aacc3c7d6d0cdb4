import assert from "node:assert/strict";
import { bindStore } from "./bound_store.ts";
import { batchReads } from "./batched_reads.ts";
import { memoryStore } from "./memory_store.ts";
import { type Store, StoreError, type StoreKey } from "./store.ts";

const at = (name: number): StoreKey => ["keys", name];

/** A store with records 1 to 9, whose reads are written down and held until they are let go. */
async function held() {
  const inner = memoryStore();
  await inner.commit({ puts: Array.from({ length: 9 }, (_, one) => ({ key: at(one + 1), value: one + 1 })) });
  const reads: number[][] = [];
  const gates: (() => void)[] = [];
  /** Results of the next reads, by the number of their keys. */
  const faults = new Map<number, StoreError>();
  const read = async <T>(keys: readonly StoreKey[], work: () => Promise<T>): Promise<T> => {
    reads.push(keys.map((key) => Number(key[1])));
    await new Promise<void>((resolve) => gates.push(resolve));
    const fault = faults.get(keys.length);
    if (fault) throw fault;
    return await work();
  };
  const store: Store = {
    ...bindStore(inner),
    get: (key) => read([key], () => inner.get(key)),
    getMany: (keys) => read(keys, () => inner.getMany(keys)),
  };
  /** Lets everything go that is held, and what it brings about happen. */
  const letGo = async () => {
    for (const open of gates.splice(0)) open();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { store: batchReads(store), reads, faults, letGo };
}

const valueOf = async (read: ReturnType<Store["get"]>) => (await read)?.value;
const failureOf = (read: ReturnType<Store["get"]>) => read.then(() => "none", (error) => error.kind);

Deno.test("batchReads reads at once when no read is under way, and what comes meanwhile together", async () => {
  const { store, reads, letGo } = await held();
  const requested = [1, 2, 77, 3].map((name) => valueOf(store.get(at(name))));
  assert.deepEqual(reads, [[1]]);
  await letGo();
  assert.deepEqual(reads, [[1], [2, 77, 3]]);
  await letGo();
  assert.deepEqual(await Promise.all(requested), [1, 2, undefined, 3]);
  const later = valueOf(store.get(at(4)));
  assert.deepEqual(reads.at(-1), [4], "nothing is waited for");
  await letGo();
  assert.equal(await later, 4);
});

Deno.test("batchReads reads at most a hundred keys together", async () => {
  const { store, reads, letGo } = await held();
  const requested = Array.from({ length: 251 }, (_, name) => store.get(at(name)));
  for (let round = 0; round < 4; round++) await letGo();
  await Promise.all(requested);
  assert.deepEqual(reads.map(({ length }) => length), [1, 100, 100, 50]);
});

Deno.test("batchReads fails those together that were read together, and reads on for the others", async () => {
  const { store, reads, faults, letGo } = await held();
  faults.set(2, new StoreError("unavailable", "no"));
  const first = valueOf(store.get(at(1)));
  const failed = [2, 3].map((name) => failureOf(store.get(at(name))));
  await letGo();
  const next = valueOf(store.get(at(4)));
  await letGo();
  await letGo();
  assert.equal(await first, 1);
  assert.deepEqual(await Promise.all(failed), ["unavailable", "unavailable"]);
  assert.equal(await next, 4);
  assert.deepEqual(reads, [[1], [2, 3], [4]]);
});

Deno.test("batchReads reads each alone when one of them is damaged", async () => {
  const { store, reads, faults, letGo } = await held();
  faults.set(2, new StoreError("corrupt", "one of them"));
  const requested = [1, 2, 3].map((name) => valueOf(store.get(at(name))));
  for (let round = 0; round < 3; round++) await letGo();
  assert.deepEqual(await Promise.all(requested), [1, 2, 3]);
  assert.deepEqual(reads, [[1], [2, 3], [2], [3]]);
});

Deno.test("batchReads lets nobody wait twice for a store that does not answer", async () => {
  for (const together of [false, true]) {
    const { store, reads, faults, letGo } = await held();
    const begun = together ? [1, 2, 3].map((name) => failureOf(store.get(at(name)))) : [];
    if (together) await letGo();
    faults.set(together ? 2 : 1, new StoreError("timeout", "no answer"));
    const waiting = [4, 5].map((name) => failureOf(store.get(at(name))));
    await letGo();
    const expected = together ? ["none", "timeout", "timeout", "timeout", "timeout"] : ["timeout", "timeout"];
    assert.deepEqual(await Promise.all([...begun, ...waiting]), expected);
    faults.clear();
    const later = valueOf(store.get(at(6)));
    assert.deepEqual(reads.at(-1), [6]);
    await letGo();
    assert.equal(await later, 6);
  }
});

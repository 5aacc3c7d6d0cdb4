import assert from "node:assert/strict";
import { memoryStore } from "./memory_store.ts";
import type { Store, StoreEntry, StoreKey } from "./store.ts";

/** All rows below `rows`, page by page. */
async function all(store: Store): Promise<readonly StoreEntry[]> {
  const entries: StoreEntry[] = [];
  let after: StoreKey | undefined;
  for (;;) {
    const page = await store.list(["rows"], { after, limit: 1_000 });
    entries.push(...page);
    after = page.at(-1)?.key;
    if (page.length < 1_000) return entries;
  }
}

const numbersOf = (entries: readonly StoreEntry[]) => entries.map(({ key }) => key[1]);

Deno.test("memoryStore keeps thousands of rows in order, in whatever order they come and go", async () => {
  const store = memoryStore();
  const numbers = Array.from({ length: 3_000 }, (_, at) => at);
  // A prime that does not divide their count visits each of them once.
  for (const at of numbers) {
    const key = ["rows", at * 1_009 % numbers.length];
    const result = await store.commit({ checks: [{ key, version: null }], puts: [{ key, value: at }] });
    assert.equal(result.type, "ok");
  }
  assert.deepEqual(numbersOf(await all(store)), numbers);
  for (const at of numbers.filter((at) => at % 3 !== 0)) await store.commit({ deletes: [["rows", at]] });
  assert.deepEqual(numbersOf(await all(store)), numbers.filter((at) => at % 3 === 0));
  assert.equal((await store.get(["rows", 2_997]))?.key[1], 2_997);
  assert.equal(await store.get(["rows", 2_998]), undefined);
  for (const at of numbers) await store.commit({ deletes: [["rows", at]] });
  assert.deepEqual(await all(store), []);
  await store.commit({ puts: [{ key: ["rows", 1], value: "again" }] });
  assert.deepEqual((await all(store)).map(({ value }) => value), ["again"]);
});

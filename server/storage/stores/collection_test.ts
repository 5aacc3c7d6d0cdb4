import assert from "node:assert/strict";
import * as z from "zod";
import { Collection } from "./collection.ts";
import { memoryStore } from "./memory_store.ts";
import { StoreError } from "./store.ts";

const schema = z.object({ name: z.string(), count: z.int().default(0) });

function opened() {
  const store = memoryStore();
  return { store, things: new Collection({ store, name: "things", schema }) };
}

Deno.test("Collection creates a record once and reads it back with its defaults", async () => {
  const { things } = opened();
  assert.equal(await things.create(["a", 1], { name: "one" }), true);
  assert.equal(await things.create(["a", 1], { name: "two" }), false);
  const found = await things.get("a", 1);
  assert.deepEqual(found?.record, { name: "one", count: 0 });
  assert.deepEqual(found?.id, ["a", 1]);
  assert.equal(await things.get("a", 2), undefined);
});

Deno.test("Collection lists by the beginning of the id, in pages", async () => {
  const { things } = opened();
  for (const id of [["a", 1], ["a", 2], ["a", 3], ["b", 1]]) await things.create(id, { name: id.join() });
  const names = async (options: Parameters<typeof things.list>[0]) =>
    (await things.list(options)).map(({ record }) => record.name);
  assert.deepEqual(await names({}), ["a,1", "a,2", "a,3", "b,1"]);
  assert.deepEqual(await names({ within: ["a"], after: ["a", 1] }), ["a,2", "a,3"]);
  assert.deepEqual(await names({ within: ["a"], reverse: true, limit: 1 }), ["a,3"]);
});

Deno.test("Collection.update loses no change of many at once", async () => {
  const { things } = opened();
  await things.create(["a"], { name: "n" });
  const raise = () => things.update(["a"], (record) => ({ ...record, count: record.count + 1 }));
  await Promise.all(Array.from({ length: 10 }, raise));
  assert.equal((await things.get("a"))?.record.count, 10);
  assert.deepEqual(await things.update(["a"], () => undefined), { name: "n", count: 10 });
  assert.equal(await things.update(["absent"], (record) => record), undefined);
});

Deno.test("Collection deletes", async () => {
  const { things } = opened();
  await things.create(["a"], { name: "n" });
  assert.equal(await things.delete("a"), true);
  assert.equal(await things.delete("a"), false);
});

Deno.test("Collection refuses records that do not fit, in and out", async () => {
  const { store, things } = opened();
  const is = (kind: string) => (error: unknown) => error instanceof StoreError && error.kind === kind;
  await assert.rejects(things.create(["a"], { name: "n", count: 0.5 }), is("invalid"));
  await store.commit({ puts: [{ key: ["things", "a"], value: { name: 1 } }] });
  await assert.rejects(things.get("a"), is("corrupt"));
  await assert.rejects(things.list(), is("corrupt"));
});

/** The operations on tag rules: what is kept, what is refused, and what the audit log has of them. */

import assert from "node:assert/strict";
import { MOST_RULES } from "../../shared/observability/tag_rules.ts";
import { adminRig } from "../support/admin.ts";
import type { Json } from "../support/event_stream.ts";

const conditions = [{ field: "total_cost", operator: "gte", value: 0.05 }];
const body = { name: "Dear requests", tag: "dear", conditions };

Deno.test("a tag rule is made, listed, changed and deleted, and each change is in the audit log", async () => {
  const { call, home, store } = await adminRig();
  const { data } = await call("classifiers.create", { body });
  const { id, created_at, updated_at, ...rest } = data;
  assert.deepEqual(rest, { ...body, enabled: true, workspace_id: home });
  assert.equal(created_at, updated_at);
  const params = { id };
  assert.deepEqual(await call("classifiers.get", { params }), { data });
  assert.deepEqual(await call("classifiers.list"), { data: [data], total_count: 1 });
  const elsewhere = { query: { workspace_id: crypto.randomUUID() } };
  assert.deepEqual(await call("classifiers.list", elsewhere), { data: [], total_count: 0 });
  const changed = await call("classifiers.update", { params, body: { enabled: false, tag: "very-dear" } });
  assert.deepEqual([changed.data.enabled, changed.data.tag, changed.data.name], [
    false,
    "very-dear",
    body.name,
  ]);
  const same = await call("classifiers.update", { params, body: { tag: "very-dear" } });
  assert.deepEqual(same, changed);
  assert.deepEqual(await call("classifiers.delete", { params }), { deleted: true });
  await assert.rejects(call("classifiers.get", { params }), /There is no tag rule/);
  await assert.rejects(call("classifiers.get", { params: { id: "x" } }), /a UUID is needed/);
  assert.deepEqual(await store.list(["classifiers"]), []);
  const { data: rows } = await call("audit.list");
  const told = rows.filter(({ subject }) => subject.type === "classifier").map(({ operation }) => operation);
  assert.deepEqual(told, ["classifiers.delete", "classifiers.update", "classifiers.create"]);
});

const refusals: readonly (readonly [Json, RegExp])[] = [
  [{ tag: "With Space" }, /tag/],
  [{ tag: "a,b" }, /tag/],
  [{ tag: "" }, /tag/],
  [{ tag: "x".repeat(51) }, /tag/],
  [{ name: "" }, /name/],
  [{ conditions: [] }, /conditions/],
  [{ conditions: Array.from({ length: 11 }, () => conditions[0]) }, /conditions/],
  [{ conditions: [{ field: "input", operator: "equals", value: "x" }] }, /field/],
  [{ conditions: [{ field: "model", operator: "regex", value: "(a+)+$" }] }, /operator/],
  [{ conditions: [{ field: "model", operator: "equals", value: "x".repeat(501) }] }, /value/],
  [{ conditions: [{ field: "model", operator: "in", value: [] }] }, /value/],
  [{ conditions: [{ field: "model", operator: "gt", value: 1 }] }, /conditions\[0\] compares model/],
  [{ conditions: [{ field: "model", operator: "equals" }] }, /conditions\[0\] has no value/],
  [{ workspace_id: crypto.randomUUID() }, /there is no such workspace/],
  [{ more: 1 }, /more/],
];

Deno.test("a tag rule that could not hold is refused, and changes nothing", async () => {
  const { call } = await adminRig();
  const { data } = await call("classifiers.create", { body });
  for (const [more, says] of refusals) {
    await assert.rejects(
      call("classifiers.create", { body: { ...body, ...more } }),
      says,
      JSON.stringify(more),
    );
    const change = { params: { id: data.id }, body: more };
    await assert.rejects(call("classifiers.update", change), JSON.stringify(more));
  }
  assert.deepEqual((await call("classifiers.list")).data, [data]);
});

Deno.test("a workspace has so many rules at most, beside those of others", async () => {
  const { call, home } = await adminRig();
  const { data: { id: other } } = await call("workspaces.create", { body: { name: "B", slug: "b" } });
  const create = (workspace_id: string) => call("classifiers.create", { body: { ...body, workspace_id } });
  for (let count = 0; count < MOST_RULES; count++) await create(home);
  await assert.rejects(create(home), /has 50 already/);
  await create(other);
  assert.equal((await call("classifiers.list")).total_count, MOST_RULES + 1);
});

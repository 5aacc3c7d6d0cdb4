import assert from "node:assert/strict";
import { managementApi } from "../../../shared/management/api.ts";
import type { ManagementOperation } from "../../../shared/management/operation.ts";
import { auditedOperations } from "../../text/gateway/audit.ts";
import { changedFields, targetName } from "./audit.ts";

Deno.test("every operation that changes something has words in the audit log", () => {
  const rows: readonly (readonly [string, ManagementOperation])[] = Object.entries(managementApi);
  const changing = rows.filter(([, { method, reads }]) => method !== "GET" && reads !== true).map(([id]) =>
    id
  );
  assert.deepEqual([...auditedOperations.keys()].toSorted(), [...changing, "backup.get"].toSorted());
});

Deno.test("changedFields names fields that differ, of created and deleted records those that say something", () => {
  const cases = [
    [{ name: "a", limit: 1, updated_at: "x" }, { name: "a", limit: 2, updated_at: "y" }, ["limit"]],
    [null, { name: "a", limit: null, tags: [] }, ["name", "tags"]],
    [{ name: "a", limit: null }, null, ["name"]],
    [null, null, []],
    ["text", 3, []],
    [{ list: [1, 2] }, { list: [1, 2] }, []],
    [{ constructor: 1 }, {}, ["constructor"]],
    [{ config: { a: 1, b: 2 } }, { config: { a: 1, b: 3, c: 4 } }, ["config.b", "config.c"]],
    [null, { config: { a: 1, b: null } }, ["config.a"]],
    [{ config: "x" }, { config: { a: [1] } }, ["config", "config.a"]],
  ] as const;
  for (const [before, after, names] of cases) {
    assert.deepEqual(changedFields({ before, after }).map(({ name }) => name), names);
  }
});

Deno.test("targetName is the newest name of a record that has one", () => {
  const row = {
    id: "1",
    at: "",
    operation: "",
    actor: null,
    request_id: null,
    subject: { type: "key", id: "k" },
  };
  const cases = [
    [{ name: "old" }, { name: "new" }, "new"],
    [{ name: "old" }, null, "old"],
    [null, { filename: "a.csv" }, "a.csv"],
    [null, { name: 3 }, undefined],
    [null, null, undefined],
  ] as const;
  for (const [before, after, name] of cases) assert.equal(targetName({ ...row, before, after }), name);
});

import assert from "node:assert/strict";
import { ShownColumns } from "./shown_columns.ts";

Deno.test("ShownColumns remembers for each table what is hidden", () => {
  localStorage.clear();
  const columns = new ShownColumns("keys");
  assert.equal(columns.isShown("created"), true);
  columns.show("created", false);
  columns.show("left", false);
  columns.show("left", true);
  assert.deepEqual([columns.isShown("created"), columns.isShown("left")], [false, true]);
  assert.equal(new ShownColumns("keys").isShown("created"), false);
  assert.equal(new ShownColumns("files").isShown("created"), true);
  localStorage.clear();
});

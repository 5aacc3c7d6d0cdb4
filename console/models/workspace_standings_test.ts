import assert from "node:assert/strict";
import { tightestBudget } from "./workspace_standings.ts";

Deno.test("tightestBudget is the one of which the largest share is spent", () => {
  const daily = { interval: "daily", limit: 10, spent: 5 } as const;
  const monthly = { interval: "monthly", limit: 100, spent: 90 } as const;
  const closed = { interval: "weekly", limit: 0, spent: 0 } as const;
  assert.equal(tightestBudget([]), undefined);
  assert.equal(tightestBudget([daily]), daily);
  assert.equal(tightestBudget([daily, monthly]), monthly);
  assert.equal(tightestBudget([monthly, closed, daily]), closed);
});

import assert from "node:assert/strict";
import { budgetProblems, budgetSteps } from "./workspace_edit.ts";

const none = { daily: "", weekly: "", monthly: "", lifetime: "" };
const unset = { daily: null, weekly: null, monthly: null, lifetime: null };

Deno.test("budgets that do not rise strictly are said before anything is sent", () => {
  const cases = [
    [{ ...none, daily: "80", weekly: "400", monthly: "2000", lifetime: "1500" }, ["lifetime"]],
    [{ ...none, daily: "80", lifetime: "80" }, ["lifetime"]],
    [{ ...none, weekly: "0" }, ["weekly"]],
    [{ ...none, monthly: "many" }, ["monthly"]],
    [{ ...none, daily: "1", monthly: "2" }, []],
    [none, []],
  ] as const;
  for (const [budgets, expected] of cases) assert.deepEqual([...budgetProblems(budgets).keys()], expected);
});

Deno.test("budgets are changed in an order in which they rise strictly at every moment", () => {
  const intervals = ["daily", "weekly", "monthly", "lifetime"] as const;
  const amounts = [null, 1, 2, 3, 4, 5];
  const rises = (budgets: typeof unset | Record<typeof intervals[number], number | null>) => {
    const set = intervals.flatMap((interval) => budgets[interval] ?? []);
    return set.every((usd, at) => at === 0 || usd > (set[at - 1] ?? 0));
  };
  const all = amounts.flatMap((daily) =>
    amounts.flatMap((weekly) =>
      amounts.flatMap((monthly) => amounts.map((lifetime) => ({ daily, weekly, monthly, lifetime })))
    )
  ).filter(rises);
  for (const before of all) {
    for (const after of all) {
      const now = { ...before };
      for (const [interval, usd] of budgetSteps(before, after)) {
        now[interval] = usd;
        assert(rises(now), `${JSON.stringify(before)} → ${JSON.stringify(after)}: ${JSON.stringify(now)}`);
      }
      assert.deepEqual(now, after);
    }
  }
});

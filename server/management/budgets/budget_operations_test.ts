import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import { adminRig } from "../../../tests/support/admin.ts";
import { budgetLimitSource } from "./budget_limits.ts";

const params = { id: "default" };
const at = (interval: string) => ({ ...params, interval });

function refused(words: RegExp) {
  return (error: unknown) => error instanceof ApiError && words.test(error.message);
}

Deno.test("budgets are set, shown, changed and removed", async () => {
  const { call, clock } = await adminRig();
  const { data: daily } = await call("budgets.set", { params: at("daily"), body: { limit_usd: 1.5 } });
  const life = await call("budgets.set", {
    params: at("lifetime"),
    body: { limit_usd: 100, include_byok_in_budgets: true },
  });
  assert.equal(daily.reset_interval, "daily");
  assert.equal(life.data.reset_interval, null);
  assert.equal(life.include_byok_in_budgets, true);
  const list = await call("budgets.list", { params });
  assert.deepEqual(list, { data: [daily, life.data], include_byok_in_budgets: true });
  clock.leap(1_000);
  const { data: raised } = await call("budgets.set", { params: at("daily"), body: { limit_usd: 2 } });
  assert.deepEqual(raised, { ...daily, limit_usd: 2, updated_at: raised.updated_at });
  assert.notEqual(raised.updated_at, daily.updated_at);
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await call("budgets.delete", { params: at("daily") }), { deleted: true });
  }
  await assert.rejects(call("budgets.get", { params: at("daily") }), refused(/no daily budget/));
  await assert.rejects(call("budgets.get", { params: at("hourly") }), refused(/interval is "hourly"/));
  assert.equal((await call("budgets.get", { params: at("lifetime") })).data.id, life.data.id);
});

Deno.test("budgets.set holds the limits in their order and names the neighbour", async () => {
  const { call } = await adminRig();
  const set = (interval: string, limit_usd: number) =>
    call("budgets.set", { params: at(interval), body: { limit_usd } });
  await set("weekly", 10);
  await set("lifetime", 20);
  const wrong: readonly (readonly [string, number, RegExp])[] = [
    ["daily", 10, /less than the weekly budget, 10/],
    ["monthly", 10, /more than the weekly budget, 10/],
    ["monthly", 20, /less than the lifetime budget, 20/],
    ["lifetime", 10, /more than the weekly budget, 10/],
    ["weekly", 20, /less than the lifetime budget, 20/],
  ];
  for (const [interval, limit, words] of wrong) await assert.rejects(set(interval, limit), refused(words));
  await set("daily", 9.999999999);
  await set("monthly", 10.000000001);
});

Deno.test("budgets.set keeps the order also when several write at once", async () => {
  const { call } = await adminRig();
  const preferences = [["daily", 5], ["weekly", 4], ["monthly", 3], ["lifetime", 2]] as const;
  await Promise.allSettled(
    preferences.map(([interval, limit_usd]) =>
      call("budgets.set", { params: at(interval), body: { limit_usd } })
    ),
  );
  const { data } = await call("budgets.list", { params });
  const limits = data.map(({ limit_usd }) => limit_usd);
  assert.deepEqual(limits, limits.toSorted((a, b) => a - b));
});

Deno.test("budgetLimitSource gives the broadest first, in nano-USD", async () => {
  const { call, addKey, store, home } = await adminRig();
  const row = await addKey({});
  assert.deepEqual(await budgetLimitSource(store).limitsOf(row), []);
  await call("budgets.set", { params: at("daily"), body: { limit_usd: 0.000000001 } });
  await call("budgets.set", { params: at("monthly"), body: { limit_usd: 1_000_000_000 } });
  const limits = await budgetLimitSource(store).limitsOf(row);
  assert.deepEqual(limits.map(({ period, amount }) => [period, amount]), [
    ["monthly", 9_000_000_000_000_000],
    ["daily", 1],
  ]);
  assert.equal(limits[0]?.scope, `workspace:${home}`);
});

import assert from "node:assert/strict";
import { fakeClock } from "../../../tests/support/clock.ts";
import {
  type Changes,
  Groups,
  KEY_A,
  KEY_B,
  receiptWith,
  WORKSPACE,
} from "../../../tests/support/receipts.ts";
import {
  type AnalyticsQuery,
  analyticsQuerySchema,
  type AnalyticsResult,
} from "../../../shared/management/analytics.ts";
import { ApiError } from "../../../shared/errors.ts";
import { UsageCounters } from "../../billing/ledger/usage/usage_counters.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { runAnalyticsQuery } from "./analytics_query.ts";
import { analyticsMeta, dimensionNames, metricNames } from "./analytics_metrics.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Wednesday. */
const NOON = Date.UTC(2026, 0, 14, 12);

/** Other name of a model → its id. */
const otherNames = new Map([["author/model-4-8", "author/model-4.8"], ["old-name", "author/model-4.8"]]);

type Ask = (query: AnalyticsQuery) => Promise<AnalyticsResult>;

/** Answers over the receipts; it is noon. */
async function over(...receipts: readonly Changes[]): Promise<Ask> {
  const store = memoryStore();
  await new Groups(store, [new UsageCounters({ start: "run" })]).write(receipts.map(receiptWith));
  const clock = fakeClock(NOON);
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const runtime = { clock, log, id: () => "id", random: () => 0, randomToken: () => "token" };
  const ledger = {
    readSpend: () => Promise.reject(new Error("Nobody asks")),
    caughtUp: () => Promise.resolve(),
  };
  const modelId = (name: string) => otherNames.get(name) ?? name;
  return (query) => runAnalyticsQuery({ store, runtime, ledger, modelId }, analyticsQuerySchema.parse(query));
}

async function refusal(ask: Ask, query: AnalyticsQuery): Promise<ApiError> {
  try {
    await ask(query);
  } catch (error) {
    assert(error instanceof ApiError);
    assert.equal(error.status, 400);
    return error;
  }
  throw new Error("It was answered");
}

const mixed: readonly Changes[] = [
  { at: NOON - HOUR, model: "a/one", cost: 5_000_000_000, latency_ms: 100 },
  { at: NOON - HOUR, model: "a/one", cost: 1_000_000_000, status: "failed", latency_ms: null },
  { at: NOON - 30 * HOUR, model: "b/two", cost: 2_000_000_000, key_hash: KEY_B, latency_ms: 1_000 },
  { at: NOON - 40 * DAY, model: "b/two", cost: 7_000_000_000 },
];

Deno.test("runAnalyticsQuery adds up the last thirty days when no time is named", async () => {
  const ask = await over(...mixed);
  const { data, metadata } = await ask({ metrics: [...metricNames] });
  assert.equal(metadata.row_count, 1);
  assert.equal(metadata.truncated, false);
  const [row = {}] = data;
  assert.deepEqual(Object.keys(row), metricNames);
  assert.equal(row["request_count"], 3);
  assert.equal(row["total_usage"], 8);
  assert.equal(row["tokens_total"], 360);
  assert.equal(row["error_count"], 1);
  assert.equal(row["error_rate"], 1 / 3);
  assert.equal(row["cache_hit_rate"], 0.1);
  assert.equal(row["duration_avg"], 500);
  const { latency_p50: p50, latency_p99: p99 } = row;
  assert(typeof p50 === "number" && Math.abs(p50 / 100 - 1) < 0.1, String(p50));
  assert(typeof p99 === "number" && Math.abs(p99 / 1_000 - 1) < 0.1, String(p99));
});

Deno.test("runAnalyticsQuery groups by two dimensions, and by time", async () => {
  const ask = await over(...mixed);
  const { data } = await ask({
    metrics: ["request_count"],
    dimensions: ["model", "api_key_id"],
    granularity: "day",
  });
  assert.deepEqual(data, [
    { date: "2026-01-13T00:00:00.000Z", model: "b/two", api_key_id: KEY_B, request_count: 1 },
    { date: "2026-01-14T00:00:00.000Z", model: "a/one", api_key_id: KEY_A, request_count: 2 },
  ]);
});

Deno.test("runAnalyticsQuery cuts time into minutes, hours, weeks from Monday, and months", async () => {
  const ask = await over({ at: NOON - 61_000 }, { at: NOON - 1_000 }, { at: Date.UTC(2025, 11, 28, 23, 59) });
  const time_range = { start: "2025-12-01", end: "2026-01-15T00:00:00Z" };
  const dates = async (query: Partial<AnalyticsQuery>) => {
    const { data } = await ask({ metrics: ["request_count"], time_range, ...query });
    return data.map(({ date, request_count }) => [date, request_count]);
  };
  const recent = { start: "2026-01-14T11:00:00+00:00", end: "2026-01-14T12:00:00Z" };
  assert.deepEqual(await dates({ granularity: "minute", time_range: recent }), [
    ["2026-01-14T11:58:00.000Z", 1],
    ["2026-01-14T11:59:00.000Z", 1],
  ]);
  assert.deepEqual(await dates({ granularity: "hour", time_range: recent }), [[
    "2026-01-14T11:00:00.000Z",
    2,
  ]]);
  assert.deepEqual(await dates({ granularity: "week" }), [
    ["2025-12-22T00:00:00.000Z", 1],
    ["2026-01-12T00:00:00.000Z", 2],
  ]);
  assert.deepEqual(await dates({ granularity: "month" }), [
    ["2025-12-01T00:00:00.000Z", 1],
    ["2026-01-01T00:00:00.000Z", 2],
  ]);
});

Deno.test("runAnalyticsQuery takes minutes of the last day only", async () => {
  const ask = await over();
  const query: AnalyticsQuery = { metrics: ["request_count"], granularity: "minute" };
  const old = { start: "2026-01-13T11:59:00Z", end: "2026-01-14T12:00:00Z" };
  const { message } = await refusal(ask, { ...query, time_range: old });
  assert(message.includes("2026-01-13T12:00:00.000Z or later"), message);
  assert.deepEqual((await ask({ ...query, time_range: { ...old, start: "2026-01-13T12:00:00Z" } })).data, []);
});

Deno.test("runAnalyticsQuery names what it knows when it is asked for something else", async () => {
  const ask = await over();
  const metrics = ["request_count"];
  const cases: readonly (readonly [AnalyticsQuery, string, string])[] = [
    [{ metrics: ["request_count", "moons"] }, "metrics[1]", metricNames.join(", ")],
    [{ metrics, dimensions: ["user"] }, "dimensions[0]", dimensionNames.join(", ")],
    [{ metrics, filters: [{ field: "app", operator: "eq", value: "x" }] }, "filters[0].field", "model"],
    [{ metrics, filters: [{ field: "model", operator: "gt", value: "x" }] }, "filters[0].operator", "not_in"],
    [{ metrics, filters: [{ field: "model", operator: "in", value: "x" }] }, "filters[0].value", "a list"],
    [
      { metrics, filters: [{ field: "model", operator: "eq", value: ["x"] }] },
      "filters[0].value",
      "one value",
    ],
    [
      { metrics, filters: [{ field: "total_usage", operator: "gt", value: "x" }] },
      "filters[0].value",
      "numbers",
    ],
    [{ metrics, order_by: { field: "model", direction: "asc" } }, "order_by.field", "request_count"],
    [{ metrics, time_range: { start: "2026-01-02", end: "2026-01-01" } }, "time_range", "before"],
  ];
  for (const [query, path, words] of cases) {
    const { message, details } = await refusal(ask, query);
    assert.equal(details.metadata?.["path"], path);
    assert(message.includes(path) && message.includes(words), message);
  }
});

Deno.test("runAnalyticsQuery filters rows by dimensions and sums by metrics", async () => {
  const ask = await over(...mixed);
  const models = async (...filters: NonNullable<AnalyticsQuery["filters"]>) => {
    const { data } = await ask({ metrics: ["total_usage"], dimensions: ["model"], filters });
    return data.map(({ model }) => model);
  };
  assert.deepEqual(await models({ field: "model", operator: "eq", value: "b/two" }), ["b/two"]);
  assert.deepEqual(await models({ field: "model", operator: "not_in", value: ["b/two"] }), ["a/one"]);
  assert.deepEqual(await models({ field: "api_key_id", operator: "eq", value: KEY_B.toUpperCase() }), [
    "b/two",
  ]);
  assert.deepEqual(await models({ field: "api_key_id", operator: "neq", value: KEY_B }), ["a/one"]);
  assert.deepEqual(await models({ field: "workspace", operator: "in", value: [WORKSPACE] }), [
    "a/one",
    "b/two",
  ]);
  assert.deepEqual(await models({ field: "status", operator: "eq", value: "failed" }), ["a/one"]);
  assert.deepEqual(await models({ field: "total_usage", operator: "gt", value: 2 }), ["a/one"]);
  assert.deepEqual(await models({ field: "total_usage", operator: "lte", value: 2 }), ["b/two"]);
  const [one, other] = ["eq", "neq"].map((operator) => ({ field: "api_key_id", operator, value: KEY_A }));
  assert.deepEqual(
    await models(
      ...[one, other].map((filter) => analyticsQuerySchema.shape.filters.unwrap().element.parse(filter)),
    ),
    [],
  );
});

Deno.test("runAnalyticsQuery orders, and says what it leaves out", async () => {
  const ask = await over(
    ...Array.from({ length: 5 }, (_, at) => ({ at: NOON - HOUR, model: `m/${at}`, cost: (at + 1) * 1_000 })),
  );
  const query = { metrics: ["total_usage"], dimensions: ["model"] };
  const all = await ask(query);
  assert.deepEqual(all.data.map(({ model }) => model), ["m/4", "m/3", "m/2", "m/1", "m/0"]);
  const up = await ask({ ...query, order_by: { field: "model", direction: "asc" }, limit: 2 });
  assert.deepEqual(up.data.map(({ model }) => model), ["m/0", "m/1"]);
  assert.deepEqual([up.metadata.row_count, up.metadata.truncated], [2, true]);
  const top = await ask({ ...query, group_limit: 2, granularity: "hour" });
  assert.deepEqual(top.data.map(({ model }) => model), ["m/4", "m/3"]);
  assert.deepEqual(top.warnings, ["group_limit left out 3 groups."]);
});

Deno.test("runAnalyticsQuery says that it widened a range", async () => {
  const ask = await over({ at: NOON - HOUR });
  const time_range = { start: "2026-01-14T11:30:00Z", end: "2026-01-14T12:00:00Z" };
  const { data, warnings } = await ask({ metrics: ["request_count"], time_range });
  assert.deepEqual(data, [{ request_count: 1 }]);
  assert.deepEqual(warnings, ["The time range was widened to whole hours of UTC."]);
});

Deno.test("analyticsMeta lists all there is, and what can be added up", () => {
  assert.equal(analyticsMeta.metrics.find(({ name }) => name === "error_rate")?.is_rate, true);
  assert.equal(analyticsMeta.metrics.find(({ name }) => name === "total_usage")?.is_rate, false);
  assert.deepEqual(analyticsMeta.dimensions.map(({ name }) => name), dimensionNames);
  assert.equal(analyticsMeta.operators.find(({ name }) => name === "in")?.value_type, "array");
});

Deno.test("a model that was recorded in several spellings is one, and each of its names finds it", async () => {
  const ask = await over(
    { model: "author/model-4.8" },
    { model: "author/model-4-8" },
    { model: "author/model-4" },
  );
  const { data } = await ask({ metrics: ["request_count"], dimensions: ["model"] });
  assert.deepEqual(data, [
    { model: "author/model-4.8", request_count: 2 },
    { model: "author/model-4", request_count: 1 },
  ]);
  for (const value of ["author/model-4.8", "author/model-4-8", "old-name"]) {
    for (const filter of [{ operator: "eq" as const, value }, { operator: "in" as const, value: [value] }]) {
      const { data: found } = await ask({
        metrics: ["request_count"],
        filters: [{ field: "model", ...filter }],
      });
      assert.deepEqual(found, [{ request_count: 2 }], value);
    }
  }
});

import assert from "node:assert/strict";
import { comparisonOf } from "./comparison.ts";
import { monthForecast } from "./forecast.ts";
import { comparedSpans, periodOf } from "./period.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 27, 18, 30);

const query = (fields: Readonly<Record<string, string>>) => new Map(Object.entries(fields));

Deno.test("periodOf takes the range, and the span between two moments before it", () => {
  const cases = [
    [{}, "24h", "hour", 24, 23],
    [{ range: "7d" }, "7d", "day", 7, 6],
    [
      { range: "7d", since: "2026-11-01T00:00:00Z", until: "2026-11-04T00:00:00Z" },
      "custom",
      "day",
      3,
      undefined,
    ],
    [{ since: "2026-11-27T10:20:00Z", until: "2026-11-27T12:00:00Z" }, "custom", "hour", 2, undefined],
    [{ since: "2026-11-20T00:00:00Z" }, "custom", "day", 8, 7],
    [{ since: "2026-11-04T00:00:00Z", until: "2026-11-01T00:00:00Z" }, "24h", "hour", 24, 23],
    [{ since: "1990-01-01T00:00:00Z", until: "2026-11-01T00:00:00Z" }, "24h", "hour", 24, 23],
    [{ since: "nonsense" }, "24h", "hour", 24, 23],
  ] as const;
  for (const [fields, id, granularity, count, running] of cases) {
    const period = periodOf(query(fields), NOW);
    const told = [period.id, period.granularity, period.buckets.length, period.running];
    assert.deepEqual(told, [id, granularity, count, running], JSON.stringify(fields));
  }
});

Deno.test("only what is over is compared, with as much before the period", () => {
  const period = periodOf(query({ range: "7d" }), NOW);
  const today = Date.UTC(2026, 10, 27);
  assert.deepEqual(comparedSpans(period), {
    now: { from: today - 6 * DAY, to: today },
    before: { from: today - 13 * DAY, to: today - 7 * DAY },
  });
  const row = (at: number, usd: number) => ({
    date: new Date(at).toISOString(),
    total_usage: usd,
    request_count: 1,
    tokens_prompt: 2,
    tokens_completion: 3,
  });
  const rows = [row(today, 100), row(today - DAY, 3), row(today - 6 * DAY, 4), row(today - 8 * DAY, 5)];
  assert.deepEqual(comparisonOf([...rows, row(today - 7 * DAY, 50)], period), {
    now: { usd: 7, requests: 2, tokens: 10 },
    before: { usd: 5, requests: 1, tokens: 5 },
  });
});

Deno.test("monthForecast adds the average of the last days for what is left of the month", () => {
  const left = (Date.UTC(2026, 11) - NOW) / DAY;
  assert.equal(monthForecast({ spent: 100, recent: 70, days: 7 }, NOW), 100 + 10 * left);
  assert.equal(monthForecast({ spent: 0, recent: 0, days: 7 }, NOW), 0);
  assert.equal(monthForecast({ spent: 5, recent: 0, days: 0 }, NOW), undefined);
});

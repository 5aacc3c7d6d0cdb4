import assert from "node:assert/strict";
import { toNanoUsd } from "../../../shared/money.ts";
import { forecastLimit, type LimitForecastInput } from "./limit_forecast.ts";

const DAY = 86_400_000;
/** Noon of a Wednesday. */
const NOW = Date.UTC(2026, 0, 14, 12);
const TODAY = NOW - NOW % DAY;
const USD = 1_000_000_000;

/** A key that is old, and spent one USD on each of the last seven days, today included. */
const steady: LimitForecastInput = {
  now: NOW,
  keyMadeAt: NOW - 100 * DAY,
  spentByDay: new Map(Array.from({ length: 20 }, (_, ago) => [TODAY - ago * DAY, USD])),
  remaining: toNanoUsd(13 * USD),
  resetsAt: undefined,
};

Deno.test("forecastLimit divides what is left by the average of the last seven days", () => {
  const { usd_per_day, days, reaches_limit_at, explanation } = forecastLimit(steady);
  assert.equal(days, 6.5);
  assert.equal(usd_per_day, 1.076923077);
  // 13 USD at 7 USD in 6.5 days.
  const expected = NOW + 13 * 6.5 / 7 * DAY;
  assert(Math.abs(Date.parse(reaches_limit_at ?? "") - expected) < 2_000);
  assert(explanation.includes("the last 7 days"), explanation);
});

Deno.test("forecastLimit says when the limit resets before it is reached", () => {
  const soon = forecastLimit({ ...steady, resetsAt: NOW + 5 * DAY });
  assert.equal(soon.reaches_limit_at, null);
  assert(soon.explanation.includes("resets at 2026-01-19"), soon.explanation);
  assert.notEqual(forecastLimit({ ...steady, resetsAt: NOW + 20 * DAY }).reaches_limit_at, null);
});

Deno.test("forecastLimit looks back no further than there was a key, and a day at least", () => {
  const young = { ...steady, spentByDay: new Map([[TODAY, USD]]) };
  assert.equal(forecastLimit({ ...young, keyMadeAt: NOW - 2 * DAY }).usd_per_day, 0.5);
  assert.equal(forecastLimit({ ...young, keyMadeAt: NOW - 60_000 }).usd_per_day, 1);
});

Deno.test("forecastLimit says nothing of the future before a key is a day old", () => {
  const young = { ...steady, spentByDay: new Map([[TODAY, USD]]), keyMadeAt: NOW - DAY + 1_000 };
  for (const remaining of [steady.remaining, null, toNanoUsd(1)]) {
    const { reaches_limit_at, explanation } = forecastLimit({ ...young, remaining });
    assert.equal(reaches_limit_at, null);
    assert.equal(explanation, "There is a forecast once the key is 24 hours old.");
  }
  assert.notEqual(forecastLimit({ ...young, keyMadeAt: NOW - DAY }).reaches_limit_at, null);
  const spent = forecastLimit({ ...young, remaining: toNanoUsd(0) });
  assert.equal(spent.explanation, "The limit is reached.");
});

Deno.test("forecastLimit writes its estimates with two digits", () => {
  const said = (input: Partial<LimitForecastInput>) => forecastLimit({ ...steady, ...input }).explanation;
  assert.equal(
    said({}),
    "On average over the last 7 days, 1.1 USD a day were spent: at that rate the limit is reached in about 12 days.",
  );
  assert.match(said({ remaining: toNanoUsd(USD) }), /in about 22 hours\.$/);
  assert.match(said({ remaining: toNanoUsd(USD / 20) }), /in about 1\.1 hours\.$/);
  assert.match(said({ remaining: toNanoUsd(USD / 1_000) }), /in about 1 hour\.$/);
  assert.match(said({ remaining: toNanoUsd(1_234 * USD) }), /in about 1100 days\.$/);
});

Deno.test("forecastLimit has nothing to reach without a limit, without spend, and at the limit", () => {
  assert.equal(forecastLimit({ ...steady, remaining: null }).reaches_limit_at, null);
  assert.equal(forecastLimit({ ...steady, spentByDay: new Map() }).reaches_limit_at, null);
  const reached = forecastLimit({ ...steady, remaining: toNanoUsd(0), resetsAt: NOW + DAY });
  assert.equal(reached.reaches_limit_at, new Date(NOW).toISOString());
  assert(reached.explanation.includes("until 2026-01-15"), reached.explanation);
  const far = { ...steady, spentByDay: new Map([[TODAY, 1]]), remaining: toNanoUsd(9e15) };
  assert.equal(forecastLimit(far).reaches_limit_at, null);
});

Deno.test("forecastLimit says that nothing was spent in words, with and without a limit", () => {
  const idle = { ...steady, spentByDay: new Map<number, number>() };
  const without = forecastLimit({ ...idle, remaining: null }).explanation;
  assert.equal(without, "Nothing was spent in the last 7 days, and there is no limit to reach.");
  const within = forecastLimit(idle).explanation;
  assert.equal(within, "Nothing was spent in the last 7 days, so that the limit is not being approached.");
});

import assert from "node:assert/strict";
import { bucketEndsAt, bucketNamesAt } from "./bucket_names.ts";

const at = (text: string) => Date.parse(text);

Deno.test("bucketNamesAt names the day, the ISO week, the month and the lifetime", () => {
  assert.deepEqual(bucketNamesAt(at("2026-11-21T12:00:00Z")), {
    daily: "d2026-11-21",
    weekly: "w2026-W47",
    monthly: "m2026-11",
    lifetime: "lifetime",
  });
});

// Years of 53 weeks, weeks that belong to the year before or after, leap days.
const rows: readonly (readonly [string, string, string, string])[] = [
  ["2026-11-21T23:59:59.999Z", "d2026-11-21", "w2026-W47", "m2026-11"],
  ["2026-11-22T00:00:00.000Z", "d2026-11-22", "w2026-W47", "m2026-11"],
  ["2026-11-22T23:59:59.999Z", "d2026-11-22", "w2026-W47", "m2026-11"],
  ["2026-11-23T00:00:00.000Z", "d2026-11-23", "w2026-W48", "m2026-11"],
  ["2026-11-30T23:59:59.999Z", "d2026-11-30", "w2026-W49", "m2026-11"],
  ["2026-12-01T00:00:00.000Z", "d2026-12-01", "w2026-W49", "m2026-12"],
  ["2026-12-31T23:59:59.999Z", "d2026-12-31", "w2026-W53", "m2026-12"],
  ["2027-01-01T00:00:00.000Z", "d2027-01-01", "w2026-W53", "m2027-01"],
  ["2027-01-03T23:59:59.999Z", "d2027-01-03", "w2026-W53", "m2027-01"],
  ["2027-01-04T00:00:00.000Z", "d2027-01-04", "w2027-W01", "m2027-01"],
  ["2024-12-29T23:59:59.999Z", "d2024-12-29", "w2024-W52", "m2024-12"],
  ["2024-12-30T00:00:00.000Z", "d2024-12-30", "w2025-W01", "m2024-12"],
  ["2021-01-01T00:00:00.000Z", "d2021-01-01", "w2020-W53", "m2021-01"],
  ["2023-01-01T12:00:00.000Z", "d2023-01-01", "w2022-W52", "m2023-01"],
  ["2028-02-28T23:59:59.999Z", "d2028-02-28", "w2028-W09", "m2028-02"],
  ["2028-02-29T00:00:00.000Z", "d2028-02-29", "w2028-W09", "m2028-02"],
  ["2028-03-01T00:00:00.000Z", "d2028-03-01", "w2028-W09", "m2028-03"],
  ["1970-01-01T00:00:00.000Z", "d1970-01-01", "w1970-W01", "m1970-01"],
  ["1969-12-31T23:59:59.999Z", "d1969-12-31", "w1970-W01", "m1969-12"],
];

Deno.test("bucketNamesAt changes its names where the calendar does", () => {
  for (const [moment, daily, weekly, monthly] of rows) {
    assert.deepEqual(bucketNamesAt(at(moment)), { daily, weekly, monthly, lifetime: "lifetime" }, moment);
  }
});

Deno.test("bucketNamesAt names 53 weeks in every year that has them, and 52 in all others", () => {
  const long = new Set([2004, 2009, 2015, 2020, 2026, 2032, 2037, 2043, 2048]);
  for (let year = 2000; year <= 2050; year++) {
    // The 28th of December always lies in the last week of its year.
    const { weekly } = bucketNamesAt(Date.UTC(year, 11, 28, 12));
    assert.equal(weekly, `w${year}-W${long.has(year) ? 53 : 52}`);
  }
});

Deno.test("bucketNamesAt gives names that sort as time does", () => {
  let before = bucketNamesAt(Date.UTC(2019, 11, 20));
  for (let day = 1; day < 3_000; day++) {
    const now = bucketNamesAt(Date.UTC(2019, 11, 20) + day * 86_400_000);
    assert.ok(now.daily > before.daily && now.weekly >= before.weekly && now.monthly >= before.monthly);
    before = now;
  }
});

Deno.test("bucketEndsAt is the first moment with another name", () => {
  for (let hour = 0; hour < 24 * 800; hour += 5) {
    const moment = Date.UTC(2027, 10, 1) + hour * 3_600_000;
    for (const period of ["daily", "weekly", "monthly"] as const) {
      const end = bucketEndsAt(period, moment);
      assert.ok(end !== undefined && end > moment);
      assert.equal(bucketNamesAt(end - 1)[period], bucketNamesAt(moment)[period]);
      assert.notEqual(bucketNamesAt(end)[period], bucketNamesAt(moment)[period]);
    }
  }
  assert.equal(bucketEndsAt("lifetime", Date.UTC(2027, 0, 1)), undefined);
});

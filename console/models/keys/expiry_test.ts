import assert from "node:assert/strict";
import { expiryDraft, expiryMoment, expiryOf, expiryProblem, noExpiry } from "./expiry.ts";

const NOW = Date.UTC(2026, 10, 2);
const DAY_MS = 86_400_000;

Deno.test("expiryOf counts spans from now, and takes a day with its time", () => {
  const dated = { ...noExpiry, expires: "date" as const, expiryDate: "2026-12-24", expiryTime: "18:30" };
  const cases = [
    [noExpiry, undefined],
    [{ ...noExpiry, expires: "7" as const }, NOW + 7 * DAY_MS],
    [dated, Date.UTC(2026, 11, 24, 18, 30)],
    [{ ...dated, expiryTime: "" }, undefined],
  ] as const;
  for (const [draft, at] of cases) assert.equal(expiryOf(draft, NOW), at);
});

Deno.test("expiryProblem names what is missing and what is past", () => {
  const dated = { ...noExpiry, expires: "date" as const };
  assert.equal(expiryProblem(noExpiry, NOW), undefined);
  assert.match(expiryProblem(dated, NOW) ?? "", /^Choose a date/);
  assert.match(expiryProblem({ ...dated, expiryDate: "2026-02-3" }, NOW) ?? "", /^Choose a date/);
  assert.match(expiryProblem({ ...dated, expiryDate: "2026-11-01" }, NOW) ?? "", /is past/);
  assert.equal(expiryProblem({ ...dated, expiryDate: "2026-11-03" }, NOW), undefined);
});

Deno.test("expiryDraft shows a moment so that it stays the same", () => {
  assert.deepEqual(expiryDraft(null), noExpiry);
  for (const at of ["2030-12-31T23:59:00.000Z", "2030-12-31T23:59:59.000Z", "2030-01-01T00:00:00.250Z"]) {
    assert.equal(expiryMoment(expiryDraft(at)), Date.parse(at), at);
  }
});

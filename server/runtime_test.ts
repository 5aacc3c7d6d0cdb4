import assert from "node:assert/strict";
import { createIds } from "./runtime.ts";

/** Milliseconds that the clock says, one after the other. */
const sequences: Readonly<Record<string, readonly number[]>> = {
  "a millisecond of many ids": Array.from({ length: 10_000 }, () => 1_000),
  "time that passes": Array.from({ length: 1_000 }, (_, at) => 1_000 + Math.floor(at / 3)),
  "a clock that is put back a little": [5_000, 5_001, 4_500, 4_501, 5_001, 5_002],
};

for (const [name, times] of Object.entries(sequences)) {
  Deno.test(`each id is greater than the one before: ${name}`, () => {
    let at = 0;
    const next = createIds(() => times[at++] ?? 0);
    const ids = times.map(() => next());
    assert.deepEqual(ids, [...new Set(ids)].sort());
    for (const id of ids) assert.match(id, /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  });
}

Deno.test("ids follow a clock that is put back by more than a second", () => {
  const times = [100_000, 20_000];
  const next = createIds(() => times.shift() ?? 0);
  const timeOf = (id: string) => Number.parseInt(id.slice(0, 12), 16);
  assert.deepEqual([timeOf(next()), timeOf(next())], [100_000, 20_000]);
});

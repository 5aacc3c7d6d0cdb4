import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { retryOnConflict, WRITE_CONFLICT } from "./write.ts";

Deno.test("retried tries again after pauses that grow and differ, and gives up in the end", async () => {
  const clock = memoryClock();
  const at: number[] = [];
  const draws = [0.5, 1, 0.25];
  const runtime = { clock, random: () => draws.shift() ?? 1 };
  const attempt = () => {
    at.push(clock.now());
    return Promise.resolve(at.length < 6 ? WRITE_CONFLICT : "done");
  };
  const done = retryOnConflict(runtime, attempt);
  for (let ms = 0; ms < 200; ms++) await clock.advance(1);
  assert.equal(await done, "done");
  const pauses = at.slice(1).map((time, tries) => time - (at[tries] ?? 0));
  // The first repetition comes at once; the others within 10, 20, 40 and 80 ms.
  assert.deepEqual(pauses, [0, 5, 20, 10, 80]);
  const input = assert.rejects(
    retryOnConflict(runtime, () => Promise.resolve(WRITE_CONFLICT)),
    /Too many concurrent changes/,
  );
  for (let round = 0; round < 60; round++) await clock.advance(250);
  await input;
  assert.equal(clock.open, 0);
});

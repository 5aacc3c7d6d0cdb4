import assert from "node:assert/strict";
import { realClock } from "./world.ts";

Deno.test("realClock runs deadlines in time and not before, and forgets those that are cancelled", async () => {
  const clock = realClock();
  const started = clock.monotonic();
  const cancelled = clock.after(50, () => assert.fail("it was cancelled"));
  cancelled();
  const ranAfter = await new Promise<number>((resolve) => {
    clock.after(120, () => resolve(clock.monotonic() - started));
  });
  assert.ok(ranAfter >= 120, `it ran after ${ranAfter} ms`);
  // The shared timer ends by itself on the tick after the last deadline.
  await new Promise((resolve) => setTimeout(resolve, 120));
});

Deno.test("realClock counts anew after a pause without deadlines", async () => {
  const clock = realClock();
  await new Promise<void>((resolve) => clock.after(1, resolve));
  await new Promise((resolve) => setTimeout(resolve, 250));
  const started = clock.monotonic();
  await new Promise<void>((resolve) => clock.after(100, resolve));
  assert.ok(clock.monotonic() - started >= 100);
  await new Promise((resolve) => setTimeout(resolve, 120));
});

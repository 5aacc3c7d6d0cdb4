import assert from "node:assert/strict";
import fc from "fast-check";
import { assertProperty } from "./property.ts";
import { seed } from "./seed.ts";

Deno.test("assertProperty ends the search for a smaller counterexample, and names the seed", async (t) => {
  /** Every value is followed by a thousand others, each of which fails as well. */
  const many = fc.array(fc.integer(), { minLength: 1_000, maxLength: 1_000 });
  await t.step("of a property that answers at once", () => {
    let calls = 0;
    const property = fc.property(many, () => {
      calls++;
      throw new Error("never");
    });
    assert.throws(() => assertProperty(property), new RegExp(`seed: ${seed}`));
    assert(calls <= 502, `${calls} calls`);
  });
  await t.step("of a property that waits", async () => {
    let calls = 0;
    const property = fc.asyncProperty(many, async () => {
      calls++;
      await Promise.resolve();
      throw new Error("never");
    });
    await assert.rejects(assertProperty(property), new RegExp(`seed: ${seed}`));
    assert(calls <= 502, `${calls} calls`);
  });
});

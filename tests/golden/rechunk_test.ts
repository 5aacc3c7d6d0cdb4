import assert from "node:assert/strict";
import fc from "fast-check";
import { storiesOf } from "./files.ts";
import { renderStory } from "./render_story.ts";
import { wires } from "./wires.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const numRuns = runs(15);

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 2000 })), {
  minLength: 1,
  maxLength: 40,
});

for (const [name, wire] of Object.entries(wires)) {
  Deno.test(`golden ${name}: any pieces give the same answer (U10, SEED=${seed})`, async (t) => {
    for (const [title, story] of storiesOf(name)) {
      if (story.upstream.kind !== "sse") continue;
      await t.step(title, async () => {
        const whole = await renderStory(story, wire, { sizes: [Infinity] });
        const same = fc.asyncProperty(sizes, async (chunks) => {
          assert.deepEqual(await renderStory(story, wire, { sizes: chunks }), whole);
        });
        await assertProperty(same, { numRuns });
      });
    }
  });
}

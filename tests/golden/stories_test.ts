import assert from "node:assert/strict";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import { readStory, storiesOf, writeStory } from "./files.ts";
import { renderStory } from "./render_story.ts";
import { formatStory } from "./story.ts";
import { scenarios, wires } from "./wires.ts";

const update = Deno.env.get("UPDATE") === "1";

/** Uneven chunks of the provider's bytes; each must give the same answer as all bytes at once. */
const chunkings: readonly (readonly number[])[] = [[1], [7], [64], [3], [512], [1, 7, 64, 3, 512]];
const AT_ONCE = [Infinity];

/** Events as the response cache gives them again. */
function throughJson(events: readonly ModelEvent[]): readonly ModelEvent[] {
  return events.map((event): ModelEvent => JSON.parse(JSON.stringify(event)));
}

for (const [name, wire] of Object.entries(wires)) {
  const stories = storiesOf(name);

  Deno.test(`golden ${name}: every scenario has its story`, () => {
    const holes = scenarios.filter((scenario) => !stories.has(scenario));
    assert.deepEqual(holes.map((hole) => `tests/golden/${name}/${hole}.txt`), [], "a hole in the table");
  });

  for (const [title, story] of stories) {
    Deno.test(`golden ${name}: ${title}`, async () => {
      const rendered = await renderStory(story, wire, { sizes: AT_ONCE });
      for (const sizes of chunkings) {
        assert.deepEqual(await renderStory(story, wire, { sizes }), rendered, `in pieces of ${sizes}`);
      }
      const again = await renderStory(story, wire, { sizes: AT_ONCE, pass: throughJson });
      assert.deepEqual(again, rendered, "from the response cache");
      const text = formatStory(story, rendered);
      if (update) writeStory(story.path, text);
      assert.equal(readStory(story.path), text, "run with UPDATE=1 and look at the difference");
    });
  }
}

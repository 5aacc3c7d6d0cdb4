import assert from "node:assert/strict";
import { implicitCharges } from "./implicit_charges.ts";

const none = { searches: 0, sources: 0, answers: 1, promptRereads: 0 };

Deno.test("implicitCharges reckons with nothing where nothing is asked for", () => {
  for (
    const body of [{}, { search_parameters: { mode: "off" } }, { n: 0 }, { n: "many" }, {
      search_parameters: 1,
    }]
  ) {
    assert.deepEqual(implicitCharges(body, "gpt-5"), none, JSON.stringify(body));
  }
  assert.deepEqual(implicitCharges({ disable_search: true }, "sonar-pro"), none);
});

Deno.test("implicitCharges reckons with searches that a key, or the model's name, stands for", () => {
  assert.equal(implicitCharges({ web_search_options: {} }, "gpt-5").searches, 5);
  assert.equal(implicitCharges({}, "perplexity/sonar").searches, 5);
  assert.deepEqual(implicitCharges({}, "sonar-deep-research"), { ...none, searches: 5, sources: 64 });
  assert.deepEqual(implicitCharges({ search_parameters: { mode: "auto" } }, "grok-4"), {
    ...none,
    searches: 5,
    sources: 20,
  });
  assert.equal(implicitCharges({ search_parameters: { max_search_results: 3 } }, "grok-4").sources, 3);
  assert.equal(
    implicitCharges({ search_parameters: { max_search_results: 1e300 } }, "grok-4").sources,
    1_000,
  );
});

Deno.test("implicitCharges reckons with several answers, and with a conversation that is condensed first", () => {
  assert.equal(implicitCharges({ n: 4 }, "m").answers, 4);
  assert.equal(implicitCharges({ n: 2, best_of: 8 }, "m").answers, 8);
  const context_management = { edits: [{ type: "compact_20260112" }] };
  assert.deepEqual(implicitCharges({ context_management }, "claude"), {
    ...none,
    answers: 2,
    promptRereads: 1,
  });
});

import assert from "node:assert/strict";
import type { ConsoleApi } from "../../api.ts";
import { filterName } from "./guardrail_receipts.ts";
import { type FilterMatch, GuardrailTrialModel, segmentsOf } from "./guardrail_trial.ts";

const match = (start: number, end: number): FilterMatch => ({
  start,
  end,
  action: "redacted",
  slug: "email",
});

const shown = (text: string, matches: readonly FilterMatch[]) =>
  segmentsOf(text, matches).map((segment) => [segment.text, segment.matches.length, segment.ending.length]);

Deno.test("segmentsOf cuts a text where matches begin and end", () => {
  assert.deepEqual(shown("", []), []);
  assert.deepEqual(shown("abc", []), [["abc", 0, 0]]);
  assert.deepEqual(shown("to ada", [match(3, 6)]), [["to ", 0, 0], ["ada", 1, 1]]);
  assert.deepEqual(shown("abcdef", [match(1, 4), match(0, 2)]), [
    ["a", 1, 0],
    ["b", 2, 1],
    ["cd", 1, 1],
    ["ef", 0, 0],
  ]);
  assert.deepEqual(shown("ab", [match(0, 1), match(1, 2)]), [["a", 1, 1], ["b", 1, 1]]);
});

Deno.test("segmentsOf keeps the whole text whatever the places are", () => {
  const matches = [match(2, 900), match(5, 5), match(4, 3), match(0, 1)];
  const text = "🙂 to somebody";
  assert.equal(segmentsOf(text, matches).map((segment) => segment.text).join(""), text);
});

Deno.test("filterName is the label, else the name of the built-in filter", () => {
  assert.equal(filterName({ slug: "credit-card" }), "credit card");
  assert.equal(filterName({ slug: "email", label: "[mail]" }), "[mail]");
  assert.equal(filterName({ label: "INV-\\d+" }), "INV-\\d+");
  assert.equal(filterName({}), "pattern");
});

/** As much of the API as the model calls. */
function asApi(fake: unknown): Pick<ConsoleApi, "call"> {
  return fake as Pick<ConsoleApi, "call">;
}

Deno.test("a trial keeps the text that the places of its matches are in", async () => {
  const data = { action: null, places: [], scanned_bytes: 3, unscanned_parts: 0, external: null };
  const bodies: unknown[] = [];
  const call = (_: unknown, { body }: { readonly body: unknown }) => {
    bodies.push(body);
    return Promise.resolve({ data });
  };
  const model = new GuardrailTrialModel({ api: asApi({ call }), id: "1" });
  await model.run();
  assert.deepEqual(bodies, []);
  model.text.value = "ada";
  model.direction.value = "output";
  await model.run();
  model.text.value = "else";
  assert.deepEqual(bodies, [{ text: "ada", direction: "output" }]);
  assert.deepEqual(model.tested.value, { text: "ada", result: data });
});

Deno.test("a trial that is refused shows no result of an earlier one", async () => {
  const model = new GuardrailTrialModel({
    api: asApi({ call: () => Promise.reject(new Error("refused")) }),
    id: "1",
  });
  model.tested.value = {
    text: "a",
    result: { action: null, places: [], scanned_bytes: 1, unscanned_parts: 0, external: null },
  };
  model.text.value = "a";
  await model.run();
  assert.equal(model.tested.value, undefined);
  assert.equal(model.refusal.value?.message, "refused");
});

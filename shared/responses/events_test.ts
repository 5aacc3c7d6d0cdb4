import assert from "node:assert/strict";
import { validate } from "../validation/validate.ts";
import { streamEvent } from "./events.ts";
import { responseResult } from "./result.ts";

/** The fewest keys that strict clients accept, with the defaults of specification, Clients. */
const smallest = {
  id: "resp_1",
  object: "response",
  created_at: 1_750_000_000,
  completed_at: null,
  status: "in_progress",
  model: "vendor/model",
  output: [],
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: null,
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  top_logprobs: 0,
  tool_choice: "auto",
  tools: [],
  text: { format: { type: "text" } },
  reasoning: { effort: null, summary: null },
  truncation: "disabled",
  service_tier: "default",
  usage: null,
  background: false,
  store: false,
  previous_response_id: null,
  max_output_tokens: null,
  max_tool_calls: null,
  user: null,
  safety_identifier: null,
  prompt_cache_key: null,
};

const complaints = (value: unknown) => {
  const checked = validate(streamEvent, value);
  return checked.ok ? [] : checked.faults.map(({ message }) => message);
};

/** The types of the union. */
const types = streamEvent.options.flatMap(({ _zod }) => [..._zod.propValues?.type ?? []]);

Deno.test("streamEvent knows the 49 types", () => {
  assert.equal(types.length, 49);
  assert.equal(new Set(types).size, 49);
  assert.deepEqual(complaints({ type: "response.done", sequence_number: 0 }).length, 1);
});

const place = { sequence_number: 4, item_id: "msg_1", output_index: 0 };
const part = { type: "output_text", text: "", annotations: [] };

Deno.test("streamEvent takes what clients need and nothing less", () => {
  const fine = [
    { type: "response.created", sequence_number: 0, response: smallest },
    {
      type: "response.output_item.added",
      sequence_number: 2,
      output_index: 0,
      item: { type: "shell_call", id: "s", call_id: "c", status: "in_progress" },
    },
    { type: "response.content_part.added", ...place, content_index: 0, part },
    { type: "response.output_text.delta", ...place, content_index: 0, delta: "a", logprobs: [] },
    { type: "response.function_call_arguments.done", ...place, name: "f", arguments: "{}" },
    { type: "response.reasoning_summary_text.delta", ...place, summary_index: 0, delta: "a" },
    { type: "error", sequence_number: 9, code: null, message: "m", param: null },
  ];
  for (const event of fine) assert.deepEqual(complaints(event), []);
  const lacking = [
    [{ type: "response.output_text.delta", ...place, content_index: 0, delta: "a" }, "logprobs is missing"],
    [{ type: "response.function_call_arguments.done", ...place, arguments: "{}" }, "name is missing"],
    [{
      type: "response.content_part.added",
      ...place,
      content_index: 0,
      part: { type: "output_text", text: "" },
    }, "part.annotations is missing"],
    [
      { type: "response.in_progress", sequence_number: 1, response: { ...smallest, tools: null } },
      "response.tools is null",
    ],
  ] as const;
  for (const [event, received] of lacking) {
    assert(complaints(event)[0]?.startsWith(received), complaints(event)[0]);
  }
});

Deno.test("responseResult misses no key of the superset", () => {
  assert(responseResult.safeParse(smallest).success);
  for (const key of Object.keys(smallest)) {
    const without = Object.fromEntries(Object.entries(smallest).filter(([name]) => name !== key));
    assert(!responseResult.safeParse(without).success, key);
  }
});

const stories = new URL("../../tests/golden/", import.meta.url);

/** Everything the golden stories say to the client: events of streams, and whole answers. */
function* storyAnswers(): Generator<readonly [story: string, value: unknown]> {
  for (const wire of ["chat", "responses"]) {
    for (const { name } of Deno.readDirSync(new URL(wire, stories))) {
      const story = Deno.readTextFileSync(new URL(`${wire}/${name}`, stories));
      const answer = story.split("=== our answer\n")[1]?.split("\n=== ")[0] ?? "";
      for (const [, event = ""] of answer.matchAll(/^data: (\{.*)$/gm)) yield [name, JSON.parse(event)];
    }
  }
}

/** Kinds of a provider's own pass through the gateway. */
const passedThrough = /type is "/;

Deno.test("streamEvent takes every event of the golden stories", () => {
  let events = 0;
  for (const [story, event] of storyAnswers()) {
    events++;
    const faults = complaints(event).filter((message) => !passedThrough.test(message));
    assert.deepEqual(faults, [], `${story}: ${JSON.stringify(event).slice(0, 300)}`);
  }
  assert(events > 100);
});

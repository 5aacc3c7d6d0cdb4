import assert from "node:assert/strict";
import OpenAI from "openai";
import { type Json, type Rig, withLocal } from "./rig.ts";

const tool = {
  type: "function",
  name: "lookup",
  parameters: { type: "object", properties: { word: { type: "string" } } },
};
const custom = { type: "custom", name: "note" };

/** Requests that between them make every kind of item. */
const bodies: Readonly<Record<string, Json>> = {
  text: { input: "Hello there, how are you?" },
  empty: {},
  cut: { input: "Hello there, how are you?", max_output_tokens: 4 },
  call: { input: "lookup and note", tools: [tool, custom] },
  "cut call": { input: "lookup and note", tools: [tool, custom], max_output_tokens: 5 },
  reasoning: {
    input: "Think",
    reasoning: { effort: "high", summary: "auto" },
    include: ["reasoning.encrypted_content"],
  },
  "quiet reasoning": { input: "Think", reasoning: { effort: "minimal" } },
  refusal: { input: "please refuse" },
  logprobs: { input: "hi", top_logprobs: 2 },
  json: {
    input: "hi",
    text: { format: { type: "json_schema", name: "j", schema: { type: "object", required: ["a"] } } },
  },
};

function each(name: string, run: (rig: Rig, body: Json) => Promise<void>): void {
  Deno.test(name, () =>
    withLocal(async (rig) => {
      for (const body of Object.values(bodies)) await run(rig, body);
    }));
}

/** Ids and seconds differ from one answer to the next. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, one) => (/^(id|call_id|created_at|completed_at)$/.test(key) ? 0 : one)),
  );
}

each("a stream ends with what the same request gets at once", async ({ ask, stream }, body) => {
  const whole = await ask(body);
  const events = await stream(body);
  const { response } = events.at(-1) ?? {};
  assert.deepEqual(withoutIds(response), withoutIds(whole));
  assert.equal(events.at(-1)?.type, `response.${whole.status}`);
});

each("a stream numbers its events, keeps its id and opens before it closes", async ({ stream }, body) => {
  const events = await stream(body);
  assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, n) => n));
  assert.deepEqual(events.slice(0, 2).map(({ type }) => type), ["response.created", "response.in_progress"]);
  const ids = new Set(events.filter(({ response }) => response).map(({ response }) => response.id));
  assert.equal(ids.size, 1);
  assert.deepEqual([events[0]?.response.output, events[0]?.response.usage], [[], null]);
  const open: string[] = [];
  for (const { type } of events) {
    const [, thing, end] =
      /^response\.(output_item|content_part|reasoning_summary_part)\.(added|done)$/.exec(type) ?? [];
    if (end === "added") open.push(thing ?? "");
    if (end === "done") assert.equal(open.pop(), thing);
  }
  assert.deepEqual(open, []);
});

each("a stream's deltas add up to what its done events say", async ({ stream }, body) => {
  const sums = new Map<string, string>();
  for (const event of await stream(body)) {
    const key = [event.item_id, event.content_index, event.summary_index].join("/");
    if (event.type.endsWith(".delta")) sums.set(key, (sums.get(key) ?? "") + event.delta);
    if (!/(text|refusal|arguments|input)\.done$/.test(event.type)) continue;
    const whole = event.text ?? event.refusal ?? event.arguments ?? event.input;
    assert.equal(sums.get(key) ?? "", whole, event.type);
  }
});

each("the official client's accumulator takes a stream", async ({ baseUrl, headers, ask }, body) => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: "unused", defaultHeaders: headers, maxRetries: 0 });
  const whole = await ask(body);
  const final = await client.responses.stream({ model: "local/echo", ...body }).finalResponse();
  assert.equal(final.status, whole.status);
  assert.deepEqual(
    withoutIds(final.output.map(({ type }) => type)),
    whole.output.map(({ type }: Json) => type),
  );
});

Deno.test("a stream comes in many pieces", () =>
  withLocal(async ({ stream }) => {
    const events = await stream({ input: "one two three four five six seven eight nine ten" });
    assert.ok(events.filter(({ type }) => type === "response.output_text.delta").length >= 12);
  }));

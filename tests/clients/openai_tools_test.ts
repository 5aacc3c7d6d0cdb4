import assert from "node:assert/strict";
import { zodResponsesFunction } from "openai/helpers/zod";
import type { Tool } from "openai/resources/responses/responses";
import * as z from "zod";
import type { Plan, Planned } from "../mocks/plan.ts";
import { asInput, forEach, mocked, type Rig, targets, withTarget } from "./targets.ts";

const weather = {
  type: "function",
  name: "get_weather",
  description: "Weather of a city",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city", "days"],
    additionalProperties: false,
  },
} satisfies Tool;

const time = {
  type: "function",
  name: "get_time",
  strict: null,
  parameters: { type: "object", properties: { zone: { type: "string" } } },
} satisfies Tool;

const says = (...items: Planned[]): Plan => ({
  items,
  finish: "stop",
  counts: { input: 9, output: 5, cached: 0, reasoning: 0 },
  pieces: [2, 3],
});

const call = (name: string, text: string): Planned => ({
  type: "call",
  kind: "function",
  callId: `call_${name}`,
  name,
  arguments: text,
});

forEach(targets, "openai runs a function tool in two steps", async ({ openai, model }) => {
  const question = { role: "user", content: "What is the weather?" } as const;
  const tools = [weather];
  const first = await openai.responses.create({ model, input: [question], tools, tool_choice: "required" });
  const [requested] = first.output;
  assert(requested?.type === "function_call");
  assert.equal(requested.name, "get_weather");
  assert.equal(requested.status, "completed");
  const { city, days } = JSON.parse(requested.arguments);
  assert.deepEqual([typeof city, typeof days], ["string", "number"]);
  const second = await openai.responses.create({
    model,
    tools,
    input: [
      question,
      ...asInput(first.output),
      { type: "function_call_output", call_id: requested.call_id, output: "18 °C and sunny" },
    ],
  });
  assert.match(second.output_text, /18 °C and sunny/);
  assert(second.output.every(({ type }) => type !== "function_call"));
});

forEach(targets, "openai runs a function tool in two steps, streamed", async ({ openai, model }) => {
  const tools = [weather];
  const question = { role: "user", content: "What is the weather?" } as const;
  const choice = { type: "function", name: "get_weather" } as const;
  const stream = openai.responses.stream({ model, input: [question], tools, tool_choice: choice });
  let snapshot = "";
  stream.on("response.function_call_arguments.delta", (event) => {
    snapshot = event.snapshot;
  });
  const first = await stream.finalResponse();
  const [requested] = first.output;
  assert(requested?.type === "function_call");
  assert.equal(requested.arguments, snapshot);
  assert.equal(typeof JSON.parse(requested.arguments).city, "string");
  const output = { type: "function_call_output", call_id: requested.call_id, output: "cloudy" } as const;
  const second = await openai.responses
    .stream({ model, tools, input: [question, ...asInput(first.output), output] }).finalResponse();
  assert.match(second.output_text, /cloudy/);
});

forEach(targets, "openai parses a zod tool's arguments", async ({ openai, model }) => {
  const parameters = z.object({ city: z.string(), days: z.int(), exact: z.boolean() });
  const response = await openai.responses.parse({
    model,
    input: "Call the tool.",
    tools: [zodResponsesFunction({ name: "forecast", parameters })],
    tool_choice: "required",
  });
  const [requested] = response.output;
  assert(requested?.type === "function_call");
  assert.deepEqual(parameters.parse(requested.parsed_arguments), requested.parsed_arguments);
});

forEach(targets, "openai calls no tool where tool_choice is none", async ({ openai, model }) => {
  const input = "Use get_weather now.";
  const response = await openai.responses.create({ model, input, tools: [weather], tool_choice: "none" });
  assert.deepEqual(response.output.map(({ type }) => type), ["message"]);
});

async function twoCalls({ openai, model, mock }: Rig): Promise<void> {
  const body = { model, input: "Use get_weather and get_time.", tools: [weather, time] };
  const whole = await openai.responses.create(body);
  const streamed = await openai.responses.stream(body).finalResponse();
  for (const { output } of [whole, streamed]) {
    const calls = output.flatMap((item) => item.type === "function_call" ? [item] : []);
    assert.deepEqual(calls.map(({ name }) => name), ["get_weather", "get_time"]);
    assert.equal(new Set(calls.map(({ call_id }) => call_id)).size, 2);
    for (const { arguments: text } of calls) assert.equal(typeof JSON.parse(text), "object");
    const outputs = calls.map(({ call_id }, at) =>
      ({ type: "function_call_output", call_id, output: `result ${at}` }) as const
    );
    const input = [{ role: "user", content: body.input } as const, ...asInput(output), ...outputs];
    const next = await openai.responses.create({ ...body, input, tool_choice: "none" });
    assert.equal(next.status, "completed");
  }
  const last = mock?.requests.at(-1)?.body;
  if (last?.messages !== undefined) assertMerged(last.messages);
}

/** One assistant turn holds both calls, and their results follow it, on Anthropic's wire in one message. */
function assertMerged(messages: unknown): void {
  assert(Array.isArray(messages));
  if (messages.length === 3) {
    const types = messages.map(({ content }) => content.map(({ type }: { type: string }) => type));
    return assert.deepEqual(types, [["text"], ["tool_use", "tool_use"], ["tool_result", "tool_result"]]);
  }
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool", "tool"]);
  assert.equal(messages[1].tool_calls.length, 2);
}

const pair = [call("get_weather", '{"city":"Köln","days":2}'), call("get_time", "{}")];

for (const target of targets) {
  Deno.test(`openai gets parallel calls, on ${target}`, () => {
    const mock = { answer: () => says(...pair) };
    return withTarget({ target, mock }, twoCalls);
  });

  Deno.test(`openai gets one call where it wants no parallel ones, on ${target}`, () => {
    const mock = { answer: () => says(...pair) };
    return withTarget({ target, mock }, async ({ openai, model }) => {
      const body = {
        model,
        input: "Use get_weather and get_time.",
        tools: [weather, time],
        parallel_tool_calls: false,
      };
      const whole = await openai.responses.create(body);
      const streamed = await openai.responses.stream(body).finalResponse();
      for (const { output } of [whole, streamed]) {
        assert.equal(output.filter(({ type }) => type === "function_call").length, 1);
      }
    });
  });
}

const agents = {
  type: "namespace",
  name: "agents",
  description: "Other agents",
  tools: [{ type: "function", name: "close", parameters: { type: "object", properties: {} }, strict: null }],
} satisfies Tool;

forEach(targets, "openai gets a call of a namespace's tool with its namespace", async (rig) => {
  const { openai, model } = rig;
  const body = { model, input: "Use close.", tools: [agents], tool_choice: "required" as const };
  const whole = await openai.responses.create(body);
  const streamed = await openai.responses.stream(body).finalResponse();
  for (const { output } of [whole, streamed]) {
    const [requested] = output;
    assert(requested?.type === "function_call");
    assert.deepEqual([requested.namespace, requested.name], ["agents", "close"]);
    const next = await openai.responses.create({
      ...body,
      tool_choice: "auto",
      input: [
        { role: "user", content: "Close it." },
        ...asInput(output),
        { type: "function_call_output", call_id: requested.call_id, output: "closed" },
      ],
    });
    assert.match(next.output_text, /closed/);
  }
});

const sql = { type: "custom", name: "run_sql", description: "Runs SQL" } satisfies Tool;

forEach(targets, "openai gets a custom tool's call with free text", async ({ openai, model }) => {
  const body = { model, input: "Use run_sql.", tools: [sql], tool_choice: "required" as const };
  const whole = await openai.responses.create(body);
  const streamed = await openai.responses.stream(body).finalResponse();
  for (const { output } of [whole, streamed]) {
    const [requested] = output;
    assert(requested?.type === "custom_tool_call");
    assert.equal(requested.name, "run_sql");
    assert(requested.input.length > 0);
    const next = await openai.responses.create({
      ...body,
      tool_choice: "auto",
      input: [
        { role: "user", content: "Run it." },
        ...asInput(output),
        { type: "custom_tool_call_output", call_id: requested.call_id, output: "3 rows" },
      ],
    });
    assert.match(next.output_text, /3 rows/);
  }
});

forEach(targets, "openai sends a tool's output in parts", async ({ openai, model }) => {
  const response = await openai.responses.create({
    model,
    tools: [weather],
    input: [
      { role: "user", content: "What is the weather?" },
      {
        type: "function_call",
        call_id: "call_1",
        name: "get_weather",
        arguments: '{"city":"Rome","days":1}',
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [{ type: "input_text", text: "fog" }, { type: "input_text", text: "and rain" }],
      },
    ],
  });
  assert.match(response.output_text, /fog/);
  assert.match(response.output_text, /and rain/);
});

forEach(mocked, "openai offers a web search that no endpoint runs, and gets an answer", async (rig) => {
  const { openai, model } = rig;
  const response = await openai.responses.create({
    model,
    input: "Hi",
    tools: [weather, { type: "web_search" }],
  });
  assert.equal(response.output_text, "You said: Hi");
});

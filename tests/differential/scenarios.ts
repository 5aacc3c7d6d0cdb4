/** Conversations that every wire must be able to hold, with what the model says in each turn. */

import type { ResponseInputItem, Tool } from "openai/resources/responses/responses";
import type { Plan, Planned } from "../mocks/plan.ts";
import type { Requested } from "./rig.ts";

export interface Step {
  readonly say: readonly ResponseInputItem[];
  readonly answer: Plan;
}

export interface Scenario {
  readonly requested: Requested;
  readonly steps: readonly Step[];
  /** Texts that must have reached the provider in the last turn. */
  readonly reaches?: readonly string[];
  /** Ends of the answers, apart from how the wires agree on them. */
  readonly ends: readonly string[];
}

const counts = { input: 40, output: 12, cached: 8, reasoning: 0 };

export const plan = (items: readonly Planned[], changes: Partial<Plan> = {}): Plan => ({
  items,
  finish: "stop",
  counts,
  pieces: [3, 5, 8],
  ...changes,
});

const text = (words: string): Planned => ({ type: "text", text: words });
const user = (content: string): ResponseInputItem => ({ role: "user", content });

/** The maker's encrypted text is of no matter here; `switch_test.ts` follows it. */
const thought: Planned = { type: "reasoning", thoughts: "Let me think, für alle.", summary: [] };

export const callOf = (callId: string, city: string): Planned => ({
  type: "call",
  kind: "function",
  callId,
  name: "get_weather",
  arguments: JSON.stringify({ city }),
});

const run: Planned = { type: "call", kind: "custom", callId: "call_run", name: "run", arguments: "ls -l" };

export const resultOf = (call_id: string, output: string): ResponseInputItem => ({
  type: "function_call_output",
  call_id,
  output,
});

const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

export const weather: Tool = { type: "function", name: "get_weather", parameters, strict: true };
export const runTool: Tool = { type: "custom", name: "run" };

/** Names that an object has by itself: in JSON they are names like any other. */
const oddNames = ["__proto__", "constructor", "hasOwnProperty"];

const oddTool: Tool = {
  type: "function",
  name: "set",
  parameters: {
    type: "object",
    properties: Object.fromEntries(oddNames.map((name) => [name, { type: "string" }])),
    required: oddNames,
  },
  strict: false,
};

const oddCall: Planned = {
  type: "call",
  kind: "function",
  callId: "call_odd",
  name: "set",
  arguments: JSON.stringify(Object.fromEntries(oddNames.map((name) => [name, "kept as it is"]))),
};

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";
const image = `data:image/png;base64,${PIXEL}`;

export const scenarios: Readonly<Record<string, Scenario>> = {
  "text": {
    requested: { instructions: "Be brief.", metadata: { a: "b" }, max_output_tokens: 500 },
    steps: [
      { say: [user("Good morning, Köln 👋")], answer: plan([text("Guten Morgen 👋")]) },
      { say: [user("And again?")], answer: plan([text("Once more: moin.")]) },
    ],
    reaches: ["Be brief.", "Good morning, Köln 👋", "Guten Morgen 👋", "And again?"],
    ends: ["completed", "completed"],
  },
  "a tool call and its result": {
    requested: { tools: [weather] },
    steps: [
      { say: [user("Weather in Rome?")], answer: plan([text("I look."), callOf("call_1", "Rome")]) },
      { say: [resultOf("call_1", "18 °C")], answer: plan([text("It is 18 °C.")]) },
    ],
    reaches: ["18 °C", "get_weather", "Rome"],
    ends: ["completed", "completed"],
  },
  "arguments and parameters with the names of an object's own": {
    requested: { tools: [oddTool] },
    steps: [
      { say: [user("Set it")], answer: plan([oddCall]) },
      { say: [resultOf("call_odd", "set")], answer: plan([text("It is set.")]) },
    ],
    reaches: ["__proto__", "hasOwnProperty", "kept as it is"],
    ends: ["completed", "completed"],
  },
  "a custom tool's call": {
    requested: { tools: [runTool] },
    steps: [
      { say: [user("List it")], answer: plan([run]) },
      {
        say: [{ type: "custom_tool_call_output", call_id: "call_run", output: "a.txt" }],
        answer: plan([text("a.txt")]),
      },
    ],
    reaches: ["ls -l", "a.txt"],
    ends: ["completed", "completed"],
  },
  "parallel tools": {
    requested: { tools: [weather], parallel_tool_calls: true },
    steps: [
      {
        say: [user("Rome and Oslo?")],
        answer: plan([callOf("call_1", "Rome"), callOf("call_2", "Oslo")]),
      },
      { say: [resultOf("call_2", "3 °C"), resultOf("call_1", "18 °C")], answer: plan([text("18 and 3.")]) },
    ],
    reaches: ["3 °C", "18 °C", "Rome", "Oslo"],
    ends: ["completed", "completed"],
  },
  "reasoning": {
    requested: {
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      tools: [weather],
      max_output_tokens: 4_000,
    },
    steps: [
      {
        say: [user("Think of Rome")],
        answer: plan([thought, callOf("call_1", "Rome")], { counts: { ...counts, reasoning: 7 } }),
      },
      {
        say: [resultOf("call_1", "18 °C")],
        answer: plan([thought, text("Done.")], { counts: { ...counts, reasoning: 5 } }),
      },
    ],
    reaches: ["Think of Rome", "18 °C"],
    ends: ["completed", "completed"],
  },
  "images in": {
    requested: {},
    steps: [{
      say: [{
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: image, detail: "auto" },
        ],
      }],
      answer: plan([text("A red dot.")]),
    }],
    reaches: ["What is this?", PIXEL],
    ends: ["completed"],
  },
  "structured output": {
    requested: { text: { format: { type: "json_schema", name: "city", schema: parameters, strict: true } } },
    steps: [{ say: [user("A city")], answer: plan([text('{"city":"Rome"}')]) }],
    reaches: ["A city"],
    ends: ["completed"],
  },
  "a stop by length": {
    requested: { max_output_tokens: 20 },
    steps: [{ say: [user("Count")], answer: plan([text("one two thr")], { finish: "length" }) }],
    ends: ["incomplete: max_output_tokens"],
  },
  "a refusal": {
    requested: {},
    steps: [{ say: [user("Refuse")], answer: plan([{ type: "refusal", text: "I cannot help with that." }]) }],
    ends: ["completed"],
  },
  "a safety stop": {
    requested: {},
    steps: [{ say: [user("Be bad")], answer: plan([text("Well, one")], { finish: "content_filter" }) }],
    ends: ["incomplete: content_filter"],
  },
  "no counts": {
    requested: {},
    steps: [{ say: [user("Hi")], answer: plan([text("Hello.")], { counts: undefined }) }],
    ends: ["completed"],
  },
};

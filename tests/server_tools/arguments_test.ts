/** Arguments that no tool can read: a failed call, on every wire, and nothing that the provider would refuse later. */

import assert from "node:assert/strict";
import { isDeepJson, parseCallArguments } from "../../server/protocols/canonical/call_arguments.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { isRecord, tryParseJson } from "../../shared/util/json.ts";
import { modelRequest } from "../support/requests.ts";
import type { Json } from "../mocks/published.ts";
import {
  calls,
  itemsOf,
  type MockedWire,
  responseOf,
  says,
  send,
  type Turns,
  upstreamWires,
  withTools,
} from "./rig.ts";

const MIB = 1024 * 1024;
const deep = (levels: number) => `{"timezone":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

const veryDeep = deep(20_000);

interface Kind {
  readonly text: string;
  /** Reason that the model reads; undefined: the call is a good one. */
  readonly reason?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  "no JSON": { text: '{"timezone": Europe/Rome', reason: "not a JSON object" },
  "blank": { text: "  " },
  "an array": { text: '["Europe/Rome"]', reason: "not a JSON object" },
  "a string": { text: '"Europe/Rome"', reason: "not a JSON object" },
  "a number": { text: "7", reason: "not a JSON object" },
  "null": { text: "null", reason: "not a JSON object" },
  "64 levels": { text: deep(64) },
  "65 levels": { text: deep(65), reason: "more than 64 levels deep" },
  "1,000 levels": { text: deep(1_000), reason: "more than 64 levels deep" },
  "20,000 levels": { text: veryDeep, reason: "more than 64 levels deep" },
  "over 1 MiB": { text: JSON.stringify({ timezone: "x".repeat(MIB) }), reason: "more than 1 MiB" },
  "over 1 MiB in UTF-8": {
    text: JSON.stringify({ timezone: "é".repeat(MIB / 2) }),
    reason: "more than 1 MiB",
  },
};

/** Nothing but an object can be said on these wires, streamed or whole: servers that send something else break them. */
const objectsOnly = (wire: MockedWire, stream: boolean) =>
  wire === "gemini" || (!stream && (wire === "messages" || wire === "bedrock"));

/** Every argument of a call in a body, whatever the wire; texts are read. */
function argumentsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(argumentsIn);
  if (!isRecord(value)) return [];
  if (value.type === "function" && isRecord(value.function)) {
    return argumentsIn({ ...value.function, type: "call" });
  }
  const own = value.type === "function_call" || (value.type === "call" && value.name === "datetime")
    ? [typeof value.arguments === "string" ? tryParseJson(value.arguments) : value.arguments]
    : value.type === "tool_use"
    ? [value.input]
    : isRecord(value.functionCall)
    ? [value.functionCall.args]
    : isRecord(value.toolUse)
    ? [value.toolUse.input]
    : undefined;
  return own ?? Object.values(value).flatMap(argumentsIn);
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const turnsOf = (text: string): Turns => (turn) =>
  turn === 0
    ? { items: [calls("datetime", { args: text })], finish: "stop", pieces: [100_000] }
    : [says("Sorry.")];

const historyOf = ({ input, messages, contents }: Json) => input ?? messages ?? contents;

for (const wire of upstreamWires) {
  for (const stream of [false, true]) {
    Deno.test(`arguments that no tool can read are a failed call (${wire}, ${stream ? "streamed" : "whole"})`, async () => {
      await withTools({}, async ({ gateway, plan, taken }) => {
        for (const [kind, { text, reason }] of Object.entries(kinds)) {
          // The mock cannot write more levels as a value either.
          if (objectsOnly(wire, stream) && (text === veryDeep || !isRecord(tryParseJson(text)))) continue;
          plan(turnsOf(text));
          const body = { model: `mock/${wire}`, input: "?", tools: [{ type: "service:datetime" }], stream };
          const sent = await send(gateway, { body });
          const result = responseOf(sent);
          assert.equal(result.status, "completed", `${kind}: ${sent.text.slice(-500)}`);
          const [item] = itemsOf(result).filter(({ type }) => type === "service:datetime");
          assert.equal(item?.status, reason === undefined ? "completed" : "incomplete", kind);
          const [, second = {}] = taken(wire);
          const given = argumentsIn(historyOf(second));
          assert.equal(given.length, 1, `${kind}: ${JSON.stringify(second).slice(0, 500)}`);
          assert.ok(given.every(isRecord), `${kind} goes back as an object`);
          if (reason === undefined) continue;
          const told = stringsIn(second).map(tryParseJson).filter(isRecord)
            .find(({ error }) => String(error).includes(reason));
          // The wire may have turned it into other JSON on its way here.
          const shown = String(told?.arguments);
          assert.ok(shown.length > 0 && shown.length <= 1_000, kind);
          if (!objectsOnly(wire, stream)) assert.equal(shown, text.slice(0, 1_000), kind);
        }
      });
    });
  }
}

/** Whole answers of the wires that have arguments as a value, with a call in them. */
const wholeAnswers: Readonly<Record<string, (args: string) => string>> = {
  messages: (args) =>
    `{"id":"m","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1},"content":[{"type":"tool_use","id":"c","name":"f","input":${args}}]}`,
  gemini: (args) =>
    `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":${args}}}]},"finishReason":"STOP"}]}`,
  bedrock: (args) =>
    `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":${args}}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`,
  chat: (args) =>
    `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}]}}]}`,
  responses: (args) =>
    `{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":${args},"status":"completed"}]}`,
};

for (const wire of upstreamWires) {
  Deno.test(`a value nested without end is the arguments of a call, and still too deep for any tool (${wire})`, () => {
    const f = { type: "function", name: "f", parameters: null } as const;
    const answer: unknown = JSON.parse(wholeAnswers[wire]?.(veryDeep) ?? "null");
    const events = outboundFor(wire).parseResponse(answer, modelRequest({ tools: [f] }), undefined);
    const text = events.flatMap((event) =>
      event.type === "arguments"
        ? [event.delta]
        : event.type === "item_done" && event.item?.type === "call"
        ? [event.item.arguments]
        : []
    ).at(-1);
    assert.ok(isDeepJson(text ?? ""), `${text?.length} characters`);
    assert.equal(parseCallArguments(text ?? ""), undefined);
  });
}

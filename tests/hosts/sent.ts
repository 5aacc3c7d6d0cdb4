/** Reads requests that were sent to a provider: the body of any wire, in the same words for all wires. */

import type { WireId } from "../../server/protocols/canonical/item.ts";
import { isObject, type Json, objects } from "../mocks/published.ts";

export interface Sent {
  readonly wire: WireId;
  readonly body: Json;
  readonly headers: Headers;
}

/** A message of the conversation: `system`, `user`, `assistant` or `tool`, and its texts. */
export type Turn = readonly [role: string, text: string];

const roles: ReadonlyMap<string, string> = new Map([["developer", "system"], ["model", "assistant"]]);
const roleOf = (role: unknown) => roles.get(String(role)) ?? String(role);

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content).map(({ text }) => typeof text === "string" ? text : "").join("\n\n");
}

/** The messages, one by one as they stand in the body. */
export function messagesOf({ wire, body }: Sent): readonly Turn[] {
  switch (wire) {
    case "responses": {
      const items = objects(body.input).filter(({ type }) => type === "message");
      return items.map(({ role, content }) => [roleOf(role), textOf(content)]);
    }
    case "chat":
      return objects(body.messages).map(({ role, content }) => [roleOf(role), textOf(content)]);
    case "messages":
    case "bedrock":
      return [
        ...system(textOf(body.system)),
        ...objects(body.messages).map(({ role, content }) => [roleOf(role), textOf(content)] as const),
      ];
    case "gemini":
      return [
        ...system(isObject(body.systemInstruction) ? textOf(body.systemInstruction.parts) : ""),
        ...objects(body.contents).map(({ role, parts }) => [roleOf(role), textOf(parts)] as const),
      ];
    default:
      return wire satisfies never;
  }
}

const system = (text: string): readonly Turn[] => text === "" ? [] : [["system", text]];

/** The messages with those of one role in a row as one, a line for each text. */
export function turnsOf(sent: Sent): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [role, text] of messagesOf(sent)) {
    const last = turns.at(-1);
    const lines = text.replace(/\n+/g, "\n");
    if (last?.[0] === role) turns[turns.length - 1] = [role, `${last[1]}\n${lines}`];
    else turns.push([role, lines]);
  }
  return turns;
}

/** Tools by their name, with their parameters. */
export function toolsOf({ wire, body }: Sent): ReadonlyMap<string, Json> {
  const at = (
    name: unknown,
    schema: unknown,
  ): [string, Json] => [String(name), isObject(schema) ? schema : {}];
  switch (wire) {
    case "responses":
      return new Map(objects(body.tools).map(({ name, parameters }) => at(name, parameters)));
    case "chat": {
      const functions = objects(body.tools).map((tool) => isObject(tool.function) ? tool.function : {});
      return new Map(functions.map(({ name, parameters }) => at(name, parameters)));
    }
    case "messages":
      return new Map(objects(body.tools).map(({ name, input_schema }) => at(name, input_schema)));
    case "gemini": {
      const functions = objects(body.tools).flatMap(({ functionDeclarations }) =>
        objects(functionDeclarations)
      );
      return new Map(functions.map(({ name, parametersJsonSchema }) => at(name, parametersJsonSchema)));
    }
    case "bedrock": {
      const tools = objects(isObject(body.toolConfig) ? body.toolConfig.tools : []);
      return new Map(tools.flatMap(({ toolSpec }) => isObject(toolSpec) ? [bedrockTool(toolSpec)] : []));
    }
    default:
      return wire satisfies never;
  }
}

const bedrockTool = ({ name, inputSchema }: Json): [string, Json] => [
  String(name),
  isObject(inputSchema) && isObject(inputSchema.json) ? inputSchema.json : {},
];

/** The word for "call one of these", as each wire has it. */
export const requiredChoices: { readonly [W in WireId]: unknown } = {
  responses: "required",
  chat: "required",
  messages: { type: "any" },
  gemini: { functionCallingConfig: { mode: "ANY" } },
  bedrock: { any: {} },
};

export function choiceOf({ wire, body }: Sent): unknown {
  if (wire === "gemini") return body.toolConfig;
  if (wire === "bedrock") return isObject(body.toolConfig) ? body.toolConfig.toolChoice : undefined;
  return body.tool_choice;
}

const spellings: ReadonlyMap<string, string> = new Map([
  ["topP", "top_p"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
]);
const sampled = ["temperature", "top_p", "presence_penalty", "frequency_penalty"];

/** Names of the sampling parameters that were sent. */
export function samplingOf({ wire, body }: Sent): readonly string[] {
  const place = wire === "gemini" ? body.generationConfig : wire === "bedrock" ? body.inferenceConfig : body;
  const keys = isObject(place) ? Object.keys(place) : [];
  return keys.map((key) => spellings.get(key) ?? key).filter((key) => sampled.includes(key)).sort();
}

/** On the Responses wire instructions stand beside the messages: with them in front, as on the others. */
export function instructed(sent: Sent): Sent {
  const { instructions } = sent.body;
  if (sent.wire !== "responses" || instructions === undefined) return sent;
  const message = { type: "message", role: "system", content: instructions };
  return { ...sent, body: { ...sent.body, input: [message, ...objects(sent.body.input)] } };
}

/** The ids of a call and of its result, in their order. */
export function callIdsOf({ wire, body }: Sent): readonly string[] {
  const inside = wire === "responses" ? body.input : wire === "gemini" ? body.contents : body.messages;
  const ids: string[] = [];
  const walk = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isObject(value)) return;
    const calls = objects(value.tool_calls).map(({ id }) => id);
    const own = isObject(value.functionCall) || value.type === "tool_use" ? value : {};
    const call = isObject(own.functionCall) ? own.functionCall.id : own.id;
    const found = [...calls, call, ...idKeys.map((key) => value[key])];
    ids.push(...found.filter((id) => typeof id === "string"));
    if (isObject(value.functionResponse)) ids.push(String(value.functionResponse.id));
    for (const inner of [value.content, value.parts, value.toolUse, value.toolResult]) walk(inner);
  };
  walk(inside);
  return ids;
}

const idKeys = ["call_id", "tool_call_id", "tool_use_id", "toolUseId"];

/**
 * Rules of Converse, as AWS documents them: it refuses unknown members, roles that do not alternate, calls without
 * results.
 */

import { isObject, type Json, objects, type SchemaViolation } from "./published.ts";

const fault = (message: string): SchemaViolation => ({
  message,
  type: "ValidationException",
  param: null,
  code: null,
});

export const members: readonly string[] = [
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "promptVariables",
  "additionalModelResponseFieldPaths",
  "requestMetadata",
  "performanceConfig",
  "serviceTier",
  "outputConfig",
];
export const inference: readonly string[] = ["maxTokens", "temperature", "topP", "stopSequences"];
const blocks: readonly string[] = [
  "text",
  "image",
  "document",
  "video",
  "toolUse",
  "toolResult",
  "reasoningContent",
  "cachePoint",
];

const stranger = (value: unknown, known: readonly string[]) =>
  isObject(value) ? Object.keys(value).find((key) => !known.includes(key)) : undefined;

/** The first fault that the provider would find in a request. */
export function bedrockComplaint(body: Json): SchemaViolation | undefined {
  const unknown = stranger(body, members) ?? stranger(body.inferenceConfig, inference);
  if (unknown !== undefined) return fault(`extraneous key [${unknown}] is not permitted`);
  const messages = objects(body.messages);
  return toolFault(body, messages) ?? turnFault(messages);
}

const contents = (messages: readonly Json[]) => messages.flatMap(({ content }) => objects(content));

function toolFault({ toolConfig }: Json, messages: readonly Json[]): SchemaViolation | undefined {
  if (isObject(toolConfig)) {
    return objects(toolConfig.tools).length > 0
      ? undefined
      : fault("toolConfig.tools must have length at least 1");
  }
  const used = contents(messages).some((block) => "toolUse" in block || "toolResult" in block);
  return used
    ? fault("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
    : undefined;
}

function turnFault(messages: readonly Json[]): SchemaViolation | undefined {
  if (messages[0]?.role !== "user") return fault("A conversation must start with a user message.");
  if (messages.at(-1)?.role !== "user") return fault("A conversation must end with a user message.");
  let called: readonly unknown[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== (at % 2 === 0 ? "user" : "assistant")) return fault("Roles must alternate.");
    const here = objects(content);
    if (here.length === 0) return fault("The content field in the Message object is empty.");
    const error = here.map(blockFault).find((one) => one !== undefined);
    if (error !== undefined) return error;
    const results = here.flatMap(({ toolResult }) => isObject(toolResult) ? [toolResult.toolUseId] : []);
    if (role === "user" && String([...called].sort()) !== String([...results].sort())) {
      return fault("The number of toolResult blocks does not fit the toolUse blocks of the previous turn.");
    }
    called = here.flatMap(({ toolUse }) => isObject(toolUse) ? [toolUse.toolUseId] : []);
  }
  return undefined;
}

function blockFault(block: Json): SchemaViolation | undefined {
  const keys = Object.keys(block);
  if (keys.length !== 1 || !blocks.includes(keys[0] ?? "")) return fault(`unknown content block ${keys}`);
  if (typeof block.text === "string" && block.text.trim() === "") return fault("The text field is blank.");
  const call = isObject(block.toolUse) ? block.toolUse : undefined;
  if (call === undefined) return undefined;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(call.toolUseId)) || !isObject(call.input)) {
    return fault("toolUse must have an id of letters and digits and an object as its input");
  }
  return undefined;
}

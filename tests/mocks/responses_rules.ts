/** Rules of OpenAI's Responses API besides unknown keys, as met in the wild. */

import { complaint, type Json, objects, type SchemaViolation } from "./published.ts";

/** The first fault that the provider would find in a request. */
export function responsesComplaint(body: Json): SchemaViolation | undefined {
  return complaint("responses", body) ?? missing(body) ?? inputFault(objects(body.input));
}

const fault = (
  message: string,
  [param, code = "invalid_value"]: readonly [string, string?],
): SchemaViolation => ({
  message,
  type: "invalid_request_error",
  param,
  code,
});

function missing({ model, input, tools, tool_choice: choice }: Json): SchemaViolation | undefined {
  if (typeof model !== "string") return fault("Missing required parameter: 'model'.", ["model"]);
  if (input === undefined) return fault("Missing required parameter: 'input'.", ["input"]);
  const without = !Array.isArray(tools) || tools.length === 0;
  if (without && choice !== undefined && choice !== "auto" && choice !== "none") {
    return fault("Tool choice must be specified with 'tools' parameter.", ["tool_choice"]);
  }
  return undefined;
}

function inputFault(input: readonly Json[]): SchemaViolation | undefined {
  for (const [at, item] of input.entries()) {
    const error = idFault(item, at) ?? reasoningFault(item, at) ?? resultFault(item, input.slice(0, at));
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Ids of other makers are refused by their first letters. */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  web_search_call: "ws",
};

function idFault({ type, id, role }: Json, at: number): SchemaViolation | undefined {
  if (typeof id !== "string") return undefined;
  const prefix = prefixes[String(type)];
  if (prefix !== undefined && !id.startsWith(prefix)) {
    return fault(
      `Invalid 'input[${at}].id': '${id}'. Expected an ID that begins with '${prefix}'.`,
      [`input[${at}].id`],
    );
  }
  if (type !== "message" || role === "assistant") return undefined;
  return fault(`Unknown parameter: 'input[${at}].id'.`, [`input[${at}].id`, "unknown_parameter"]);
}

/**
 * Nothing is stored, so reasoning is known by its encrypted text only; thoughts in plain text are not taken back.
 */
function reasoningFault(
  { type, id, content, encrypted_content: encrypted }: Json,
  at: number,
): SchemaViolation | undefined {
  if (type !== "reasoning") return undefined;
  if (Array.isArray(content) && content.length > 0) {
    const message =
      `Invalid 'input[${at}].content': array too long. Expected an array with maximum length 0.`;
    return fault(message, [`input[${at}].content`, "array_above_max_length"]);
  }
  if (typeof encrypted === "string" || id === undefined) return undefined;
  return fault(
    `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false.`,
    ["input"],
  );
}

const results = ["function_call_output", "custom_tool_call_output"];

function resultFault({ type, call_id: id }: Json, before: readonly Json[]): SchemaViolation | undefined {
  if (!results.includes(String(type)) || before.some((item) => item.call_id === id)) return undefined;
  return fault(`No tool call found for function call output with call_id ${String(id)}.`, ["input"]);
}

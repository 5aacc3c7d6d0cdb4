/** Rules of Chat Completions besides unknown keys, as met in the wild. */

import { complaint, isObject, type Json, objects, type SchemaViolation } from "./published.ts";

/** The first fault that the provider would find in a request. */
export function chatComplaint(body: Json): SchemaViolation | undefined {
  return complaint("chat", body) ?? missing(body) ?? toolFault(body) ?? turnFault(objects(body.messages));
}

const fault = (message: string, param: string): SchemaViolation => ({
  message,
  type: "invalid_request_error",
  param,
  code: null,
});

function missing({ model, messages, stream, stream_options: options }: Json): SchemaViolation | undefined {
  if (typeof model !== "string") return fault("you must provide a model parameter", "model");
  if (!Array.isArray(messages) || messages.length === 0) {
    return fault("[] is too short - 'messages'", "messages");
  }
  if (options === undefined || options === null || stream === true) return undefined;
  return fault("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
}

function toolFault(
  { tools, tool_choice: choice, parallel_tool_calls: parallel }: Json,
): SchemaViolation | undefined {
  if (Array.isArray(tools) && tools.length > 0) return undefined;
  if (choice !== undefined) {
    return fault("'tool_choice' is only allowed when 'tools' are specified.", "tool_choice");
  }
  if (parallel === undefined) return undefined;
  return fault("'parallel_tool_calls' is only allowed when 'tools' are specified.", "parallel_tool_calls");
}

/** Every call is answered right behind its turn, and nothing else is. */
function turnFault(messages: readonly Json[]): SchemaViolation | undefined {
  let awaited: readonly unknown[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!awaited.includes(message.tool_call_id)) {
        return fault(
          "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages[${at}]`,
        );
      }
      awaited = awaited.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (awaited.length > 0) return unanswered(awaited, at);
    awaited = objects(message.tool_calls).map(({ id }) => id);
    const error = emptyFault(message, at);
    if (error !== undefined) return error;
  }
  return awaited.length > 0 ? unanswered(awaited, messages.length) : undefined;
}

const unanswered = (ids: readonly unknown[], at: number) =>
  fault(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
    `messages[${at}].role`,
  );

function emptyFault(
  { role, content, tool_calls: calls, refusal }: Json,
  at: number,
): SchemaViolation | undefined {
  const silent = content === null || content === undefined;
  if (!silent || (role === "assistant" && (isObject(refusal) || refusal || objects(calls).length > 0))) {
    return undefined;
  }
  return fault("Invalid value for 'content': expected a string, got null.", `messages[${at}].content`);
}

/** Rules of the Messages API besides unknown keys, as Anthropic documents them and as met in the wild. */

import { complaint, isObject, type Json, objects, type SchemaViolation } from "./published.ts";

/** The first fault that the provider would find in a request. */
export function messagesComplaint(body: Json): SchemaViolation | undefined {
  return complaint("messages", body) ?? missing(body) ?? toolFault(body) ?? thinkingFault(body) ??
    cacheFault(body) ?? turnFault(objects(body.messages));
}

const fault = (message: string, param: string): SchemaViolation => ({
  message: `${param}: ${message}`,
  type: "invalid_request_error",
  param,
  code: null,
});

/** A text by itself is short for one block of text. */
const blocksOf = (content: unknown): readonly Json[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objects(content);

function missing({ model, messages, max_tokens: cap }: Json): SchemaViolation | undefined {
  if (typeof model !== "string") return fault("Field required", "model");
  if (!Number.isInteger(cap) || Number(cap) < 1) return fault("Field required", "max_tokens");
  if (objects(messages).length === 0) return fault("at least one message is required", "messages");
  return undefined;
}

function toolFault({ tools, tool_choice: choice, messages }: Json): SchemaViolation | undefined {
  for (const [at, { type = "custom", name, input_schema: schema }] of objects(tools).entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name))) {
      return fault("String should match pattern", `tools.${at}.custom.name`);
    }
    // Tools that Anthropic defines have schemas of its own.
    if (type !== "custom") continue;
    if (!isObject(schema) || schema.type !== "object") {
      return fault("Input should be 'object'", `tools.${at}.custom.input_schema.type`);
    }
  }
  if (objects(tools).length > 0) return undefined;
  if (choice !== undefined) return fault("may only be specified while providing `tools`", "tool_choice");
  const blocks = objects(messages).flatMap(({ content }) => blocksOf(content));
  if (blocks.every(({ type }) => type !== "tool_use")) return undefined;
  return fault("Requests which include `tool_use` or `tool_result` blocks must define tools", "tools");
}

/** Finds the fault of a thinking budget; the name of a mock's model does not say whether it takes one. */
function thinkingFault(body: Json): SchemaViolation | undefined {
  const { thinking, max_tokens: cap, temperature, top_k: topK, tool_choice: choice } = body;
  if (!isObject(thinking) || thinking.type !== "enabled") return undefined;
  const budget = Number(thinking.budget_tokens);
  if (!(budget >= 1_024)) {
    return fault("Input should be greater than or equal to 1024", "thinking.enabled.budget_tokens");
  }
  if (budget >= Number(cap)) return fault("must be greater than `thinking.budget_tokens`", "max_tokens");
  if (temperature !== undefined && temperature !== 1) {
    return fault("may only be set to 1 when thinking is enabled", "temperature");
  }
  if (topK !== undefined) return fault("must be unset when thinking is enabled", "top_k");
  const unthought = unthoughtTurn(objects(body.messages));
  if (unthought !== undefined) return unthought;
  const forces = isObject(choice) && (choice.type === "any" || choice.type === "tool");
  return forces
    ? fault("Thinking may not be enabled when tool_choice forces tool use", "tool_choice")
    : undefined;
}

/** A turn that a tool's result goes on with must have begun with a thought. */
function unthoughtTurn(messages: readonly Json[]): SchemaViolation | undefined {
  const results = blocksOf(messages.at(-1)?.content).some(({ type }) => type === "tool_result");
  const [first] = blocksOf(messages.at(-2)?.content);
  if (!results || /thinking$/.test(String(first?.type))) return undefined;
  return fault(
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\`. When \`thinking\` is enabled, ` +
      "a final `assistant` message must start with a thinking block.",
    `messages.${messages.length - 2}.content.0.type`,
  );
}

function cacheFault(
  { tools, system, messages, cache_control: automatic }: Json,
): SchemaViolation | undefined {
  const blocks = objects(messages).flatMap(({ content }) => blocksOf(content));
  const marks = [...objects(tools), ...objects(system), ...blocks, { cache_control: automatic }].flatMap((
    one,
  ) => isObject(one.cache_control) ? [one.cache_control] : []);
  if (marks.length > 4) {
    return fault(
      `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`,
      "cache_control",
    );
  }
  const short = marks.findIndex(({ ttl }) => ttl !== "1h");
  if (short < 0 || marks.slice(short).every(({ ttl }) => ttl !== "1h")) return undefined;
  return fault(
    "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    "cache_control",
  );
}

/** Roles alternate as we render them; every call is answered in the message behind it, and nothing else is. */
function turnFault(messages: readonly Json[]): SchemaViolation | undefined {
  let awaited: readonly unknown[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content);
    const place = `messages.${at}`;
    if (role !== (at % 2 === 0 ? "user" : "assistant")) return fault("roles must alternate", place);
    const found = blockFault(blocks, place) ?? resultFault(blocks, { awaited, place });
    if (found !== undefined) return found;
    awaited = blocks.flatMap(({ type, id }) => type === "tool_use" ? [id] : []);
  }
  return awaited.length > 0 ? unanswered(awaited, `messages.${messages.length - 1}`) : undefined;
}

function blockFault(blocks: readonly Json[], place: string): SchemaViolation | undefined {
  if (blocks.length === 0) return fault("all messages must have non-empty content", place);
  if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === "")) {
    return fault("text content blocks must contain non-whitespace text", place);
  }
  if (/thinking$/.test(String(blocks.at(-1)?.type))) {
    return fault("The final block in an assistant message cannot be `thinking`.", place);
  }
  const id = blocks.find((block) => block.type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(String(block.id)));
  return id && fault("String should match pattern '^[a-zA-Z0-9_-]+$'", `${place}.content.tool_use.id`);
}

interface Awaited {
  readonly awaited: readonly unknown[];
  readonly place: string;
}

function resultFault(blocks: readonly Json[], { awaited, place }: Awaited): SchemaViolation | undefined {
  const results = blocks.flatMap(({ type, tool_use_id: id }) => type === "tool_result" ? [id] : []);
  const stray = results.find((id) => !awaited.includes(id));
  if (stray !== undefined) {
    return fault(`unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`, place);
  }
  const open = awaited.filter((id) => !results.includes(id));
  return open.length > 0 ? unanswered(open, place) : undefined;
}

const unanswered = (ids: readonly unknown[], place: string) =>
  fault(
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}`,
    place,
  );

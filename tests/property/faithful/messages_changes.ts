/** What the gateway changes in a request of the Messages API for a provider of that wire, and why. */

import { type Json, objects } from "../../mocks/published.ts";
import { type DocumentedChange, onList, without } from "./changes.ts";

const textBlock = (text: unknown): Json => ({ type: "text", text });
const blocksOf = (content: unknown): readonly Json[] =>
  typeof content === "string" ? [textBlock(content)] : objects(content);

type Change = Omit<DocumentedChange, "wire">;

const changes: readonly Change[] = [
  {
    what:
      "A text that stands alone becomes a block: `content` and `system`. A tool's result that is one plain text, or none, becomes a text.",
    why: "Both forms mean the same to the provider, and one of them is written.",
    apply: (body) => ({
      ...onList(
        "messages",
        (all) => all.map(({ role, content }) => ({ role, content: blocksOf(content).map(shortResult) })),
      )(body),
      ...(body.system === undefined ? {} : { system: blocksOf(body.system) }),
    }),
  },
  {
    what: "Messages of one role that follow each other become one.",
    why: "Roles alternate at the provider, which joins them itself.",
    apply: onList("messages", joined),
  },
  {
    what:
      "A conversation with calls in a request without tools gets a tool of each called name, and `tool_choice: none`.",
    why: "Bedrock and others refuse calls of which there is no definition.",
    apply: withCalledTools,
  },
  {
    what: "`service_tier: auto` and `type: custom` of a tool are left out, and `stream` is always said.",
    why: "The former go without saying; some servers stream what nobody asked to be whole.",
    apply: (body) => {
      const { stream = false, tools, service_tier: tier, ...rest } = body;
      return {
        ...rest,
        ...(tier === undefined || tier === "auto" ? {} : { service_tier: tier }),
        stream,
        ...(tools === undefined
          ? {}
          : { tools: objects(tools).map((tool) => tool.type === "custom" ? without(tool, "type") : tool) }),
      };
    },
  },
  {
    what:
      "Top-level fields that the wire does not publish, or that change the price (`container`, `inference_geo`, `speed`), are left out and named, unless the endpoint's row lists them.",
    why:
      "A field that a provider does not know makes it refuse the request, and the price is known before a call.",
    apply: (body) => Object.fromEntries(Object.entries(body).filter(([key]) => passed.has(key))),
  },
];

const passed = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "stop_sequences",
  "stream",
  "service_tier",
  "output_config",
  "diagnostics",
  "tools",
  "tool_choice",
  "thinking",
  "temperature",
  "top_k",
]);

function shortResult(block: Json): Json {
  if (block.type !== "tool_result") return block;
  const { content = "" } = block;
  const [only, ...more] = objects(content);
  const isPlain = more.length === 0 && only?.type === "text" && Object.keys(only).length === 2;
  return {
    ...block,
    content: isPlain ? only.text : Array.isArray(content) && content.length === 0 ? "" : content,
  };
}

function withCalledTools(body: Json): Json {
  const blocks = objects(body.messages).flatMap(({ content }) => objects(content));
  const names = new Set(blocks.flatMap(({ type, name }) => type === "tool_use" ? [name] : []));
  if (body.tools !== undefined || names.size === 0) return body;
  const tools = [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
  return { ...body, tools, tool_choice: { type: "none" } };
}

function joined(messages: readonly Json[]): readonly Json[] {
  const all: Json[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last === undefined || last.role !== message.role) all.push(message);
    else all[all.length - 1] = { ...last, content: [...objects(last.content), ...objects(message.content)] };
  }
  return all;
}

export const messagesChanges: readonly DocumentedChange[] = changes.map((one) => ({
  wire: "messages",
  ...one,
}));

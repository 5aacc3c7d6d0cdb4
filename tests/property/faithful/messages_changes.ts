/** Changes that the gateway makes to a request of the Messages API for a provider of that wire, and why. */

import { isObject, type Json, objects } from "../../mocks/published.ts";
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
    what: "A mark inside a tool's result stands on the result.",
    why: "Four marks are few, and the two end the same prefix but for the result's end.",
    apply: onList(
      "messages",
      (all) => all.map(({ content, ...one }) => ({ ...one, content: objects(content).map(markedOutside) })),
    ),
  },
  {
    what: "A `system` message behind others is a reminder in the user's turn.",
    why: "Most models take none there; where it stands, the prefix before it stays cached.",
    apply: onList("messages", (all) => all.map(reminder)),
  },
  {
    what:
      "Calls of an answer without thoughts stand behind its texts, and results in the order of their calls.",
    why: "Results answer the end of a message; where thoughts seal the order, it stays.",
    apply: onList("messages", (all) => resultsInOrder(all.map(callsLast))),
  },
  {
    what:
      "Effort beside a budget of thinking is left out; thinking that is off is left out where the model does not think by itself, and effort with it.",
    why: "The budget says how much the model thinks, and what is off goes without saying.",
    apply: withThinking,
  },
  {
    what: "`temperature: 1`, `top_p: 1` and `strict: false` are left out.",
    why: "They are what a request means that says nothing, and newer models refuse the former.",
    apply: ({ temperature, tools, ...body }) => ({
      ...body,
      ...(temperature === undefined || temperature === 1 ? {} : { temperature }),
      ...(tools === undefined
        ? {}
        : { tools: objects(tools).map((tool) => tool.strict === false ? without(tool, "strict") : tool) }),
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
      "Top-level fields that the wire does not publish, or that change the price (`container`, `inference_geo`, `speed`), are left out and named, unless the endpoint's row lists them. `mcp_servers` goes with its toolsets.",
    why:
      "A field that a provider does not know makes it refuse the request, and the price is known before a call.",
    apply: (body) => {
      const hasToolset = objects(body.tools).some(({ type }) => type === "mcp_toolset");
      const isSent = (key: string) => passed.has(key) || (hasToolset && key === "mcp_servers");
      return Object.fromEntries(Object.entries(body).filter(([key]) => isSent(key)));
    },
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

function markedOutside(block: Json): Json {
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return block;
  const parts = objects(block.content);
  const mark = parts.findLast((part) => part.cache_control !== undefined)?.cache_control;
  const content = parts.map((part) => without(part, "cache_control"));
  return { ...block, content, ...(mark === undefined ? {} : { cache_control: mark }) };
}

function reminder({ role, content }: Json): Json {
  if (role !== "system") return { role, content };
  const words = objects(content).map(({ text }) => text).join("\n");
  return { role: "user", content: [textBlock(`<system-reminder>\n${words}\n</system-reminder>`)] };
}

function callsLast({ role, content }: Json): Json {
  const blocks = objects(content);
  const isSealed = blocks.some(({ type }) => String(type).endsWith("thinking"));
  if (role !== "assistant" || isSealed) return { role, content };
  const isCall = ({ type }: Json) => type === "tool_use";
  return { role, content: [...blocks.filter((one) => !isCall(one)), ...blocks.filter(isCall)] };
}

function resultsInOrder(messages: readonly Json[]): readonly Json[] {
  const order = messages.flatMap(({ content }) => objects(content)).flatMap(({ type, id }) =>
    type === "tool_use" ? [id] : []
  );
  return messages.map(({ role, content }) => {
    const blocks = objects(content);
    const results = blocks.filter(({ type }) => type === "tool_result");
    const sorted = results.toSorted((one, other) =>
      order.indexOf(one.tool_use_id) - order.indexOf(other.tool_use_id)
    );
    return { role, content: [...sorted, ...blocks.filter(({ type }) => type !== "tool_result")] };
  });
}

function withThinking(body: Json): Json {
  const { thinking, output_config: config } = body;
  const rest = isObject(config) ? without(config, "effort") : {};
  const type = isObject(thinking) ? thinking.type : undefined;
  if (type === "disabled" || type === "enabled") {
    const { thinking: _, ...others } = body;
    return {
      ...others,
      ...(type === "enabled" ? { thinking } : {}),
      ...(config === undefined ? {} : { output_config: Object.keys(rest).length === 0 ? undefined : rest }),
    };
  }
  return body;
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

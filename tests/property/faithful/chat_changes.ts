/** Changes that the gateway makes to a request of the chat API for a provider of that wire, and why. */

import { isObject, type Json, objects } from "../../mocks/published.ts";
import { type DocumentedChange, onList, without } from "./changes.ts";

type Change = Omit<DocumentedChange, "wire">;

const reports = [
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "annotations",
  "audio",
  "function_call",
];

const changes: readonly Change[] = [
  {
    what:
      "Thoughts, `annotations` and `audio` of earlier answers are left out, where the endpoint's row does not ask for thoughts.",
    why: "Most servers refuse them, or read thoughts as text.",
    apply: onList(
      "messages",
      (all) => all.map((one) => one.role === "assistant" ? without(one, ...reports) : one),
    ),
  },
  {
    what: "An earlier answer is one text: its parts and its `refusal`, a line each.",
    why: "Many servers take nothing else there.",
    apply: onList("messages", (all) => all.map(spoken)),
  },
  {
    what:
      "Content that is text alone is one text, a line for each part; parts with a mark or with fields that nobody knows stay.",
    why: "Many servers take nothing else, and it means the same.",
    apply: onList("messages", (all) => all.map(plain)),
  },
  {
    what: "Messages of one role in front (`system`, `developer`) become one, a paragraph each.",
    why: "Templates of local models take a single one.",
    apply: onList("messages", joined),
  },
  {
    what:
      "Custom tools and their calls are functions with one text, `input`, and calls of them come back as they were.",
    why: "Hardly any server but OpenAI's has them.",
    apply: asFunctions,
  },
  {
    what: "`allowed_tools` narrows the list of tools, and leaves its `mode` as the choice.",
    why: "Few servers know the form.",
    apply: narrowed,
  },
  {
    what: "A function without `parameters` gets the schema of an empty object.",
    why: "Many servers refuse one without.",
    apply: onList("tools", (all) => all.map(withParameters)),
  },
  {
    what:
      "`max_tokens` is called `max_completion_tokens`, or as the endpoint's row says; a `stop` text is a list.",
    why: "Reasoning models refuse the older name.",
    apply: ({ max_tokens: most, stop, ...body }) => ({
      ...body,
      ...(most === undefined ? {} : { max_completion_tokens: most }),
      ...(stop === undefined ? {} : { stop: typeof stop === "string" ? [stop] : stop }),
    }),
  },
  {
    what:
      '`stream` is always said, `service_tier: auto`, `n: 1`, `store: false`, `modalities: ["text"]` and `response_format: text` never; `top_logprobs` brings `logprobs`.',
    why: "What goes without saying is refused by servers that do not know it.",
    apply: withDefaults,
  },
  {
    what:
      "`user` and `metadata`, and top-level fields that the wire does not publish, are left out, the latter named, unless the endpoint's row lists them. `safety_identifier` is a pseudonym.",
    why:
      "Who the end user is stays here, and a field that a provider does not know makes it refuse the request.",
    apply: (body) => Object.fromEntries(Object.entries(body).filter(([key]) => passed.has(key))),
  },
];

const passed = new Set(
  ("model messages tools tool_choice parallel_tool_calls max_completion_tokens stop stream stream_options temperature " +
    "top_p frequency_penalty presence_penalty seed logit_bias logprobs top_logprobs response_format reasoning_effort " +
    "verbosity service_tier prompt_cache_key prompt_cache_options prompt_cache_retention moderation").split(
      " ",
    ),
);

const textsOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [content] : objects(content).map(({ text }) => text);

function spoken(message: Json): Json {
  if (message.role !== "assistant") return message;
  const { refusal, ...rest } = message;
  const texts = [...textsOf(rest.content), ...(refusal === undefined ? [] : [refusal])];
  return { ...rest, content: texts.join("\n") };
}

function plain(message: Json): Json {
  const parts = objects(message.content);
  const isPlain = parts.length > 0 &&
    parts.every((part) => part.type === "text" && Object.keys(part).length === 2);
  return isPlain ? { ...message, content: textsOf(parts).join("\n") } : message;
}

const listed = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objects(content);

function joined(messages: readonly Json[]): readonly Json[] {
  const all: Json[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    const isSame = last?.role === message.role && (message.role === "system" || message.role === "developer");
    if (last === undefined || !isSame) all.push(message);
    else {
      const [one, other] = [last.content, message.content];
      const isText = typeof one === "string" && typeof other === "string";
      all[all.length - 1] = {
        ...last,
        content: isText ? `${one}\n\n${other}` : [...listed(one), ...listed(other)],
      };
    }
  }
  return all;
}

const oneText = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
  required: ["input"],
  additionalProperties: false,
};

function asFunctions(body: Json): Json {
  const tools = objects(body.tools).map(({ custom, ...tool }) =>
    isObject(custom) ? { ...tool, type: "function", function: { ...custom, parameters: oneText } } : tool
  );
  const messages = objects(body.messages).map((message) => {
    const calls = objects(message.tool_calls).map(({ custom, ...call }) =>
      isObject(custom)
        ? {
          ...call,
          type: "function",
          function: { name: custom.name, arguments: JSON.stringify({ input: custom.input }) },
        }
        : call
    );
    return message.tool_calls === undefined ? message : { ...message, tool_calls: calls };
  });
  const { tool_choice: choice } = body;
  const { custom, ...rest } = isObject(choice) ? choice : {};
  return {
    ...body,
    messages,
    ...(body.tools === undefined ? {} : { tools }),
    ...(custom === undefined ? {} : { tool_choice: { ...rest, type: "function", function: custom } }),
  };
}

function narrowed(body: Json): Json {
  const { tool_choice: choice } = body;
  const allowed = isObject(choice) ? choice.allowed_tools : undefined;
  if (!isObject(allowed)) return body;
  const names = objects(allowed.tools).map((one) =>
    isObject(one[String(one.type)]) ? nameIn(one[String(one.type)]) : undefined
  );
  return {
    ...body,
    tools: objects(body.tools).filter(({ function: called }) => names.includes(nameIn(called))),
    tool_choice: allowed.mode,
  };
}

const nameIn = (value: unknown): unknown => isObject(value) ? value.name : undefined;

function withParameters(tool: Json): Json {
  const { function: called } = tool;
  if (!isObject(called)) return tool;
  return { ...tool, function: { parameters: { type: "object", properties: {} }, ...called } };
}

function withDefaults(body: Json): Json {
  const { stream = false, service_tier: tier, response_format: format, top_logprobs: top, ...rest } = body;
  return {
    ...without(rest, "n", "store", "modalities"),
    stream,
    ...(tier === undefined || tier === "auto" ? {} : { service_tier: tier }),
    ...(isObject(format) && format.type !== "text" ? { response_format: format } : {}),
    ...(top === undefined ? {} : { top_logprobs: top, logprobs: true }),
  };
}

export const chatChanges: readonly DocumentedChange[] = changes.map((one) => ({ wire: "chat", ...one }));

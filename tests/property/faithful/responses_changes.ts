/** Changes that the gateway makes to a request of the Responses API for a provider of that wire, and why. */

import { isObject, type Json } from "../../mocks/published.ts";
import { type DocumentedChange, onList, without } from "./changes.ts";

type Change = Omit<DocumentedChange, "wire">;

const changes: readonly Change[] = [
  {
    what:
      "A text that stands alone becomes a message with a part; an answer without an id has a lone text as a string. Each message says its `type`, each answer with an id its `status`.",
    why: "The forms mean the same to the provider, and one of them is written.",
    apply: (body) => onList("input", (all) => all.map(written))(asItems(body)),
  },
  {
    what: "Messages that the provider did not write, results and reasoning lose `id` and `status`.",
    why: "The provider publishes none for the former, and nothing is stored that the latter could name.",
    apply: onList("input", (all) => all.map(unnamed)),
  },
  {
    what: "`logprobs` of earlier answers are left out; `annotations` are always said.",
    why: "They report on an answer, and no model reads them.",
    apply: onList(
      "input",
      (all) =>
        all.map((one) => ({
          ...one,
          ...(Array.isArray(one.content) ? { content: one.content.map(told) } : {}),
        })),
    ),
  },
  {
    what:
      "`store: false` and `stream` are always said, `service_tier: auto`, `response_format: text` and empty objects never.",
    why: "Nothing is stored at the provider.",
    apply: withDefaults,
  },
  {
    what:
      "Fields that speak to the gateway (`metadata`, `user`, `background`, …) stay there; fields that OpenAI does not publish, at the top and in items, parts and tools, are left out and named, unless the endpoint's row lists them. `safety_identifier` is a pseudonym.",
    why:
      "Who the end user is stays here, and OpenAI refuses a request with a field that it does not know (`unknown_parameter`).",
    apply: (body) => Object.fromEntries(Object.entries(body).filter(([key]) => passed.has(key))),
  },
];

const passed = new Set(
  ("model input instructions tools tool_choice parallel_tool_calls max_output_tokens temperature top_p top_logprobs " +
    "reasoning text truncation include service_tier prompt_cache_key prompt_cache_options prompt_cache_retention " +
    "context_management moderation stream_options stream store").split(" "),
);

const asItems = (body: Json): Json =>
  typeof body.input === "string" ? { ...body, input: [{ role: "user", content: body.input }] } : body;

const isMessage = ({ type, role }: Json) => role !== undefined && (type === undefined || type === "message");

function written(item: Json): Json {
  if (!isMessage(item)) return item;
  const { role, content } = item;
  if (role !== "assistant") {
    return {
      ...item,
      type: "message",
      content: typeof content === "string" ? [{ type: "input_text", text: content }] : content,
    };
  }
  return { type: "message", ...item };
}

const results = new Set(["function_call_output", "custom_tool_call_output"]);

function unnamed(item: Json): Json {
  if (isMessage(item) && item.role !== "assistant") return without(item, "id", "status");
  if (item.type === "reasoning") return without(item, "status");
  return results.has(String(item.type)) ? without(item, "id", "status") : item;
}

const told = (part: unknown): unknown =>
  isObject(part) && part.type === "output_text" ? without(part, "logprobs") : part;

function withDefaults(body: Json): Json {
  const { stream = false, service_tier: tier, text, reasoning, ...rest } = body;
  const { format, verbosity } = isObject(text) ? text : {};
  const said = {
    ...(isObject(format) && format.type !== "text" ? { format } : {}),
    ...(verbosity === undefined ? {} : { verbosity }),
  };
  return {
    ...rest,
    stream,
    store: false,
    ...(tier === undefined || tier === "auto" ? {} : { service_tier: tier }),
    ...(Object.keys(said).length === 0 ? {} : { text: said }),
    ...(isObject(reasoning) && Object.keys(reasoning).length > 0 ? { reasoning } : {}),
  };
}

export const responsesChanges: readonly DocumentedChange[] = changes.map((one) => ({
  wire: "responses",
  ...one,
}));

/** One value for each parameter that a client can send, and what the gateway keeps to itself, with the reason. */

import { chatRequest } from "../../shared/chat/request.ts";
import { messagesRequest } from "../../shared/messages/request.ts";
import { responseRequest } from "../../shared/responses/request.ts";
import type { ApiName } from "../golden/apis.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Addition to a plain request; `with` stands in both of the requests that are compared. */
export interface Sample {
  readonly api: ApiName;
  readonly name: string;
  readonly fields: Fields;
  readonly with?: Fields;
}

const control = { cache_control: { type: "ephemeral", ttl: "5m" } };
const image = "https://example.com/cat.png";
const schema = { type: "object", properties: {}, additionalProperties: false, required: [] };
const chatTool = { type: "function", function: { name: "look", parameters: schema } };
const tool = { type: "function", name: "look", parameters: schema };
const messagesTool = { name: "look", input_schema: schema };

const userText = (
  more: Fields,
  type = "text",
) => [{ role: "user", content: [{ type, text: "Hi", ...more }] }];

/** Unknown to our schema, but published by the provider of the same wire. */
const unknown = {
  chat: {
    prediction: { type: "content", content: "Hello" },
    web_search_options: { search_context_size: "low" },
    prompt_cache_retention: "24h",
    moderation: {
      model: "omni-moderation-latest",
      policy: { input: { mode: "block" }, output: { mode: "block" } },
    },
    audio: { voice: "alloy", format: "mp3" },
    store: true,
  },
  responses: {
    prompt_cache_retention: "24h",
    context_management: [{ type: "compaction", compact_threshold: 1_000 }],
    moderation: {
      model: "omni-moderation-latest",
      policy: { input: { mode: "block" }, output: { mode: "block" } },
    },
    stream_options: { include_obfuscation: false },
    image: { context_compression: "auto" },
    access_programs: { cyber: true },
    stop: ["END"],
    seed: 7,
  },
  messages: {
    container: "container_1",
    diagnostics: { previous_message_id: null },
    inference_geo: "eu",
    speed: "fast",
    context_management: { edits: [] },
    seed: 7,
  },
} as const satisfies Readonly<Record<ApiName, Fields>>;

const gateway: Fields = {
  image_config: { aspect_ratio: "16:9" },
  prompt_cache_key: "key",
  safety_identifier: "someone",
  ...control,
};

const chat: Fields = {
  ...gateway,
  max_tokens: 100,
  max_completion_tokens: 100,
  temperature: 0.4,
  top_p: 0.4,
  top_k: 40,
  top_a: 0.4,
  min_p: 0.4,
  frequency_penalty: 0.4,
  presence_penalty: 0.4,
  repetition_penalty: 1.4,
  seed: 7,
  stop: ["END"],
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  response_format: { type: "json_object" },
  tools: [chatTool],
  reasoning: { effort: "high" },
  reasoning_effort: "high",
  verbosity: "low",
  modalities: ["text", "image"],
  service_tier: "priority",
  prompt_cache_options: { mode: "explicit", ttl: "30m" },
  stream: true,
  ...unknown.chat,
};

const responses: Fields = {
  ...gateway,
  instructions: "Be brief.",
  include: ["message.output_text.logprobs"],
  max_output_tokens: 100,
  temperature: 0.4,
  top_p: 0.4,
  top_k: 40,
  frequency_penalty: 0.4,
  presence_penalty: 0.4,
  top_logprobs: 2,
  modalities: ["text", "image"],
  service_tier: "priority",
  prompt_cache_options: { mode: "explicit", ttl: "30m", prewarm: true, comparison_response_id: "resp_1" },
  tools: [tool],
  text: { verbosity: "low" },
  reasoning: { effort: "high" },
  truncation: "auto",
  stream: true,
  ...unknown.responses,
};

const messages: Fields = {
  max_tokens: 100,
  ...gateway,
  system: "Be brief.",
  temperature: 0.4,
  top_p: 0.4,
  top_k: 40,
  stop_sequences: ["END"],
  tools: [messagesTool],
  thinking: { type: "enabled", budget_tokens: 2_000 },
  output_config: { effort: "high" },
  output_format: { type: "json_schema", schema },
  service_tier: "priority",
  stream: true,
  ...unknown.messages,
};

/** Parts of a field that are sent by themselves. */
const parts: readonly Sample[] = [
  { api: "messages", name: "x-anthropic-beta", fields: { betas: "context-1m-2025-08-07" } },
  ...(["chat", "responses"] as const).map((api): Sample => ({
    api,
    name: "parallel_tool_calls with tools",
    fields: { tools: [api === "chat" ? chatTool : tool], parallel_tool_calls: false },
  })),
  ...["context", "mode"].map((key): Sample => ({
    api: "responses",
    name: `reasoning.${key}`,
    fields: { reasoning: { effort: "high", [key]: key === "mode" ? "pro" : "all_turns" } },
    with: { reasoning: { effort: "high" } },
  })),
  {
    api: "responses",
    name: "text.format",
    fields: { text: { format: { type: "json_schema", name: "x", schema } } },
  },
  { api: "responses", name: "tool_choice", fields: { tool_choice: "required" }, with: { tools: [tool] } },
  {
    api: "responses",
    name: "tools[].strict",
    fields: { tools: [{ ...tool, strict: true }] },
    with: { tools: [tool] },
  },
  {
    api: "messages",
    name: "tool_choice",
    fields: { tool_choice: { type: "any" } },
    with: { tools: [messagesTool] },
  },
  {
    api: "messages",
    name: "tools[].cache_control",
    fields: { tools: [{ ...messagesTool, ...control }] },
    with: { tools: [messagesTool] },
  },
  ...(["defer_loading", "allowed_callers", "input_examples", "eager_input_streaming"] as const).map((
    key,
  ): Sample => ({
    api: "messages",
    name: `tools[].${key}`,
    fields: { tools: [{ ...messagesTool, [key]: key.endsWith("s") ? ["direct"] : true }] },
    with: { tools: [messagesTool] },
  })),
  ...(["allowed_callers", "async", "output_schema"] as const).map((key): Sample => ({
    api: "responses",
    name: `tools[].${key}`,
    fields: { tools: [{ ...tool, [key]: key === "async" ? true : ["direct"] }] },
    with: { tools: [tool] },
  })),
  {
    api: "responses",
    name: "tools[].defer_loading",
    fields: { tools: [tool, { ...tool, name: "find", defer_loading: true }, { type: "tool_search" }] },
    with: { tools: [tool, { ...tool, name: "find" }, { type: "tool_search" }] },
  },
  {
    api: "chat",
    name: "tools[].unknown",
    fields: { tools: [{ type: "function", function: { ...chatTool.function, unknown: 1 } }] },
    with: { tools: [chatTool] },
  },
  { api: "chat", name: "tool_choice", fields: { tool_choice: "required" }, with: { tools: [chatTool] } },
  { api: "chat", name: "cache_control of a part", fields: { messages: userText(control) } },
  { api: "messages", name: "cache_control of a part", fields: { messages: userText(control) } },
  { api: "responses", name: "cache_control of a part", fields: { input: userText(control, "input_text") } },
  {
    api: "responses",
    name: "tool_choice of one",
    fields: { tool_choice: { type: "function", name: "look" } },
    with: { tools: [tool] },
  },
  {
    api: "responses",
    name: "image_config of a picture",
    fields: { image_config: { aspect_ratio: "16:9", image_size: "2K" } },
    with: { modalities: ["text", "image"] },
  },
  {
    api: "responses",
    name: "max_tool_calls",
    fields: { tools: [tool, { type: "web_search" }], max_tool_calls: 3 },
    with: { tools: [tool] },
  },
  ...breakpoints(),
  {
    api: "responses",
    name: "detail",
    fields: { input: imageInput("low") },
    with: { input: imageInput("auto") },
  },
];

function imageInput(detail: string): readonly Fields[] {
  return [{ role: "user", content: [{ type: "input_image", image_url: image, detail }] }];
}

function breakpoints(): readonly Sample[] {
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  const name = "prompt_cache_breakpoint";
  const system = { role: "system", content: [{ type: "text", text: "Be brief.", ...mark }] };
  const plain = { role: "system", content: [{ type: "text", text: "Be brief." }] };
  return [
    { api: "responses", name, fields: { input: userText(mark, "input_text") } },
    { api: "chat", name, fields: { messages: userText(mark) } },
    {
      api: "chat",
      name: `${name} of a system message`,
      fields: { messages: [system, ...userText({})] },
      with: { messages: [plain, ...userText({})] },
    },
  ];
}

const toSamples = (api: ApiName, all: Fields): readonly Sample[] =>
  Object.entries(all).map(([name, value]) => ({ api, name, fields: { [name]: value } }));

export const samples: readonly Sample[] = [
  ...toSamples("chat", chat),
  ...toSamples("responses", responses),
  ...toSamples("messages", messages),
  ...parts,
];

/** Fields whose work the gateway does where a provider has no such field. */
export const doneHere: Readonly<Record<string, string>> = { truncation: "the fit_context stage" };

/** Fields that no provider is sent, by what the gateway does with them. */
export const gatewaysOwn: Readonly<Record<string, string>> = {
  model: "names the endpoints",
  models: "names the endpoints",
  preset: "fills in the request before it is read",
  fallbacks: "names the endpoints",
  provider: "routing",
  route: "routing",
  session_id: "routing",
  plugins: "the plugins stage",
  trace: "the receipt",
  debug: "what is shown of the upstream call",
  metadata: "echoed",
  user: "never leaves",
  background: "echoed",
  store: "refused, or false",
  previous_response_id: "refused",
  conversation: "refused",
  prompt: "refused",
  thread: "refused",
  functions: "refused",
  function_call: "refused",
  n: "one answer",
  stream_options: "usage always comes",
  include_reasoning: "what of the answer is shown",
  max_tool_calls: "the server_tools stage",
  stop_server_tools_when: "the server_tools stage",
  parallel_tool_calls: "held to by the gateway",
  messages: "the conversation",
  input: "the conversation",
  tool_choice: "needs tools: among the parts above",
};

export const shapes: Readonly<Record<ApiName, readonly string[]>> = {
  chat: Object.keys(chatRequest.shape),
  responses: Object.keys(responseRequest.shape),
  messages: Object.keys(messagesRequest.shape),
};

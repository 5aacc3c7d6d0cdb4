/** Requests that together use every field of the wire reference, in legal forms. */

import { everyItem } from "./covering_items.ts";
import { everyTool } from "./covering_tools.ts";

export type Body = Readonly<Record<string, unknown>>;

const router = {
  allowed_models: ["vendor/*"],
  excluded_models: ["vendor/old"],
  cost_tier: "low",
  cost_quality_tradeoff: 9,
};

export const everyPlugin = [
  { id: "auto-router", enabled: true, ...router, pin_model: true },
  { id: "auto-beta-router", enabled: false, ...router },
  { id: "moderation" },
  {
    id: "web",
    enabled: true,
    engine: "exa",
    max_results: 5,
    include_domains: ["*.example.org"],
    exclude_domains: ["example.org/path"],
    mode: "fast",
    search_prompt: "p",
    max_uses: 1,
    user_location: { type: "approximate", city: "Paris" },
    x_search: { allowed_x_handles: ["a"] },
  },
  {
    id: "web-fetch",
    allowed_domains: ["example.org"],
    blocked_domains: [],
    max_content_tokens: 10,
    max_uses: 2,
  },
  { id: "file-parser", enabled: true, pdf: { engine: "native" } },
  { id: "response-healing", enabled: false },
  { id: "context-compression", enabled: true, engine: "middle-out" },
  { id: "pareto-router", enabled: true, max_price: 1.5, min_coding_score: 0.7, price_source: "weighted_avg" },
  {
    id: "fusion",
    enabled: true,
    analysis_models: ["a/b"],
    model: "a/b",
    preset: "general-fast",
    max_tool_calls: 4,
    tools: [{ type: "service:web_search", parameters: {} }],
  },
  { id: "switchyard-router", algorithm: "stage" },
];

export const everyStop = [
  { type: "step_count_is", step_count: 3 },
  { type: "has_tool_call", tool_name: "now" },
  { type: "max_tokens_used", max_tokens: 1000 },
  { type: "max_cost", max_cost_in_dollars: 0.5 },
  { type: "finish_reason_is", reason: "stop" },
];

export const providerPreferences = {
  order: ["openai", "deepinfra/turbo"],
  only: ["openai"],
  ignore: null,
  allow_fallbacks: true,
  require_parameters: false,
  data_collection: "deny",
  zdr: true,
  enforce_distillable_text: false,
  quantizations: ["fp8", "bf16"],
  sort: { by: "price", partition: "none" },
  preferred_min_throughput: 20,
  preferred_max_latency: { p50: 1, p90: 2.5, p99: null },
  max_price: { prompt: "0.5", completion: 2, image: null },
};

const fields = {
  model: "vendor/model",
  models: ["vendor/model", "other/model"],
  instructions: "Be brief.",
  background: true,
  stream: true,
  store: false,
  previous_response_id: null,
  conversation: null,
  prompt: null,
  include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
  max_output_tokens: 100,
  max_tool_calls: 30,
  stop_server_tools_when: everyStop,
  parallel_tool_calls: false,
  temperature: 0.3,
  top_p: 0.8,
  top_k: 40,
  frequency_penalty: -2,
  presence_penalty: 2,
  top_logprobs: 20,
  modalities: ["text", "image"],
  image_config: { aspect_ratio: "16:9", strength: 0.5, sizes: [1, 2] },
  metadata: { a: "b" },
  service_tier: "fast",
  preset: null,
  session_id: "session-1",
  user: "user-1",
  safety_identifier: "safe-1",
  prompt_cache_key: "key-1",
  prompt_cache_options: { mode: "explicit", ttl: "30m" },
  cache_control: { type: "ephemeral", ttl: "5m" },
  debug: { echo_upstream_body: true },
  plugins: everyPlugin,
  tool_choice: "auto",
  text: { format: { type: "json_object" }, verbosity: "low" },
  reasoning: {
    effort: "low",
    summary: "auto",
    enabled: true,
    max_tokens: 100,
    context: "auto",
    mode: "standard",
  },
  provider: providerPreferences,
  trace: {
    trace_id: "t",
    trace_name: "n",
    span_name: "s",
    generation_name: "g",
    parent_span_id: "p",
    more: 1,
  },
  truncation: "auto",
  route: "fallback",
  client_metadata: { anything: true },
};

const schemaFormat = {
  type: "json_schema",
  name: "event",
  description: "An event",
  schema: { type: "object", properties: {}, additionalProperties: false },
  strict: true,
};

const allowed = [{ type: "function", name: "get_weather" }, { type: "mcp", server_label: "docs" }];

/** All choices of tools that `everyTool` can meet. */
export const everyChoice = [
  "auto",
  "none",
  "required",
  { type: "function", name: "get_weather" },
  { type: "function", name: "close", namespace: "agents" },
  { type: "custom", name: "sql" },
  { type: "mcp", server_label: "docs", name: "find" },
  { type: "web_search_preview" },
  { type: "web_search_preview_2025_03_11" },
  { type: "file_search" },
  { type: "apply_patch" },
  { type: "shell" },
  { type: "openrouter:web_search" },
  { type: "service:datetime" },
  { type: "allowed_tools", mode: "required", tools: allowed },
];

/** Every field but conversation and tools. */
export const everyField: Body = { ...fields, input: "Hello" };

/** Every item and every tool. */
export const everyKind: Body = { model: "vendor/model", input: everyItem, tools: everyTool };

/** An item of the list by itself; what answers a call comes with the call. */
function withCall(index: number): readonly unknown[] {
  const item: { readonly type?: string } | undefined = everyItem[index];
  const answers = item?.type?.endsWith("_output") === true;
  return [answers ? everyItem[index - 1] : { role: "user", content: "Hello" }, item];
}

export const covering: readonly Body[] = [
  everyField,
  everyKind,
  { input: "Hello", text: { format: schemaFormat } },
  { input: "Hello", text: { format: { type: "json_schema", schema: {} } } },
  { input: "Hello", provider: { sort: "price", preferred_min_throughput: null }, route: "sort" },
  ...everyItem.map((_, index) => ({ input: withCall(index) })),
  ...everyTool.map((tool) => ({ model: "vendor/model", input: "Hello", tools: [tool] })),
  ...everyPlugin.map((plugin) => ({ input: "Hello", plugins: [plugin] })),
  ...everyChoice.map((choice) => ({ input: "Hello", tools: everyTool, tool_choice: choice })),
];

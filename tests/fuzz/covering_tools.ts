/** Tools, one of each kind at least, with every field that the wire reference lists. */

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

export const clientTools = [
  {
    type: "function",
    name: "get_weather",
    description: "Weather of a city",
    parameters: schema,
    strict: true,
    defer_loading: false,
    async: true,
  },
  { type: "function", name: "now" },
  { type: "function", name: "later", parameters: null, strict: null, description: null },
  { type: "custom", name: "sql", description: "Runs SQL", format: { type: "text" } },
  { type: "custom", name: "math", format: { type: "grammar", syntax: "lark", definition: "start: NUMBER" } },
  {
    type: "namespace",
    name: "agents",
    description: "Other agents",
    tools: [
      { type: "function", name: "close", parameters: schema, allowed_callers: ["direct"], output_schema: {} },
      { type: "custom", name: "say" },
    ],
  },
];

const location = {
  type: "approximate",
  city: "Paris",
  country: "FR",
  region: "IDF",
  timezone: "Europe/Paris",
};
const handles = { allowed_x_handles: ["a"], from_date: "2026-01-01" };

const web = {
  engine: "exa",
  filters: { allowed_domains: ["example.org"], blocked_domains: null },
  max_results: 5,
  max_uses: 2,
  mode: "fast",
  search_context_size: "low",
  user_location: location,
  x_search: handles,
  external_web_access: false,
};

export const hostedTools = [
  { type: "web_search", ...web },
  { type: "web_search_2025_08_26" },
  { type: "web_search_preview", user_location: null },
  { type: "web_search_preview_2025_03_11" },
  {
    type: "file_search",
    vector_store_ids: ["vs_1"],
    filters: { type: "and", filters: [{ type: "eq", key: "a", value: "b" }] },
    max_num_results: 3,
    ranking_options: { ranker: "auto", score_threshold: 0.5 },
  },
  { type: "computer_use_preview", display_width: 1024, display_height: 768, environment: "linux" },
  { type: "code_interpreter", container: "cntr_1" },
  { type: "code_interpreter", container: { type: "auto", file_ids: ["file_1"], memory_limit: "4g" } },
  {
    type: "mcp",
    server_label: "docs",
    server_url: "https://example.org/mcp",
    connector_id: null,
    authorization: "token",
    headers: { "x-a": "b" },
    allowed_tools: { read_only: true, tool_names: ["find"] },
    require_approval: { always: { tool_names: ["write"] }, never: { tool_names: ["find"] } },
    server_description: "Docs",
  },
  {
    type: "mcp",
    server_label: "other",
    connector_id: "connector_gmail",
    allowed_tools: ["a"],
    require_approval: "never",
  },
  {
    type: "image_generation",
    model: "gpt-image-1",
    size: "1024x1024",
    quality: "low",
    background: "opaque",
    output_format: "png",
    output_compression: 90,
    partial_images: 1,
    moderation: "low",
    input_fidelity: "high",
    input_image_mask: { file_id: "file_1" },
  },
  { type: "local_shell" },
  { type: "shell" },
  { type: "apply_patch" },
  { type: "computer" },
  { type: "tool_search" },
  { type: "programmatic_tool_calling" },
];

const environment = {
  type: "container_reference",
  container_id: "sess_demo-1",
  file_ids: ["file_1"],
  network_policy: { type: "allowlist", allowed_domains: ["example.org"] },
};
const helper = {
  name: "Helper 1",
  model: "v/m",
  instructions: "Help.",
  temperature: 0.5,
  max_completion_tokens: 100,
};

export const serverTools = [
  { type: "service:datetime", parameters: { timezone: "Europe/Paris" } },
  { type: "openrouter:datetime", timezone: "UTC" },
  {
    type: "service:web_search",
    parameters: {
      engine: "auto",
      mode: "deep",
      max_results: 25,
      max_total_results: 50,
      max_uses: 3,
      max_characters: 1000,
      search_context_size: "high",
      allowed_domains: ["example.org"],
      excluded_domains: [],
      user_location: location,
      x_search: { excluded_x_handles: ["b"] },
    },
  },
  { type: "openrouter:web_search", max_results: 3, search_prompt: "p" },
  {
    type: "openrouter:web_fetch",
    parameters: {
      engine: "firecrawl",
      max_uses: 1,
      max_content_tokens: 1000,
      allowed_domains: [],
      blocked_domains: [],
    },
  },
  { type: "service:files", parameters: {} },
  { type: "openrouter:bash", parameters: { engine: "native", environment, sleep_after_seconds: 900 } },
  { type: "service:shell", parameters: { engine: "auto", environment: { type: "container_auto" } } },
  { type: "openrouter:apply_patch", parameters: { engine: "auto" } },
  { type: "service:image_generation", parameters: { model: "v/image", aspect_ratio: "16:9" } },
  {
    type: "openrouter:advisor",
    parameters: {
      ...helper,
      forward_transcript: true,
      stream: true,
      reasoning: { effort: "low", max_tokens: 100 },
    },
  },
  { type: "service:advisor" },
  {
    type: "service:subagent",
    parameters: {
      ...helper,
      tools: [{ type: "service:web_search", parameters: {} }],
      max_tool_calls: 25,
      inherit_functions: true,
      inherited_function_names: ["now"],
    },
  },
  {
    type: "openrouter:fusion",
    parameters: {
      analysis_models: ["a/b", "c/d"],
      model: "a/b",
      max_tool_calls: 16,
      max_completion_tokens: 16000,
      reasoning: { effort: "high" },
      temperature: 1,
      tools: [{ type: "service:web_search" }],
      cache_control: { type: "ephemeral" },
    },
  },
  { type: "openrouter:experimental__search_models", parameters: { max_results: 20 } },
  { type: "service:search_models" },
  { type: "openrouter:tool_search", parameters: { max_results: 50 } },
];

export const everyTool = [...clientTools, ...hostedTools, ...serverTools];

/** Requests of each API with MCP servers, searches of files, files, advisors and subagents, and their items. */

import type { Json } from "../mocks/published.ts";
import type { Api } from "../server_tools/rig.ts";

export interface FivePlaces {
  /** Address of an MCP server. */
  readonly server: string;
  /** Id of a file of the workspace. */
  readonly fileId: string;
  readonly model: string;
}

const reasoning = { effort: "low", max_tokens: 50 };
const filters = {
  type: "or",
  filters: [
    { type: "in", key: "filename", value: ["a.md", "b.md"] },
    {
      type: "and",
      filters: [{ type: "gte", key: "bytes", value: 1 }, { type: "ne", key: "mime_type", value: "x" }],
    },
  ],
};

/** Tools that Responses and Chat Completions name alike, with all of their fields. */
const sharedTools = ({ server, fileId, model }: FivePlaces): readonly Json[] => [
  {
    type: "mcp",
    server_label: "docs",
    server_url: server,
    connector_id: null,
    tunnel_id: null,
    authorization: "token",
    headers: { "x-a": "b" },
    allowed_tools: { tool_names: ["echo", "add"], read_only: null },
    require_approval: "never",
    server_description: "The handbook.",
    allowed_callers: ["direct"],
    defer_loading: false,
  },
  {
    type: "file_search",
    vector_store_ids: ["workspace", fileId],
    filters,
    max_num_results: 5,
    ranking_options: {
      ranker: "auto",
      score_threshold: 0.1,
      hybrid_search: { embedding_weight: 0.5, text_weight: 0.5 },
    },
  },
  ...ownTools(model),
];

/** The tools that all three APIs name alike. */
const ownTools = (model: string): readonly Json[] => [
  { type: "service:files", parameters: {} },
  {
    type: "openrouter:advisor",
    parameters: {
      name: "Legal aid",
      model,
      instructions: "Advise.",
      forward_transcript: false,
      stream: true,
      max_completion_tokens: 100,
      temperature: 0.5,
      reasoning,
    },
  },
  {
    type: "service:subagent",
    name: "Scout",
    model,
    instructions: "Work.",
    tools: [{ type: "service:datetime", parameters: { timezone: "UTC" } }, { type: "service:files" }],
    max_tool_calls: 2,
    max_completion_tokens: 100,
    temperature: 1,
    reasoning,
    inherit_functions: false,
    inherited_function_names: [],
  },
];

const approvals = {
  always: { tool_names: ["echo"], read_only: false },
  never: { tool_names: ["add"], read_only: true },
};

const mcpItems: readonly Json[] = [
  {
    type: "mcp_list_tools",
    id: "mcpl_1",
    server_label: "docs",
    tools: [{ name: "echo", description: "Says it.", input_schema: { type: "object" }, annotations: null }],
    error: null,
  },
  {
    type: "mcp_call",
    id: "mcp_1",
    server_label: "docs",
    name: "echo",
    arguments: "{}",
    output: "x",
    error: null,
    status: "completed",
    approval_request_id: null,
  },
  {
    type: "mcp_call",
    id: "mcp_2",
    server_label: "docs",
    name: "echo",
    arguments: "{}",
    output: null,
    error: { type: "http_error", code: 500, message: "Oh." },
    status: "failed",
  },
  {
    type: "mcp_approval_request",
    id: "mcpr_1",
    server_label: "docs",
    name: "echo",
    arguments: '{"text":"x"}',
  },
  { type: "mcp_approval_response", id: "a_1", approval_request_id: "mcpr_1", approve: false, reason: "No." },
];

const ownItems = ({ fileId }: FivePlaces): readonly Json[] => [
  {
    type: "file_search_call",
    id: "fs_1",
    status: "completed",
    queries: ["x"],
    results: [{ file_id: fileId, filename: "a.md", score: 0.5, text: "x", attributes: {} }],
  },
  {
    type: "service:files",
    id: "st_1",
    status: "completed",
    operation: "read",
    file_id: fileId,
    filename: "a.md",
    result: '{"content":"x"}',
    arguments: "{}",
    call_id: "call_f",
  },
  {
    type: "openrouter:advisor",
    id: "st_2",
    status: "completed",
    call_id: "call_a",
    arguments: '{"prompt":"Left?"}',
    model: "m",
    prompt: "Left?",
    advice: "Wait.",
    instance_name: "Legal aid",
  },
  {
    type: "service:subagent",
    id: "st_3",
    status: "failed",
    call_id: "call_s",
    arguments: '{"task_description":"Look."}',
    task_name: "T",
    task_description: "Look.",
    outcome: null,
    error: "No.",
    subagent_id: null,
  },
];

const asked = [{ role: "user", content: "Do it." }];
const use = (id: string, name: string, more: Json = {}): Json => ({
  type: "server_tool_use",
  id,
  name,
  input: { prompt: "Left?" },
  ...more,
});

const messagesTools = ({ fileId, model }: FivePlaces): readonly Json[] => [
  {
    type: "mcp_toolset",
    mcp_server_name: "docs",
    default_config: { enabled: true, defer_loading: false },
    configs: { echo: { enabled: true, defer_loading: false } },
    cache_control: { type: "ephemeral" },
    tools: null,
  },
  {
    type: "service:file_search",
    vector_store_ids: ["workspace", fileId],
    filters,
    max_num_results: 5,
    ranking_options: {},
  },
  ...ownTools(model),
];

const messagesBase = (places: FivePlaces): Json => ({
  model: places.model,
  max_tokens: 500,
  messages: asked,
  mcp_servers: [{ type: "url", name: "docs", url: places.server, authorization_token: "token" }],
  tools: messagesTools(places),
});

const blocks = [
  {
    type: "mcp_tool_listing",
    mcp_server_name: "docs",
    tools: [{ name: "echo", inputSchema: { type: "object" } }],
  },
  { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "docs", input: { text: "x" } },
  {
    type: "mcp_tool_result",
    tool_use_id: "mcptoolu_1",
    is_error: false,
    content: [{ type: "text", text: "echo: x" }],
  },
  use("srvtoolu_1", "advisor"),
  {
    type: "advisor_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "advisor_result", text: "Wait.", stop_reason: "end_turn" },
  },
  { type: "text", text: "Done." },
];

const responses = (places: FivePlaces): readonly Json[] => [
  {
    model: places.model,
    input: "Do it.",
    tools: sharedTools(places),
    include: ["file_search_call.results"],
  },
  {
    model: places.model,
    input: [...asked, ...ownItems(places), ...mcpItems],
    tools: sharedTools(places),
    max_tool_calls: 3,
    stream: true,
  },
  {
    model: places.model,
    input: asked,
    tools: sharedTools(places).map((tool) =>
      tool.type === "mcp"
        ? { ...tool, allowed_tools: ["echo", "fail"], require_approval: approvals, tunnel_id: undefined }
        : tool
    ),
    tool_choice: { type: "mcp", server_label: "docs", name: "echo" },
  },
  {
    model: places.model,
    input: asked,
    tools: sharedTools(places),
    tool_choice: {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "mcp", server_label: "docs" }, { type: "file_search" }, { type: "service:files" }],
    },
    stream: true,
  },
];

const chat = (places: FivePlaces): readonly Json[] => [
  { model: places.model, messages: asked, tools: sharedTools(places), max_completion_tokens: 500 },
  {
    model: places.model,
    messages: [
      ...asked,
      {
        role: "assistant",
        content: null,
        tool_calls: [{
          id: "c1",
          type: "function",
          function: { name: "advisor", arguments: '{"prompt":"Left?"}' },
        }],
      },
      { role: "tool", tool_call_id: "c1", content: '{"status":"ok","model":"m","advice":"Wait."}' },
      ...asked,
    ],
    tools: sharedTools(places),
    tool_choice: { type: "service:subagent" },
    stream: true,
  },
];

const messages = (places: FivePlaces): readonly Json[] => [
  messagesBase(places),
  {
    ...messagesBase(places),
    messages: [...asked, { role: "assistant", content: blocks }, ...asked],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    stream: true,
  },
  {
    model: places.model,
    max_tokens: 500,
    messages: asked,
    tools: [
      {
        type: "advisor_20260301",
        name: "advisor",
        model: places.model,
        max_uses: 2,
        max_tokens: 100,
        caching: { type: "ephemeral", ttl: "5m" },
      },
    ],
  },
];

/** Bodies that are taken as they are. */
export const fiveTools = (places: FivePlaces): Readonly<Record<Api, readonly Json[]>> => ({
  responses: responses(places),
  chat: chat(places),
  messages: messages(places),
});

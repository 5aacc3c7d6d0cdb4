/**
 * Keys that the provider publishes of its request, as data: it refuses a key outside of these lists
 * (`unknown_parameter`), so nothing else is sent unless an endpoint's row says that it is taken. Source: the types of
 * the official client library.
 */

import type { JsonObject } from "../../canonical/item.ts";

const caller = ["caller"] as const;

/** Keys of input items by their `type`; a kind that is not here is not an input item of the provider. */
export const itemKeys: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "id", "role", "content", "status", "phase"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
  function_call: ["type", "id", "call_id", "name", "arguments", "namespace", "status", "async", ...caller],
  function_call_output: ["type", "id", "call_id", "output", "name", "namespace", "status", ...caller],
  custom_tool_call: ["type", "id", "call_id", "name", "input", "namespace", "async", ...caller],
  custom_tool_call_output: ["type", "id", "call_id", "output", ...caller],
  file_search_call: ["type", "id", "queries", "status", "results"],
  web_search_call: ["type", "id", "action", "status"],
  computer_call: ["type", "id", "call_id", "action", "actions", "pending_safety_checks", "status"],
  computer_call_output: ["type", "id", "call_id", "output", "acknowledged_safety_checks", "status"],
  tool_search_call: ["type", "id", "call_id", "arguments", "execution", "status"],
  tool_search_output: ["type", "id", "call_id", "tools", "execution", "status"],
  additional_tools: ["type", "id", "role", "tools"],
  configuration_update: ["type", "id", "reasoning", "text"],
  compaction: ["type", "id", "encrypted_content"],
  compaction_trigger: ["type", "id"],
  image_generation_call: [
    "type",
    "id",
    "result",
    "status",
    "action",
    "background",
    "error",
    "output_format",
    "quality",
    "revised_prompt",
    "size",
    "svg_usage",
  ],
  code_interpreter_call: ["type", "id", "code", "container_id", "outputs", "status"],
  local_shell_call: ["type", "id", "call_id", "action", "status"],
  local_shell_call_output: ["type", "id", "output", "status"],
  shell_call: ["type", "id", "call_id", "action", "environment", "status", ...caller],
  shell_call_output: ["type", "id", "call_id", "output", "max_output_length", "status", ...caller],
  apply_patch_call: ["type", "id", "call_id", "operation", "status", ...caller],
  apply_patch_call_output: ["type", "id", "call_id", "status", "output", ...caller],
  mcp_list_tools: ["type", "id", "server_label", "tools", "error"],
  mcp_approval_request: ["type", "id", "arguments", "name", "server_label"],
  mcp_approval_response: ["type", "id", "approval_request_id", "approve", "reason"],
  mcp_call: [
    "type",
    "id",
    "arguments",
    "name",
    "server_label",
    "approval_request_id",
    "error",
    "output",
    "status",
  ],
  program: ["type", "id", "call_id", "code", "fingerprint"],
  program_output: ["type", "id", "call_id", "result", "status"],
};

/** Keys that a content part may carry besides those that the canonical model models. */
export const partExtras = ["detail", "prompt_cache_breakpoint"] as const;

const webSearch = ["type", "external_web_access", "filters", "search_context_size", "user_location"] as const;
const webSearchPreview = ["type", "search_content_types", "search_context_size", "user_location"] as const;

/** Keys of tools by their `type`. */
export const toolKeys: Readonly<Record<string, readonly string[]>> = {
  function: [
    "type",
    "name",
    "description",
    "parameters",
    "strict",
    "defer_loading",
    "allowed_callers",
    "async",
    "output_schema",
  ],
  custom: ["type", "name", "description", "format", "allowed_callers", "async", "defer_loading"],
  namespace: ["type", "name", "description", "tools"],
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearchPreview,
  web_search_preview_2025_03_11: webSearchPreview,
  file_search: ["type", "vector_store_ids", "filters", "max_num_results", "ranking_options"],
  computer: ["type"],
  computer_use_preview: ["type", "display_width", "display_height", "environment"],
  code_interpreter: ["type", "container", "allowed_callers"],
  mcp: [
    "type",
    "server_label",
    "server_url",
    "connector_id",
    "tunnel_id",
    "authorization",
    "headers",
    "allowed_tools",
    "allowed_callers",
    "require_approval",
    "server_description",
    "defer_loading",
  ],
  image_generation: [
    "type",
    "action",
    "background",
    "complexity",
    "frame_count",
    "frame_duration_ms",
    "input_fidelity",
    "input_image_mask",
    "model",
    "moderation",
    "output_compression",
    "output_format",
    "partial_images",
    "quality",
    "size",
    "svg",
  ],
  local_shell: ["type"],
  shell: ["type", "environment", "allowed_callers"],
  apply_patch: ["type", "allowed_callers"],
  tool_search: ["type", "description", "execution", "parameters"],
  programmatic_tool_calling: ["type"],
};

/** Keys inside an object of a tool where callers are known to send more than the provider takes. */
export const nestedToolKeys: Readonly<Record<string, readonly string[]>> = {
  filters: ["allowed_domains"],
};

/** Keys of `tool_choice` objects by their `type`; hosted tools without a row take `type` alone. */
export const choiceKeys: Readonly<Record<string, readonly string[]>> = {
  mcp: ["type", "server_label", "name"],
};

/** Values of `include`. */
export const includes: readonly string[] = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
];

/** Keys of a request that are only passed on. */
export const published: readonly string[] = [
  "access_programs",
  "context_management",
  "image",
  "moderation",
  "prompt_cache_retention",
  "stream_options",
];

export const cacheOptionKeys: readonly string[] = ["mode", "ttl", "prewarm", "comparison_response_id"];
export const verbosities: readonly string[] = ["low", "medium", "high"];

// Plain loops: these run for every part of every request, and lists of entries cost several times as much.

/** An object with only the listed keys, in the order of the original; undefined values are left out. */
export function pickKeys(value: JsonObject, keys: readonly string[]): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const key in value) {
    if (value[key] !== undefined && keys.includes(key)) kept[key] = value[key];
  }
  return kept;
}

/** The keys that {@link pickKeys} would leave out. */
export function keysOutside(value: JsonObject, keys: readonly string[]): readonly string[] {
  return Object.keys(value).filter((key) => !keys.includes(key) && value[key] !== undefined);
}

/** Renders each element of a list; an undefined one is left out. */
export function renderEach<One>(
  list: readonly One[],
  render: (one: One) => JsonObject | undefined,
): readonly JsonObject[] {
  const rendered: JsonObject[] = [];
  for (const one of list) {
    const value = render(one);
    if (value !== undefined) rendered.push(value);
  }
  return rendered;
}

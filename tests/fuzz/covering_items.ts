/** Input items, one of each kind at least, with every field that the wire reference lists. */

import { serviceItemKinds, typeNamesOf } from "../../shared/fields/service_tool_names.ts";

const image = "data:image/png;base64,iVBORw0KGgo=";

export const messageParts = [
  { type: "input_text", text: "Hello", prompt_cache_breakpoint: { mode: "explicit" } },
  { type: "input_text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } },
  { type: "input_image", image_url: image, detail: "high", file_id: null },
  { type: "input_file", file_data: "data:text/plain;base64,SGk=", filename: "a.txt" },
  { type: "input_file", file_url: "https://example.org/a.pdf", file_id: null },
  { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
  { type: "input_video", video_url: "https://example.org/a.mp4", processing: "static" },
];

export const answerParts = [
  {
    type: "output_text",
    text: "See example.org",
    annotations: [{
      type: "url_citation",
      url: "https://example.org",
      title: "E",
      start_index: 4,
      end_index: 15,
    }],
    logprobs: [{ token: "See", logprob: -0.1, bytes: [83, 101, 101], top_logprobs: [] }],
  },
  { type: "refusal", refusal: "I cannot help with that." },
];

const patch = { type: "update_file", path: "a.ts", diff: "@@\n-a\n+b\n" };

/** Items that the canonical model has words for. */
export const plainItems = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hello, how can I help?", phase: "final_answer" },
  { role: "user", content: null },
  { type: "message", role: "developer", content: "Be brief.", id: "msg_1", status: null, phase: null },
  { type: "message", role: "user", content: messageParts },
  { type: "message", role: "assistant", id: "msg_2", status: "completed", content: answerParts },
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Thinking." }],
    content: [{ type: "reasoning_text", text: "Two and two" }],
    encrypted_content: "c2VjcmV0",
    signature: "sig",
    format: "openai-responses-v1",
    status: "completed",
  },
  { type: "reasoning", id: "rs_2", summary: [], content: null, encrypted_content: null, status: null },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "get_weather",
    arguments: '{"city":"Paris"}',
    status: "completed",
    async: true,
  },
  { type: "function_call_output", call_id: "call_1", output: "18 C", id: null, status: null },
  { type: "function_call", call_id: "call_2", name: "close", namespace: "agents", arguments: "{}" },
  {
    type: "function_call_output",
    call_id: "call_2",
    output: [{ type: "input_text", text: "ok" }, { type: "input_image", image_url: image }],
  },
  { type: "custom_tool_call", id: "ctc_1", call_id: "call_3", name: "sql", input: "SELECT 1" },
  { type: "custom_tool_call_output", call_id: "call_3", output: "1" },
  { type: "item_reference", id: "rs_9" },
  {
    type: "agent_message",
    author: "planner",
    recipient: "coder",
    content: [{ type: "input_text", text: "Go" }],
  },
  {
    type: "additional_tools",
    role: "developer",
    tools: [{ type: "function", name: "late", parameters: null }],
  },
  { type: "configuration_update", reasoning: { effort: "high" } },
];

/** Items of tools that a provider hosts. */
export const hostedItems = [
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "deno kv" } },
  { type: "file_search_call", id: "fs_1", status: "completed", queries: ["contract"] },
  { type: "image_generation_call", id: "ig_1", status: "completed", result: null, prompt: "a cat" },
  {
    type: "code_interpreter_call",
    id: "ci_1",
    status: "completed",
    code: "print(1)",
    container_id: "cntr_1",
    outputs: [{ type: "logs", logs: "1" }],
  },
  { type: "computer_call", id: "cu_1", call_id: "call_4", status: "completed", pending_safety_checks: [] },
  {
    type: "computer_call_output",
    call_id: "call_4",
    output: { type: "computer_screenshot", image_url: image },
  },
  { type: "apply_patch_call", call_id: "call_5", operation: patch, status: "completed", id: null },
  { type: "apply_patch_call_output", call_id: "call_5", status: "failed", output: "no such file" },
  {
    type: "local_shell_call",
    id: "ls_1",
    call_id: "call_6",
    status: "completed",
    action: { type: "exec", command: ["ls"], env: {} },
  },
  { type: "local_shell_call_output", id: "call_6", output: "a.txt", status: null },
  {
    type: "shell_call",
    call_id: "call_7",
    action: { commands: ["ls", "pwd"], timeout_ms: 1000 },
    status: "completed",
  },
  {
    type: "shell_call_output",
    call_id: "call_7",
    output: [
      { stdout: "a.txt", stderr: "", outcome: { type: "exit", exit_code: 0 } },
      { stdout: "", stderr: "", outcome: { type: "timeout" } },
    ],
  },
  {
    type: "mcp_list_tools",
    id: "mcpl_1",
    server_label: "docs",
    tools: [{ name: "find", input_schema: {} }],
    error: null,
  },
  { type: "mcp_approval_request", id: "mcpr_1", server_label: "docs", name: "find", arguments: "{}" },
  { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true, reason: "fine" },
  {
    type: "mcp_call",
    id: "mcp_1",
    server_label: "docs",
    name: "find",
    arguments: "{}",
    output: "found",
    error: null,
  },
  { type: "compaction", id: "cmp_1", encrypted_content: "c2VjcmV0" },
  { type: "context_compaction", encrypted_content: null },
  { type: "tool_search_call", id: "tsc_1", call_id: null, status: "completed" },
  { type: "tool_search_output", id: "tso_1", call_id: null, status: "completed", tools: [] },
  { type: "program", id: "prg_1", call_id: "call_8", code: "1", fingerprint: "f" },
  { type: "program_output", id: "pgo_1", call_id: "call_8", result: "1", status: "completed" },
  { type: "compaction_trigger" },
];

/** Items of the gateway's own server tools, in every spelling. */
export const serviceItems = serviceItemKinds.flatMap((kind) =>
  typeNamesOf(kind).map((type) => ({ type, id: `st_${kind}`, status: "completed", query: "q", error: "e" }))
);

export const everyItem = [...plainItems, ...hostedItems, ...serviceItems];

/**
 * Items of tools that a provider hosts or that only the Responses wire knows. The gateway carries them to a
 * provider of the same wire and tells them in words to the others, so only what a caller must write itself is
 * checked closely; what a model once put out is taken back as it is.
 */

import * as z from "zod";
import { jsonObject, nonEmptyString } from "../fields/primitives.ts";

const base = { id: z.string().nullish(), status: z.string().nullish() };
const text = z.string().nullish();

const webSearchCall = z.looseObject({
  type: z.literal("web_search_call"),
  action: jsonObject.nullish(),
  ...base,
});

const fileSearchCall = z.looseObject({
  type: z.literal("file_search_call"),
  queries: z.array(z.string()).nullish(),
  results: z.array(jsonObject).nullish(),
  ...base,
});

const imageGenerationCall = z.looseObject({
  type: z.literal("image_generation_call"),
  result: text,
  prompt: text,
  ...base,
});

const codeInterpreterCall = z.looseObject({
  type: z.literal("code_interpreter_call"),
  code: text,
  container_id: text,
  outputs: z.array(jsonObject).nullish(),
  ...base,
});

const computerCall = z.looseObject({
  type: z.literal("computer_call"),
  call_id: nonEmptyString,
  action: z.unknown().optional(),
  pending_safety_checks: z.array(jsonObject).nullish(),
  ...base,
});

const computerCallOutput = z.looseObject({
  type: z.literal("computer_call_output"),
  call_id: nonEmptyString,
  output: jsonObject,
  ...base,
});

const path = nonEmptyString;
const diff = z.string();

/** `diff` is a V4A patch. */
export const patchOperation = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("create_file"), path, diff }),
  z.looseObject({ type: z.literal("update_file"), path, diff }),
  z.looseObject({ type: z.literal("delete_file"), path }),
]);

const applyPatchCall = z.looseObject({
  type: z.literal("apply_patch_call"),
  call_id: nonEmptyString,
  operation: patchOperation,
  ...base,
});

const applyPatchCallOutput = z.looseObject({
  type: z.literal("apply_patch_call_output"),
  call_id: nonEmptyString,
  output: text,
  id: base.id,
  status: z.enum(["completed", "failed"]),
});

const localShellCall = z.looseObject({
  type: z.literal("local_shell_call"),
  call_id: nonEmptyString,
  action: z.looseObject({ command: z.array(z.string()).nullish() }),
  ...base,
});

/** Here `id` is the id of the call that is answered. */
const localShellCallOutput = z.looseObject({
  type: z.literal("local_shell_call_output"),
  id: nonEmptyString,
  output: z.string(),
  status: base.status,
});

const shellCall = z.looseObject({
  type: z.literal("shell_call"),
  call_id: nonEmptyString,
  action: z.looseObject({ commands: z.array(z.string()) }),
  ...base,
});

const shellOutcome = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("exit"), exit_code: z.int() }),
  z.looseObject({ type: z.literal("timeout") }),
]);

export const shellOutput = z.looseObject({ stdout: z.string(), stderr: z.string(), outcome: shellOutcome });

const shellCallOutput = z.looseObject({
  type: z.literal("shell_call_output"),
  call_id: nonEmptyString,
  output: z.array(shellOutput),
  ...base,
});

const mcpListTools = z.looseObject({
  type: z.literal("mcp_list_tools"),
  server_label: nonEmptyString,
  tools: z.array(z.looseObject({ name: z.string() })),
  ...base,
});

const mcpApprovalRequest = z.looseObject({
  type: z.literal("mcp_approval_request"),
  server_label: nonEmptyString,
  name: nonEmptyString,
  arguments: z.string(),
  ...base,
});

const mcpApprovalResponse = z.looseObject({
  type: z.literal("mcp_approval_response"),
  approval_request_id: nonEmptyString,
  approve: z.boolean(),
  reason: text,
  ...base,
});

const mcpCall = z.looseObject({
  type: z.literal("mcp_call"),
  server_label: nonEmptyString,
  name: nonEmptyString,
  arguments: z.string(),
  output: text,
  error: z.unknown().optional(),
  ...base,
});

const compaction = z.looseObject({ type: z.literal("compaction"), encrypted_content: z.string(), ...base });
const contextCompaction = z.looseObject({
  type: z.literal("context_compaction"),
  encrypted_content: text,
  ...base,
});

/** Known to one client family only (specification, Input items, last paragraph): carried, not read. */
const carried = z.looseObject({
  type: z.literal([
    "tool_search_call",
    "tool_search_output",
    "program",
    "program_output",
    "compaction_trigger",
  ]),
  call_id: text,
  ...base,
});

export const hostedItems = [
  webSearchCall,
  fileSearchCall,
  imageGenerationCall,
  codeInterpreterCall,
  computerCall,
  computerCallOutput,
  applyPatchCall,
  applyPatchCallOutput,
  localShellCall,
  localShellCallOutput,
  shellCall,
  shellCallOutput,
  mcpListTools,
  mcpApprovalRequest,
  mcpApprovalResponse,
  mcpCall,
  compaction,
  contextCompaction,
  carried,
] as const;

export type HostedItem = z.infer<(typeof hostedItems)[number]>;
export type HostedItemKind = HostedItem["type"];

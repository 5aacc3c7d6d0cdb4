/** Items that an answer puts out (specification, Output items). Keys without `optional` must be there. */

import * as z from "zod";
import { itemStatus, jsonObject } from "../fields/primitives.ts";
import { patchOperation, shellOutput } from "./hosted_items.ts";
import { answerPart } from "./output_parts.ts";
import { reasoningText, summaryText } from "./parts.ts";
import { serviceOutputs } from "./service_output_items.ts";

const id = z.string();
const text = z.string().nullish();
const searchStatus = z.enum(["completed", "searching", "in_progress", "failed"]);

const message = z.looseObject({
  type: z.literal("message"),
  id,
  role: z.literal("assistant"),
  content: z.array(answerPart),
  /** Optional on the wire; clients break without it, so ours always carry it (specification, Clients, 3). */
  status: itemStatus,
  phase: z.enum(["commentary", "final_answer"]).nullish(),
});

const reasoning = z.looseObject({
  type: z.literal("reasoning"),
  id,
  summary: z.array(summaryText),
  content: z.array(reasoningText).nullish(),
  encrypted_content: text,
  status: itemStatus.optional(),
  format: text,
  signature: text,
});

const call = {
  id,
  status: itemStatus,
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
};

const functionCall = z.looseObject({ type: z.literal("function_call"), ...call, arguments: z.string() });
const customCall = z.looseObject({ type: z.literal("custom_tool_call"), ...call, input: z.string() });

const source = z.looseObject({ type: z.literal("url"), url: z.string() });

const searchAction = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("search"),
    query: z.string(),
    queries: z.array(z.string()).optional(),
    sources: z.array(source).nullish(),
  }),
  z.looseObject({ type: z.literal("open_page"), url: text }),
  z.looseObject({ type: z.literal("find_in_page"), pattern: z.string(), url: z.string() }),
]);

const webSearchCall = z.looseObject({
  type: z.literal("web_search_call"),
  id,
  status: searchStatus,
  action: searchAction.optional(),
});

const fileSearchCall = z.looseObject({
  type: z.literal("file_search_call"),
  id,
  queries: z.array(z.string()),
  status: searchStatus,
});

const imageGenerationCall = z.looseObject({
  type: z.literal("image_generation_call"),
  id,
  status: z.enum(["in_progress", "completed", "generating", "failed"]),
  result: z.string().nullable(),
  prompt: text,
});

const codeOutput = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("logs"), logs: z.string() }),
  z.looseObject({ type: z.literal("image"), url: z.string() }),
  z.looseObject({ type: z.literal("file") }),
]);

const codeInterpreterCall = z.looseObject({
  type: z.literal("code_interpreter_call"),
  id,
  status: z.enum(["in_progress", "completed", "incomplete", "interpreting", "failed"]),
  code: text,
  container_id: z.string().optional(),
  outputs: z.array(codeOutput).nullish(),
});

const computerCall = z.looseObject({
  type: z.literal("computer_call"),
  call_id: z.string(),
  status: itemStatus,
  pending_safety_checks: z.array(jsonObject),
});

const applyPatchCall = z.looseObject({
  type: z.literal("apply_patch_call"),
  id,
  call_id: z.string(),
  operation: patchOperation,
  status: z.enum(["in_progress", "completed"]),
});

/** All three keys of the action are there when it is sent. */
const shellAction = z.looseObject({
  commands: z.array(z.string()),
  max_output_length: z.int().nullable(),
  timeout_ms: z.int().nullable(),
});

const shellCall = z.looseObject({
  type: z.literal("shell_call"),
  id,
  call_id: z.string(),
  status: itemStatus,
  action: shellAction.optional(),
});

const shellCallOutput = z.looseObject({
  type: z.literal("shell_call_output"),
  id,
  call_id: z.string(),
  status: itemStatus,
  output: z.array(shellOutput),
});

/** Kinds of OpenAI's own that a provider may put out and that pass through as they are. */
const carried = z.looseObject({
  type: z.enum([
    "local_shell_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_call",
    "compaction",
    "tool_search_call",
    "tool_search_output",
    "program",
    "program_output",
  ]),
  id,
});

export const outputItem = z.discriminatedUnion("type", [
  message,
  reasoning,
  functionCall,
  customCall,
  webSearchCall,
  fileSearchCall,
  imageGenerationCall,
  codeInterpreterCall,
  computerCall,
  applyPatchCall,
  shellCall,
  shellCallOutput,
  carried,
  ...serviceOutputs,
]);

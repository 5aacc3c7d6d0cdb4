/**
 * Items of the gateway's own server tools, as an answer carries them (specification, Output items). Some keys are
 * camelCase on the wire: `exitCode`, `httpStatus`, `imageUrl` and the like.
 */

import * as z from "zod";
import { itemStatus, jsonObject } from "../fields/primitives.ts";
import { patchOperation } from "./hosted_items.ts";
import { type ServiceItemKind, typeNamesOf } from "../fields/service_tool_names.ts";

const id = z.string().optional();
const text = z.string().nullish();
const failable = z.enum(["in_progress", "completed", "incomplete", "failed"]);
const status = itemStatus;
/** Files that a sandbox wrote, newest first; their ids are those of the download routes. */
const files = z.array(z.looseObject({
  type: z.literal("container_file_citation"),
  container_id: z.string(),
  file_id: z.string(),
  filename: z.string(),
})).max(10).optional();

function serviceOutput<Kind extends ServiceItemKind, Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  shape: Shape,
) {
  return z.looseObject({ id, ...shape, type: z.literal(typeNamesOf(kind)) });
}

const fusionFailures = z.enum([
  "all_panels_failed",
  "insufficient_credits",
  "rate_limited",
  "invalid_model",
  "judge_not_valid_json",
  "judge_schema_mismatch",
  "judge_upstream_error",
  "judge_empty_completion",
  "cancelled",
  "fusion_invocation_capped",
  "unexpected_error",
]);

export const fusionAnalysis = z.looseObject({
  consensus: z.array(z.string()),
  blind_spots: z.array(z.string()),
  contradictions: z.array(z.looseObject({
    topic: z.string(),
    stances: z.array(z.looseObject({ model: z.string(), stance: z.string() })),
  })),
  partial_coverage: z.array(z.looseObject({ models: z.array(z.string()), point: z.string() })),
  unique_insights: z.array(z.looseObject({ model: z.string(), insight: z.string() })),
});

const fusion = serviceOutput("fusion", {
  status,
  analysis: fusionAnalysis.optional(),
  responses: z.array(z.looseObject({ model: z.string(), content: z.string().optional() })).optional(),
  sources: z.array(z.looseObject({ url: z.string(), title: z.string() })).optional(),
  failed_models: z.array(z.looseObject({ model: z.string(), error: z.string() })).optional(),
  failure_reason: fusionFailures.optional(),
  error: text,
});

const terminal = { call_id: text, arguments: text, container_id: text, error: text, files };

export const serviceOutputs = [
  serviceOutput("datetime", { status, datetime: z.string(), timezone: z.string() }),
  serviceOutput("web_search", { status, action: jsonObject.optional() }),
  serviceOutput("web_fetch", {
    status,
    url: text,
    title: text,
    content: text,
    httpStatus: z.int().nullish(),
    error: text,
  }),
  serviceOutput("bash", {
    status: failable,
    command: text,
    stdout: text,
    stderr: text,
    exitCode: z.int().nullish(),
    ...terminal,
  }),
  serviceOutput("shell", {
    status: failable,
    action: jsonObject.optional(),
    output: z.array(jsonObject).optional(),
    ...terminal,
  }),
  serviceOutput("files", {
    status,
    operation: text,
    file_id: text,
    filename: text,
    result: text,
    error: text,
    arguments: text,
    call_id: text,
  }),
  fusion,
  serviceOutput("advisor", {
    status: failable,
    model: text,
    prompt: text,
    advice: text,
    instance_name: text,
    error: text,
  }),
  serviceOutput("subagent", {
    status: failable,
    call_id: text,
    model: text,
    name: text,
    instance_name: text,
    task_name: text,
    task_description: text,
    outcome: text,
    error: text,
  }),
  serviceOutput("image_generation", {
    status: failable,
    prompt: text,
    revisedPrompt: text,
    imageUrl: text,
    imageB64: text,
    result: text,
  }),
  serviceOutput("apply_patch", { status, call_id: text, operation: patchOperation.optional() }),
  serviceOutput("tool_search", { status, query: text }),
  serviceOutput("search_models", { status, query: text, arguments: text }),
  serviceOutput("file_search", { status, queries: z.array(z.string()).optional() }),
  serviceOutput("code_interpreter", {
    status,
    code: text,
    language: text,
    stdout: text,
    stderr: text,
    exitCode: z.int().nullish(),
  }),
  serviceOutput("mcp", { status, serverLabel: text, toolName: text }),
  serviceOutput("memory", {
    status,
    action: text,
    key: text,
    value: z.unknown().optional(),
  }),
  serviceOutput("text_editor", {
    status,
    command: text,
    filePath: text,
  }),
  serviceOutput("browser_use", { status, action: text, screenshotB64: text }),
] as const;

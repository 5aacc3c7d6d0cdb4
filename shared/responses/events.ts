/** The events of a stream (specification, Streaming): 49 types, each with its place in the stream. */

import * as z from "zod";
import { jsonObject } from "../fields/primitives.ts";
import { outputItem } from "./output_items.ts";
import { eventLogprob, outputAnnotation, streamedPart } from "./output_parts.ts";
import { summaryText } from "./parts.ts";
import { responseResult } from "./result.ts";
import { fusionAnalysis } from "./service_output_items.ts";

const index = z.int().min(0);
const text = z.string();

/** Every event: counted from 0 without gaps. */
const numbered = { sequence_number: index };
/** Events of one item. */
const ofItem = { ...numbered, item_id: z.string().min(1), output_index: index };
const ofContent = { ...ofItem, content_index: index };
const ofSummary = { ...ofItem, summary_index: index };

const lifecycle = z.looseObject({
  type: z.literal([
    "response.created",
    "response.in_progress",
    "response.completed",
    "response.incomplete",
    "response.failed",
  ]),
  response: responseResult,
  ...numbered,
});

const item = z.looseObject({
  type: z.literal(["response.output_item.added", "response.output_item.done"]),
  output_index: index,
  item: outputItem,
  ...numbered,
});

const contentPart = z.looseObject({
  type: z.literal(["response.content_part.added", "response.content_part.done"]),
  part: streamedPart,
  ...ofContent,
});

const logprobs = z.array(eventLogprob);

const texts = [
  z.looseObject({ type: z.literal("response.output_text.delta"), delta: text, logprobs, ...ofContent }),
  z.looseObject({ type: z.literal("response.output_text.done"), text, logprobs, ...ofContent }),
  z.looseObject({
    type: z.literal("response.output_text.annotation.added"),
    annotation_index: index,
    annotation: outputAnnotation,
    ...ofContent,
  }),
  z.looseObject({ type: z.literal("response.refusal.delta"), delta: text, ...ofContent }),
  z.looseObject({ type: z.literal("response.refusal.done"), refusal: text, ...ofContent }),
  z.looseObject({ type: z.literal("response.reasoning_text.delta"), delta: text, ...ofContent }),
  z.looseObject({ type: z.literal("response.reasoning_text.done"), text, ...ofContent }),
  z.looseObject({
    type: z.literal(["response.reasoning_summary_part.added", "response.reasoning_summary_part.done"]),
    part: summaryText,
    ...ofSummary,
  }),
  z.looseObject({ type: z.literal("response.reasoning_summary_text.delta"), delta: text, ...ofSummary }),
  z.looseObject({ type: z.literal("response.reasoning_summary_text.done"), text, ...ofSummary }),
] as const;

const calls = [
  z.looseObject({
    type: z.literal([
      "response.function_call_arguments.delta",
      "response.custom_tool_call_input.delta",
      "response.apply_patch_call_operation_diff.delta",
      "response.code_interpreter_call_code.delta",
    ]),
    delta: text,
    ...ofItem,
  }),
  z.looseObject({
    type: z.literal("response.function_call_arguments.done"),
    name: text,
    arguments: text,
    ...ofItem,
  }),
  z.looseObject({ type: z.literal("response.custom_tool_call_input.done"), input: text, ...ofItem }),
  z.looseObject({ type: z.literal("response.apply_patch_call_operation_diff.done"), diff: text, ...ofItem }),
  z.looseObject({ type: z.literal("response.code_interpreter_call_code.done"), code: text, ...ofItem }),
] as const;

/** Tools that run at the provider or in the gateway say only how far they are. */
const progress = z.looseObject({
  type: z.literal([
    "response.web_search_call.in_progress",
    "response.web_search_call.searching",
    "response.web_search_call.completed",
    "response.image_generation_call.in_progress",
    "response.image_generation_call.generating",
    "response.image_generation_call.completed",
    "response.code_interpreter_call.in_progress",
    "response.code_interpreter_call.interpreting",
    "response.code_interpreter_call.completed",
    "response.fusion_call.in_progress",
    "response.fusion_call.completed",
  ]),
  ...ofItem,
});

const partialImage = z.looseObject({
  type: z.literal("response.image_generation_call.partial_image"),
  partial_image_b64: text,
  partial_image_index: index,
  ...ofItem,
});

const panel = { ...ofItem, model: text };

const fusion = [
  z.looseObject({ type: z.literal("response.fusion_call.panel.added"), ...panel }),
  z.looseObject({
    type: z.literal(["response.fusion_call.panel.delta", "response.fusion_call.panel.reasoning.delta"]),
    delta: text,
    ...panel,
  }),
  z.looseObject({ type: z.literal("response.fusion_call.panel.completed"), content: text, ...panel }),
  z.looseObject({
    type: z.literal("response.fusion_call.panel.failed"),
    error: text,
    status_code: z.int().nullish(),
    ...panel,
  }),
  z.looseObject({
    type: z.literal("response.fusion_call.analysis.in_progress"),
    analyst_model: text,
    /** The older name of the same; still required. */
    judge_model: text,
    ...ofItem,
  }),
  z.looseObject({
    type: z.literal("response.fusion_call.analysis.completed"),
    analysis: fusionAnalysis,
    ...ofItem,
  }),
] as const;

/** The transformed upstream body, before `response.created`, once per attempt. */
const debug = z.looseObject({
  type: z.literal("response.debug"),
  debug: z.looseObject({ echo_upstream_body: jsonObject.optional(), timings: jsonObject.optional() }),
  ...numbered,
});

/** Fields flat and nested: some clients read the one, some the other (specification, Clients, 8). */
const error = z.looseObject({
  type: z.literal("error"),
  code: z.string().nullable(),
  message: text,
  param: z.string().nullable(),
  error: z.looseObject({ code: z.string().nullable(), message: text }).optional(),
  ...numbered,
});

export const streamEvent = z.discriminatedUnion("type", [
  lifecycle,
  item,
  contentPart,
  ...texts,
  ...calls,
  progress,
  partialImage,
  ...fusion,
  debug,
  error,
]);

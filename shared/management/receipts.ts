/**
 * Operations that read receipts: one generation (specification, Credits, generations, activity, analytics), and our
 * own list of them.
 */

import * as z from "zod";
import { type ApiErrorKind, apiErrorKinds } from "../errors.ts";
import { filterOutcomes } from "../guardrails.ts";
import { tagSchema } from "../observability/tag_rules.ts";
import { usedPresetSchema } from "../presets/records.ts";
import { keyHashSchema, timestampInputSchema, timestampSchema } from "../keys.ts";
import {
  chargeLineSchema,
  receiptAttemptSchema,
  receiptCallSchema,
  receiptSchema,
  receiptStatuses,
} from "../receipts.ts";
import { formatQuery } from "./exports.ts";
import { receiptGroupings } from "./lists/receipt_groupings.ts";
import { booleanQuery, type ManagementOperation, pageQuery, workspaceQuery } from "./operation.ts";

const usd = z.number();
const text = z.string().nullable();
const count = z.int().nullable();
const ms = z.number().nullable();

const callsSchema = z.array(receiptCallSchema.extend({ cost: usd })).optional();

/** A receipt with its money in USD. */
export const receiptRecordSchema = receiptSchema.extend({
  reserved: usd,
  cost: usd,
  upstream_cost: usd,
  input_cost: usd,
  output_cost: usd,
  server_tool_cost: usd,
  reported_cost: usd.nullable(),
  cache_discount: usd.nullable(),
  overrun: usd,
  calls: callsSchema,
});
export type ReceiptRecord = z.infer<typeof receiptRecordSchema>;

/** A receipt as the holder of its key sees it in a list; `GET /generation` has all of one. */
const ownReceiptSchema = receiptRecordSchema.pick({
  id: true,
  request_id: true,
  status: true,
  stands_for: true,
  created_at: true,
  ended_at: true,
  requested_model: true,
  model: true,
  provider: true,
  error: true,
  usage: true,
  cost: true,
  latency_ms: true,
  total_ms: true,
  user: true,
  session_id: true,
  response_cache_source_id: true,
});
export type OwnReceipt = z.infer<typeof ownReceiptSchema>;

/** Fields that other gateways' clients demand of a generation; null where we do not know or do not have one. */
const generationShape = {
  id: z.string(),
  api_type: z.enum(["completions", "embeddings", "tts"]),
  created_at: timestampSchema,
  model: z.string(),
  provider_name: text,
  upstream_id: text,
  origin: z.string(),
  router: text,
  usage: usd,
  total_cost: usd,
  upstream_inference_cost: usd.nullable(),
  cache_discount: usd.nullable(),
  is_byok: z.boolean(),
  streamed: z.boolean(),
  cancelled: z.boolean(),
  finish_reason: text,
  native_finish_reason: text,
  latency: ms,
  moderation_latency: ms,
  generation_time: ms,
  tokens_prompt: count,
  tokens_completion: count,
  native_tokens_prompt: count,
  native_tokens_completion: count,
  native_tokens_completion_images: count,
  native_tokens_reasoning: count,
  native_tokens_cached: count,
  num_media_prompt: count,
  num_media_completion: count,
  num_input_audio_prompt: count,
  num_search_results: count,
  num_fetches: count,
  app_id: count,
  http_referer: text,
  user_agent: text,
  external_user: text,
  service_tier: text,
  data_region: z.enum(["global", "europe", "us"]),
  web_search_engine: text,
  preset_id: text,
  provider_responses: z.array(z.object({
    /** Null where the provider gave none. */
    status: z.int().nullable(),
    provider_name: z.string(),
    endpoint_id: z.string(),
    latency: z.number(),
    is_byok: z.boolean(),
    model_permaslug: z.string(),
  })),
  workspace_id: z.uuid(),
  request_id: z.string(),
  session_id: text,
  response_cache_source_id: text,
};

/** Beyond that: the bill line by line, and how it came about (promises M7). */
const billShape = {
  status: z.enum(receiptStatuses),
  ended_at: timestampSchema,
  requested_model: text,
  error: receiptSchema.shape.error,
  /** `cost`: quantity times unit price, in USD, exactly. */
  lines: z.array(chargeLineSchema.extend({ cost: z.string() })),
  price_source: receiptSchema.shape.price_source,
  unpriced: z.boolean(),
  unpriced_tier: z.boolean(),
  estimated: z.boolean(),
  /** The most that was reserved at a time, and what was charged in the end. */
  reserved: usd,
  settled: usd,
  overrun: usd,
  input_cost: usd,
  output_cost: usd,
  server_tool_cost: usd,
  reported_cost: usd.nullable(),
  output_cap: count,
  attempts: z.array(receiptAttemptSchema),
  /** Where the request made several calls. */
  calls: callsSchema,
  route_input: receiptSchema.shape.route_input,
  guardrails: receiptSchema.shape.guardrails,
  /** The preset that filled in the request, with its version. */
  preset: usedPresetSchema.nullable(),
  /** Kind of task that the request was for. */
  task: text,
  tags: z.array(z.string()),
  app_title: text,
  user: text,
  trace: receiptSchema.shape.trace,
};

const generationSchema = z.object({ ...generationShape, ...billShape });
export type Generation = z.infer<typeof generationSchema>;

const idSchema = z.string().min(1).max(200);
const byId = z.object({ id: idSchema });

const feedbackCategories = [
  "latency",
  "incoherence",
  "incorrect_response",
  "formatting",
  "billing",
  "api_error",
  "other",
] as const;

const contentSchema = z.object({
  input: z.union([z.object({ prompt: z.string() }), z.object({ messages: z.array(z.unknown()) })]),
  output: z.object({ completion: text, reasoning: text }),
  error: z.unknown(),
});

const name = z.string().min(1).max(500);

const emptyAsAbsent = z.literal("").transform(() => undefined);
const phrase = z.union([emptyAsAbsent, z.string().max(500)]).optional();
const momentQuery = z.union([emptyAsAbsent, timestampInputSchema]).optional();
const amountQuery = z.union([emptyAsAbsent, z.coerce.number().pipe(z.number().min(0).max(1_000_000_000))])
  .optional();
const toErrorKinds = (): readonly ApiErrorKind[] => Object.keys(apiErrorKinds) as ApiErrorKind[];

/** The `next` of another page. */
const beforeQuery = z.string().max(1_000).optional();

/** Filters that lists of receipts share. All have to hold. */
const receiptFilterShape = {
  api_key_hash: keyHashSchema.optional(),
  workspace_id: workspaceQuery,
  model: name.optional(),
  /** The model as the request named it. */
  requested_model: phrase,
  provider: name.optional(),
  status: z.enum(receiptStatuses).optional(),
  /** Filters requests in which a content filter of this guardrail matched. */
  guardrail_id: z.uuid().toLowerCase().optional(),
  /** Filters requests in which a content filter did this. */
  guardrail_action: z.enum(filterOutcomes).optional(),
  /** Filters receipts that have this tag. */
  tag: z.union([emptyAsAbsent, tagSchema]).optional(),
  /** When the request ended: from `since` on, before `until`. */
  since: momentQuery,
  until: momentQuery,
  error_kind: z.union([emptyAsAbsent, z.enum(toErrorKinds())]).optional(),
  /** The beginning of the session's id. */
  session_id: phrase,
  /** The end user, as the request or the Connect client named them; the slug of the preset that filled in the request. */
  user: phrase,
  preset: phrase,
  /** USD. */
  min_cost: amountQuery,
  /** Milliseconds in all. */
  min_ms: amountQuery,
  /** Whether a call failed and another one was made after it. */
  fell_back: z.union([emptyAsAbsent, booleanQuery]).optional(),
  /** Text in the error's message, the model asked or served, the user, the session or the title, in any case. */
  q: phrase,
};

const receiptFilterSchema = z.object(receiptFilterShape);
export type ReceiptFilterQuery = z.output<typeof receiptFilterSchema>;

const receiptListSchema = z.object({
  ...receiptFilterShape,
  /** Finds one receipt whenever it was: our id, the request's, or that of the provider's response. */
  id: z.union([emptyAsAbsent, idSchema]).optional(),
  before: beforeQuery,
  limit: pageQuery.limit,
});

const receiptGroupSchema = z.object({
  /** Null: the requests named none. */
  name: z.string().nullable(),
  /** Start of the span in which the requests came in. */
  at: timestampSchema,
  requests: z.int(),
  /** USD. */
  cost: usd,
});

/** Bars of a histogram, at most. */
export const MAX_BARS = 120;

const histogramBarSchema = z.object({
  /** Its start; the bar ends `bar_seconds` later. */
  at: timestampSchema,
  /** Also those that were cut short, by a limit of tokens or by the client. */
  answered: z.int(),
  /** Also those that the end of the gateway interrupted. */
  failed: z.int(),
  refused: z.int(),
});
export type HistogramBar = z.infer<typeof histogramBarSchema>;

export const receiptApi = {
  "generations.get": {
    method: "GET",
    path: "/generation",
    who: ["api", "management"],
    errors: "other",
    summary: "Shows one generation: cost by line item, attempts and timing.",
    verb: "show generation",
    query: byId,
    output: z.object({ data: generationSchema }),
  },
  "generations.content": {
    method: "GET",
    path: "/generation/content",
    who: ["api", "management"],
    errors: "other",
    summary: "Shows what was asked and answered, where that is stored.",
    verb: "show content",
    query: byId,
    output: z.object({ data: contentSchema }),
  },
  "generations.feedback": {
    method: "POST",
    path: "/generation/feedback",
    who: ["management"],
    errors: "other",
    summary: "Stores feedback on a generation.",
    verb: "keep feedback",
    body: z.strictObject({
      generation_id: idSchema,
      category: z.enum(feedbackCategories),
      comment: z.string().max(10_000).optional(),
    }),
    output: z.object({ data: z.object({ success: z.literal(true) }) }),
  },
  "key.receipts": {
    method: "GET",
    path: "/key/receipts",
    who: ["api", "management"],
    errors: "other",
    summary: "Lists receipts of the calling key, newest first; pass `next` as `before` for the next page.",
    verb: "list receipts",
    query: z.object({
      status: receiptFilterShape.status,
      model: receiptFilterShape.model,
      since: receiptFilterShape.since,
      until: receiptFilterShape.until,
      before: beforeQuery,
      limit: pageQuery.limit,
    }),
    output: z.object({
      data: z.array(ownReceiptSchema),
      /** Null at the end. */
      next: z.string().nullable(),
    }),
  },
  "receipts.list": {
    method: "GET",
    path: "/receipts",
    who: ["management"],
    errors: "other",
    summary: "Lists receipts, newest first, by filters; pass `next` as `before` for the next page.",
    verb: "list receipts",
    query: receiptListSchema,
    output: z.object({
      data: z.array(receiptRecordSchema),
      /** Names of the keys of these receipts by their hashes; a deleted key has none. */
      key_names: z.record(keyHashSchema, z.string()),
      /** Receipts of this page that are damaged in the store and left out. */
      missing: z.int().nonnegative(),
      /** Null at the end. A page may be short, even empty, and still have one: few receipts pass the filters. */
      next: z.string().nullable(),
      /** Receipts that ended before this were not looked at; null at the end. */
      scanned_until: timestampSchema.nullable(),
    }),
  },
  "receipts.export": {
    method: "GET",
    path: "/receipts/export",
    who: ["management"],
    errors: "other",
    summary: "Downloads receipts as CSV or JSON lines, newest first, by the filters of the list.",
    verb: "export receipts",
    query: z.object({ ...receiptFilterShape, format: formatQuery }),
    output: "bytes",
  },
  "receipts.tail": {
    method: "GET",
    path: "/receipts/tail",
    who: ["management"],
    errors: "other",
    summary: "Streams receipts as they are written, by the filters of the list, as server-sent events.",
    verb: "follow receipts",
    query: receiptFilterSchema,
    output: "events",
  },
  "receipts.groups": {
    method: "GET",
    path: "/receipts/groups",
    who: ["management"],
    errors: "other",
    summary: "Sums receipts by user, session, application, preset or tag, a slice a call, by filters.",
    verb: "group receipts",
    query: z.object({
      ...receiptFilterShape,
      by: z.enum(receiptGroupings).default("user"),
      span_seconds: z.coerce.number().pipe(z.int().min(60).max(31_536_000)).default(86_400),
      before: beforeQuery,
    }),
    output: z.object({
      data: z.array(receiptGroupSchema),
      /** Passed as `before`, goes on. Null at the end. */
      next: z.string().nullable(),
      scanned_until: timestampSchema.nullable(),
    }),
  },
  "receipts.histogram": {
    method: "GET",
    path: "/receipts/histogram",
    who: ["management"],
    errors: "other",
    summary: "Counts receipts over time by the filters of the list, in at most 120 bars.",
    verb: "count receipts",
    query: z.object({ ...receiptFilterShape, before: beforeQuery }),
    output: z.object({
      data: z.object({
        bar_seconds: z.int(),
        /** Oldest first, without a gap. */
        bars: z.array(histogramBarSchema),
        /** `sums`: whole, requests count where they began. `receipts`: those of this call, where they ended. */
        counted: z.enum(["sums", "receipts"]),
      }),
      /** Where receipts are looked through: passed as `before`, counts on. Null at the end. */
      next: z.string().nullable(),
      scanned_until: timestampSchema.nullable(),
    }),
  },
} as const satisfies Record<string, ManagementOperation>;

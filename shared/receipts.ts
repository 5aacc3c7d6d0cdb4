/**
 * Receipts: what one request met, used and cost, line by line (promises M7; specification, Credits, generations,
 * activity, analytics).
 */

import * as z from "zod";
import { filterResultSchema } from "./guardrails.ts";
import { keyHashSchema, timestampSchema } from "./keys.ts";
import { usedPresetSchema } from "./presets/records.ts";
import { taskTypes } from "./task_types.ts";

/** A whole number of nano-USD. */
export const nanoSchema = z.int();

/** One line of a bill: so many units of a rate at so much each. */
export const chargeLineSchema = z.object({
  /** A name of `chargedRateNames`, in JSON's spelling. */
  rate: z.string(),
  quantity: z.number().nonnegative(),
  /** USD per unit, as a decimal string. */
  unit_price: z.string(),
  /** The position in `calls` of the call that it is for; absent where the request was one call. */
  call: z.int().nonnegative().optional(),
});
export type ChargeLine = z.infer<typeof chargeLineSchema>;

/** One call of one endpoint. */
export const receiptAttemptSchema = z.object({
  endpoint_id: z.string(),
  model: z.string(),
  provider: z.string(),
  /** The provider's status; 0 when it gave none. */
  status: z.int(),
  code: z.string().optional(),
  latency_ms: z.number(),
  is_byok: z.boolean(),
  /** Why this endpoint, in words. */
  why: z.string().optional(),
});

/** One call of a request that made several: a turn of its model, a server tool, or a plugin. */
export const receiptCallSchema = z.object({
  /** The turn of the model to which it belongs, from 1. */
  step: z.int().positive(),
  /** `model`, `tool:datetime`, `plugin:web`; `other` for all calls beyond the first of them. */
  purpose: z.string(),
  /** Null for a tool that asks no model, and for `other`. */
  model: z.string().nullable(),
  provider: z.string().nullable(),
  status: z.enum(["completed", "incomplete", "failed", "cancelled"]),
  latency_ms: z.number(),
  cost: nanoSchema,
  /** Number of calls that an `other` stands for. */
  count: z.int().positive().optional(),
  /** Number of commands of a tool that runs code; `command_seconds` is their time in all. */
  commands: z.int().nonnegative().optional(),
  command_seconds: z.number().nonnegative().optional(),
});
export type ReceiptCall = z.infer<typeof receiptCallSchema>;

/** Input of routing that the receipt does not have elsewhere, in at most 300 bytes. No content. */
export const routeInputSchema = z.object({
  /** Estimated tokens of the prompt. */
  tokens: z.int().nonnegative(),
  /** The output cap that the caller requested. */
  max_tokens: z.int().positive().optional(),
  /** Field that ties the request to others. */
  sticky: z.enum(["session_id", "prompt_cache_key", "prefix"]).optional(),
  /** Names with their variants, where there are several. */
  models: z.array(z.string()).optional(),
  /** Capabilities that an endpoint must have: `image`, `output:image`, `tools`, … */
  requires: z.array(z.string()).optional(),
  preferences: z.record(z.string(), z.unknown()).optional(),
  /** Fields that were too long. */
  cut: z.array(z.string()).optional(),
});
export type RouteInput = z.infer<typeof routeInputSchema>;

/** How requests end. `interrupted`: the gateway itself ended first, and settled at the journaled progress. */
export const receiptStatuses = [
  "completed",
  "incomplete",
  "failed",
  "cancelled",
  "refused",
  "interrupted",
] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];

export const receiptSchema = z.object({
  /** The generation id, `gen-…`. */
  id: z.string(),
  request_id: z.string(),
  /** `responses`, `chat`, `messages`, `speech`, `embeddings`. */
  api: z.string(),
  key_hash: keyHashSchema,
  workspace_id: z.uuid(),
  /** The management key whose session of the console ran it in the playground. */
  management_key_hash: keyHashSchema.optional(),
  /** True for a key that tests the gateway itself: charts leave it out. */
  self_test: z.literal(true).optional(),
  status: z.enum(receiptStatuses),
  /** Number of refusals that this one stands for, of a key whose requests are refused many times a minute. */
  stands_for: z.int().positive().optional(),
  /** When the request came in, and when its receipt was closed. */
  created_at: timestampSchema,
  ended_at: timestampSchema,
  streamed: z.boolean(),
  /** As the caller named it. */
  requested_model: z.string().nullable(),
  /** The model and provider that answered last; null where none was asked. */
  model: z.string().nullable(),
  provider: z.string().nullable(),
  endpoint_id: z.string().nullable(),
  upstream_id: z.string().nullable(),
  finish_reason: z.string().nullable(),
  /** The error that ended it: its kind, HTTP status and message. */
  error: z.object({ kind: z.string(), status: z.int(), message: z.string() }).nullable(),
  attempts: z.array(receiptAttemptSchema),
  /** Token counts and the like, by the canonical names in JSON's spelling; empty where nothing was produced. */
  usage: z.record(z.string(), z.number()),
  /** True where the gateway counted because the provider did not say, or the call was cut. */
  estimated: z.boolean(),
  lines: z.array(chargeLineSchema),
  /** Where the prices are from and of which day; null for the operator's own. */
  price_source: z.object({ name: z.string(), date: z.string() }).nullable(),
  /** No price is known of it, or of something in it, which could not be charged. */
  unpriced: z.boolean(),
  /** The price list has no price for its service tier: it is charged at the dearest multiple known. */
  unpriced_tier: z.literal(true).optional(),
  /** The most that was reserved at a time, what is charged, and what it cost at the provider. */
  reserved: nanoSchema,
  cost: nanoSchema,
  upstream_cost: nanoSchema,
  input_cost: nanoSchema,
  output_cost: nanoSchema,
  server_tool_cost: nanoSchema,
  /** Cost that the provider reports, where it does. */
  reported_cost: nanoSchema.nullable(),
  cache_discount: nanoSchema.nullable(),
  /** Amount that a provider took beyond its own cap; the only way past a limit (promises M1). */
  overrun: nanoSchema,
  is_byok: z.boolean(),
  /** The cap that was sent because a limit demanded a lower one than asked. */
  output_cap: z.int().nullable(),
  service_tier: z.string().nullable(),
  /** Milliseconds: until the first chunk of the answer, and in all. */
  latency_ms: z.number().nullable(),
  total_ms: z.number(),
  user: z.string().nullable(),
  session_id: z.string().nullable(),
  external_user: z.string().nullable(),
  http_referer: z.string().nullable(),
  app_title: z.string().nullable(),
  user_agent: z.string().nullable(),
  trace: z.record(z.string(), z.unknown()).nullable(),
  /** Where the request made several calls, in the order in which they began. */
  calls: z.array(receiptCallSchema).optional(),
  route_input: routeInputSchema.optional(),
  /** Results of the content filters of guardrails, the first 50 of them. */
  guardrails: z.array(filterResultSchema).optional(),
  /** Slug of the router that chose the model; absent where the request named it. */
  router: z.string().optional(),
  /** The preset that filled in the request; absent where it named none. */
  preset: usedPresetSchema.optional(),
  /** The generation whose response the cache gave again; absent where a provider was asked. */
  response_cache_source_id: z.string().optional(),
  /** Kind of task that the request was for; absent where nobody asked. */
  task: z.enum(taskTypes).optional(),
  /** Tags that the workspace's rules put on it when it was written; absent where there are none. */
  tags: z.array(z.string()).optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;

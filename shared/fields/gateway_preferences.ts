/**
 * Fields of a request that speak to the gateway itself, whatever wire they came on (specification, Nested request
 * objects).
 */

import * as z from "zod";
import { quantizations } from "../models.ts";
import { providerSortSchema } from "../workspaces.ts";
import { closedObject, nonEmptyString } from "./primitives.ts";

/** Provider slugs or display names; `deepinfra/turbo` names a variant, `deepinfra` all of them. */
const slugs = z.array(z.string()).nullish();
const flag = z.boolean().nullish();

/** `model` sorts within each candidate model, `none` over all of them. */
const partition = z.enum(["model", "none"]);

const limit = z.number().min(0).nullish();
/** A bare number means the median. */
const percentiles = z.union([
  z.number().min(0),
  closedObject({ p50: limit, p75: limit, p90: limit, p99: limit }),
]);

/** USD: prompt and completion per million tokens, the others per unit. Number or decimal string. */
const price = z.union([
  z.number().min(0),
  z.string().regex(/^\d{1,15}(\.\d{1,15})?$/, { error: "is not a decimal number such as 0.25" }),
]).nullish();

/** Routing preferences. Closed: a misspelled preference must not be ignored. */
export const providerPreferences = closedObject({
  order: slugs,
  only: slugs,
  ignore: slugs,
  allow_fallbacks: flag,
  require_parameters: flag,
  data_collection: z.enum(["allow", "deny"]).nullish(),
  zdr: flag,
  enforce_distillable_text: flag,
  quantizations: z.array(z.enum(quantizations)).nullish(),
  sort: z.union([
    providerSortSchema,
    closedObject({ by: providerSortSchema.nullish(), partition: partition.nullish() }),
  ]).nullish(),
  /** Tokens per second; a soft preference. */
  preferred_min_throughput: percentiles.nullish(),
  /** Seconds; a soft preference. */
  preferred_max_latency: percentiles.nullish(),
  max_price: closedObject({ prompt: price, completion: price, image: price, audio: price, request: price })
    .nullish(),
});
export type ProviderPreferences = z.infer<typeof providerPreferences>;

/** When the tool loop ends: any of the conditions does. */
export const stopCondition = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("step_count_is"), step_count: z.int().min(1) }),
  z.looseObject({ type: z.literal("has_tool_call"), tool_name: nonEmptyString }),
  z.looseObject({ type: z.literal("max_tokens_used"), max_tokens: z.int().min(1) }),
  z.looseObject({ type: z.literal("max_cost"), max_cost_in_dollars: z.number().min(0) }),
  z.looseObject({ type: z.literal("finish_reason_is"), reason: nonEmptyString }),
]);
export type StopCondition = z.infer<typeof stopCondition>;

const text = z.string().nullish();

/** Names for receipts and spans; any further keys are kept with them. */
export const trace = z.looseObject({
  trace_id: text,
  trace_name: text,
  span_name: text,
  generation_name: text,
  parent_span_id: text,
});
export type Trace = z.infer<typeof trace>;

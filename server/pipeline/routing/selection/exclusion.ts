/**
 * Why an endpoint is not asked: a closed set, with the API's words where it has them (specification, Availability
 * detail).
 */

import type { Endpoint } from "../../../providers/endpoint.ts";

/** Filters in the order in which they are applied; the first that removes an endpoint is the one that is named. */
export const filterReasons = [
  "allowed_providers",
  "ignored_providers",
  "free_variant",
  "data_policy:training",
  "data_policy:zdr",
  "distillable",
  "quantization",
  "max_price",
  "modality",
  "tool_kind",
  "tool_choice",
  "require_parameters",
  "context_length",
] as const;
export type FilterReason = typeof filterReasons[number];

/**
 * `compaction`: it cannot read a compaction of the request. `allow_fallbacks`: it would
 * have stood in for the one that is asked. `plugin`: a plugin of the request cannot act there, or refuses the request. `resting` and `misconfigured`: its health. `allowed_models`,
 * `ignored_models` and `data_region`: a guardrail. `byok_required`: a key of the workspace's own is to be used instead.
 * `self_test`: the caller's key may use the built-in provider only.
 */
export type ExclusionReason =
  | FilterReason
  | "allowed_models"
  | "ignored_models"
  | "data_region"
  | "byok_required"
  | "self_test"
  | "compaction"
  | "allow_fallbacks"
  | "plugin"
  | "resting"
  | "misconfigured";

export interface Exclusion {
  readonly endpoint: Endpoint;
  readonly reason: ExclusionReason;
  /** The request's field that asks for what the endpoint has not. */
  readonly field: string;
  readonly detail: string;
}

/** Fields and comparisons of tag rules. Apart from the schemas, so that the console can use them without those. */

const textFields = [
  "model",
  "requested_model",
  "provider",
  "api",
  "status",
  "error_kind",
  "finish_reason",
  "api_key_hash",
  "session_id",
  "user_id",
  "app_title",
  "http_referer",
  "user_agent",
  "service_tier",
  "router",
  "preset",
  "task",
] as const;

export const numberFields = [
  "total_cost",
  "total_tokens",
  "prompt_tokens",
  "completion_tokens",
  "total_ms",
  "latency_ms",
  "attempts",
] as const;

/** Facts of a receipt that conditions look at. None of them is content. */
export const tagRuleFields = [...textFields, ...numberFields] as const;
export type TagRuleField = (typeof tagRuleFields)[number];

/** Comparisons with which the lists of tag rules and of destinations end. */
export const sharedOperators = [
  "starts_with",
  "ends_with",
  "gt",
  "lt",
  "gte",
  "lte",
  "exists",
  "not_exists",
] as const;

/** Comparisons that take time in proportion to the text: patterns are not among them. */
export const tagRuleOperators = [
  "equals",
  "not_equals",
  "in",
  "not_in",
  "contains",
  "not_contains",
  ...sharedOperators,
] as const;
export type TagRuleOperator = (typeof tagRuleOperators)[number];

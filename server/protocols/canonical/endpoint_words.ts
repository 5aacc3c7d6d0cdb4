/**
 * The closed sets of words in which a row says how an endpoint is called. Rows of the code, the configuration file
 * and the renderers take them from here, so that none of them knows one that another does not.
 */

/** Role of developer messages: many compatible servers know only `system`. */
export const developerRoles = ["developer", "system"] as const;
export type DeveloperRole = typeof developerRoles[number];

/** Fields in which an endpoint takes a model's own earlier reasoning back. */
export const reasoningReplays = ["reasoning_content", "reasoning", "reasoning_details"] as const;
export type ReasoningReplay = typeof reasoningReplays[number];

/** Service tiers that an endpoint may have words of its own for; `fast` is `priority`, and `auto` is never sent. */
export const serviceTiers = ["default", "flex", "priority", "scale"] as const;
/**
 * Whereby a host takes less than the wire that it speaks, or wants more; what each one does to a call stands in
 * `protocols/common/outbound/traits/`. In the order in which they are applied.
 */
export const hostTraits = [
  "system_first",
  "alternating_turns",
  "user_last",
  "object_schemas",
  "no_tools",
  "auto_choice_only",
  "no_named_choice",
  "no_none_choice",
  "no_json_object",
  "no_json_schema",
  "short_call_ids",
  "letter_names",
  "listed_sampling",
  "fixed_sampling",
  "no_penalties",
  "thinking_switch",
  "reasoning_object",
  "answered_tools",
  "call_reasoning_blank",
  "call_reasoning_text",
  "prefix_last",
  "no_call_ids",
  "no_call_signatures",
  "published_fields",
  "no_names",
  "think_tags",
  "block_cache_marks",
  "vertex_betas",
  "unique_documents",
] as const;
export type HostTrait = typeof hostTraits[number];

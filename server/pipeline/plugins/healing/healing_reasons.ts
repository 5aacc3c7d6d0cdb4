/** Reasons for which an answer is left as it came, by the word that the metadata has for each. */

export const unhealedReasons = {
  token_limit: "The answer was cut at its token limit",
  content_filter: "A content filter ended the answer",
  refusal: "The model refused",
  broken_off: "The answer broke off",
  several_texts: "The answer has several texts",
  no_json: "The answer holds no JSON value",
  several_values: "The answer holds more than one JSON value",
  unclosed_reasoning: "The reasoning in the answer has no end",
  surroundings: "The text around the JSON value seems to be a part of it",
  no_end: "The end of the JSON value is missing",
  unclear: "The JSON value can be read in more than one way",
  root: "The JSON value is not an object",
  schema: "The JSON value does not satisfy the schema",
  schema_unchecked: "The schema cannot be checked",
  too_deep: "The JSON value is nested too deeply",
  too_long: "The broken part of the answer is too long",
} as const;

export type UnhealedReason = keyof typeof unhealedReasons;

/** Thrown by the steps of healing where the text stays as it came. */
export class Unhealed extends Error {
  override readonly name = "Unhealed";
  readonly reason: UnhealedReason;

  constructor(reason: UnhealedReason, options?: ErrorOptions) {
    super(unhealedReasons[reason], options);
    this.reason = reason;
  }
}

/** Parses a gateway's answer with care: something else may listen at an address. */

/** The message of an API error. */
export function errorMessageOf(reply: unknown): string | undefined {
  if (typeof reply !== "object" || reply === null || !("error" in reply)) return undefined;
  const { error } = reply;
  if (typeof error !== "object" || error === null || !("message" in error)) return undefined;
  return typeof error.message === "string" ? error.message : undefined;
}

/** API errors that are told in a stream, because its status is out. */

import type { ApiError } from "../../shared/errors.ts";
import type { Failure } from "../protocols/canonical/event.ts";

/** Turns an API error into a failure; what a guardrail blocked is told in full. */
export function failureOf({ kind, message, details: { retryAfter, metadata } }: ApiError): Failure {
  return { kind, message, retryAfter, metadata: kind === "blocked" ? metadata : undefined };
}

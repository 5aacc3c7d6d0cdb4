/** How a response ends whose later turn could not be called. */

import { ApiError } from "../../../shared/errors.ts";
import type { FailureEvent } from "../../canonical/event.ts";
import { failureOf } from "../../pipeline/api_failure.ts";
import type { Logger } from "../../runtime.ts";

export function turnFailure(error: unknown, log: Pick<Logger, "error">): FailureEvent {
  if (!(error instanceof ApiError)) {
    log.error("Cannot call the next turn", { error: String(error) });
    return { type: "failure", failure: { kind: "internal", message: "The gateway failed." } };
  }
  const failure = failureOf(error);
  return endsBuying(error) ? { type: "failure", failure, partial: true } : { type: "failure", failure };
}

/** There is no money for another turn, or no key any more: what the others have made was paid for. */
const endsBuying = ({ kind, details }: ApiError): boolean =>
  kind === "payment_required" || kind === "unauthorized" || details.metadata?.limit_source !== undefined;

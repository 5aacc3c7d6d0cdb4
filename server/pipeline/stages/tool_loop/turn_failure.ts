/** How a response ends whose later turn could not be called. */

import { ApiError } from "../../../../shared/errors.ts";
import type { FailureEvent } from "../../../protocols/canonical/event.ts";
import { failureOf } from "../../api_failure.ts";
import type { Logger } from "../../../runtime.ts";

export function turnFailure(error: unknown, log: Pick<Logger, "error">): FailureEvent {
  if (error instanceof ApiError) return { type: "failure", failure: failureOf(error) };
  log.error("Cannot call the next turn", { error: String(error) });
  return { type: "failure", failure: { kind: "internal", message: "The gateway failed." } };
}

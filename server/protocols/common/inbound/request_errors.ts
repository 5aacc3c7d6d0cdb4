/** The refusals that requests end in while they are read. */

import { ApiError } from "../../../../shared/errors.ts";
import type { ValidationIssue } from "../../../../shared/validation/validate.ts";

/** 400: what the schemas refuse. `metadata.path` names the place, `metadata.issues` further ones. */
export function invalidRequestError(faults: readonly ValidationIssue[]): ApiError {
  const message = faults.map((fault) => fault.message).join(". ");
  const path = faults[0]?.path ?? "body";
  return new ApiError("invalid_request", message, {
    metadata: faults.length > 1 ? { path, issues: faults } : { path },
  });
}

/** 422, a fault of meaning in a request that is well formed; the message begins with the path. */
export function unprocessableRequestError(path: string, complaint: string): ApiError {
  return new ApiError("unprocessable", `${path} ${complaint}`, { metadata: { path } });
}

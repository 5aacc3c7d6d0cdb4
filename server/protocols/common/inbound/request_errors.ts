/** The refusals that requests end in while they are read. */

import { Refusal } from "../../../../shared/errors.ts";
import type { Fault } from "../../../../shared/validation/validate.ts";

/** 400: what the schemas refuse. `metadata.path` names the place, `metadata.issues` further ones. */
export function malformed(faults: readonly Fault[]): Refusal {
  const message = faults.map((fault) => fault.message).join(". ");
  const path = faults[0]?.path ?? "body";
  return new Refusal("invalid_request", message, {
    metadata: faults.length > 1 ? { path, issues: faults } : { path },
  });
}

/** 422, a fault of meaning in a request that is well formed; the message begins with the path. */
export function unprocessable(path: string, complaint: string): Refusal {
  return new Refusal("unprocessable", `${path} ${complaint}`, { metadata: { path } });
}

/** A store that fails, as callers hear of it. */

import { Refusal } from "../../../shared/errors.ts";
import { StoreError } from "../../stores/store.ts";

/** Throws a Refusal `unavailable` for a store that does not answer, and everything else as it is. */
export function refuseForStore(error: unknown): never {
  if (!(error instanceof StoreError)) throw error;
  throw new Refusal("unavailable", "The gateway's store does not answer at present. Try again in a moment.", {
    retryAfter: 2,
    cause: error,
  });
}

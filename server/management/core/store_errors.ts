/** A store that fails, be it of records or of bytes, as callers hear of it. */

import { ApiError } from "../../../shared/errors.ts";
import { BlobError } from "../../storage/blobs/blob_store.ts";
import { StoreError } from "../../storage/stores/store.ts";

/** Throws an ApiError `unavailable` for a store that does not answer, and everything else as it is. */
export function throwStoreUnavailable(error: unknown): never {
  if (!(error instanceof StoreError || error instanceof BlobError)) throw error;
  throw new ApiError(
    "unavailable",
    "The store is unavailable. Try again in a moment.",
    {
      retryAfter: 2,
      cause: error,
    },
  );
}

/** Keys with `self_test` stay outside of budgets, so their own limit has to be small. */

import { ApiError } from "../../../shared/errors.ts";

/** USD. */
const MAX_LIMIT = 1;

/** Throws an ApiError (400) unless a self-test key may have this limit; USD, null: none. */
export function assertSelfTestLimit(limit: number | null, verb: string): void {
  if (limit !== null && limit <= MAX_LIMIT) return;
  const is = limit === null ? "is missing" : `is ${limit}`;
  throw new ApiError(
    "invalid_request",
    `Cannot ${verb}: limit ${is}; a key with self_test needs one of at most ${MAX_LIMIT} USD`,
    { metadata: { path: "limit" } },
  );
}

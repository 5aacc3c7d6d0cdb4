/** `x-session-id`: the header form of `session_id` (specification, Response request: the body's value wins). */

import { ApiError } from "../../../../shared/errors.ts";
import { countCodePoints } from "../../../../shared/validation/validate.ts";

const LONGEST = 256;

/** The session of a request. Throws an ApiError (400) for a header that is used and too long. */
export function parseSessionId(
  body: string | null | undefined,
  header: string | null | undefined,
): string | undefined {
  if (body) return body;
  if (!header) return undefined;
  const length = countCodePoints(header);
  if (length <= LONGEST) return header;
  throw new ApiError(
    "invalid_request",
    `x-session-id is ${length} characters long; at most ${LONGEST} are allowed`,
    { metadata: { path: "x-session-id" } },
  );
}

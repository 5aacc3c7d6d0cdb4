/** What is wrong with a question, in words. */

import { ApiError } from "../../../shared/errors.ts";

export function invalidQuery(path: string, fault: string): ApiError {
  return new ApiError("invalid_request", `Cannot query analytics: ${fault}`, { metadata: { path } });
}

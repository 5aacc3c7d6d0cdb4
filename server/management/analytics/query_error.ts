/** Makes the error of a query, in words. */

import { ApiError } from "../../../shared/errors.ts";

export function invalidQuery(path: string, fault: string): ApiError {
  return new ApiError("invalid_request", `Cannot query analytics: ${fault}`, { metadata: { path } });
}

/** The request of a nested run: nothing of the client's tools, formats and limits; its rules for providers hold. */

import { emptyRequest } from "../../../protocols/canonical/empty_request.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";

/** The fields that a tool sets itself. */
type OwnFields =
  & Pick<ModelRequest, "model" | "input">
  & Partial<
    Pick<
      ModelRequest,
      | "instructions"
      | "tools"
      | "maxToolCalls"
      | "maxOutputTokens"
      | "reasoning"
      | "cache"
      | "sampling"
      | "format"
      | "plugins"
    >
  >;

/** `request` is the client's. */
export function nestedRequest(
  { stream, endUser, provider }: ModelRequest,
  own: OwnFields,
): ModelRequest {
  return {
    ...emptyRequest,
    stream,
    endUser,
    provider,
    ...own,
  };
}

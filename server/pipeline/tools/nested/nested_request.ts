/** The request of a nested run: nothing of the client's tools, formats and limits; its rules for providers hold. */

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
    models: [],
    tools: [],
    sampling: {},
    format: { type: "text" },
    stream,
    include: [],
    endUser,
    provider,
    plugins: [],
    echoUpstreamBody: false,
    dropped: [],
    ...own,
  };
}

/** Context of a renderer of the Responses wire, made up for tests. */

import type { RenderContext } from "../../server/protocols/responses/inbound/render_context.ts";
import { parseRequest } from "../../server/protocols/responses/inbound/parse_request.ts";

/** A context for `body`; anything may be told otherwise. */
export function testContext(
  body: unknown = { model: "mock/model", input: "hi" },
  changes: Partial<RenderContext> = {},
): RenderContext {
  const { request, echo } = parseRequest(body);
  return {
    echo,
    responseId: "resp_1",
    suffix: "1",
    createdAt: 1_750_000_000,
    model: () => "mock/model",
    completionInfo: () => ({ completedAt: 1_750_000_001, extra: {}, usage: {} }),
    takeDebugBodies: () => [],
    strictEvents: false,
    include: request.include,
    ...changes,
  };
}

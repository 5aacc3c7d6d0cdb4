/** The content filters of a request's guardrails at work. Types only. */

import type { ToolOutput } from "./guardrails/text_slots/tool_output_shape.ts";
import type { ModelRequest } from "../protocols/canonical/request.ts";
import type { ModelResponse, RequestContext } from "./request_context.ts";

/** Every method throws an ApiError (`blocked`) where a filter blocks, or cannot tell. */
export interface RequestGuard {
  /** The request as it may be sent. What was read before is not read again. */
  readRequest(request: ModelRequest): ModelRequest | Promise<ModelRequest>;
  /** The same of a request with which a provider is called: what cannot be read of it is counted, or blocked. */
  readCall(request: ModelRequest): ModelRequest | Promise<ModelRequest>;
  /** The response as it may go on. A block before anything of it is out is thrown, a later one ends it. */
  readResponse(response: ModelResponse, context: RequestContext): Promise<ModelResponse>;
  /** Reads a provider's error text, which may repeat the request. Throws nothing. */
  readErrorText(text: string): string;
  /** Reads the results of a server tool, before the client or the model see them. */
  readToolOutput<T extends ToolOutput>(output: T, kind: string): T | Promise<T>;
}

/** The guard of a request by the guardrails of now; undefined where they have no content filters. */
export interface RequestGuards {
  /** At once where the caller's rules are in memory. Rejects with an ApiError where they cannot be told. */
  current(): RequestGuard | undefined | Promise<RequestGuard | undefined>;
  /** The one that `current` gave last: for what belongs to a call that is made already. */
  readonly latest: RequestGuard | undefined;
}

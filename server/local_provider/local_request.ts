/** A call of the built-in provider, over a connection or in process. */

import type { HeaderReader } from "../http/http_server/incoming_request.ts";

/** Parts that are read of a request; a `Request` has them all. */
export interface LocalRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderReader;
  readonly text: () => Promise<string>;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

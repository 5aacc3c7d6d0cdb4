/** Where a request came from, as its headers tell (wire-reference §2.2). */

import type { ClientRequest, HeaderReader } from "../http_server/incoming_request.ts";
import type { RequestOrigin } from "../pipeline/request_context.ts";

export function requestOrigin({ headers }: ClientRequest, api: string): RequestOrigin {
  return {
    api,
    referer: told(headers, "http-referer") ?? told(headers, "referer"),
    appTitle: told(headers, "x-openrouter-title") ?? told(headers, "x-title"),
    userAgent: told(headers, "user-agent"),
  };
}

/** An empty header says nothing. */
const told = (headers: HeaderReader, name: string): string | undefined => headers.get(name) || undefined;

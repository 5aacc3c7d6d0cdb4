/** Where a request came from, as its headers tell (specification, Request headers clients send). */

import type { ClientRequest, HeaderReader } from "../http/http_server/incoming_request.ts";
import type { RequestOrigin } from "../pipeline/request_context.ts";

export function requestOrigin({ headers }: ClientRequest, api: string): RequestOrigin {
  return {
    api,
    referer: reported(headers, "http-referer") ?? reported(headers, "referer"),
    appTitle: reported(headers, "x-openrouter-title") ?? reported(headers, "x-title"),
    userAgent: reported(headers, "user-agent"),
  };
}

/** An empty header says nothing. */
const reported = (headers: HeaderReader, name: string): string | undefined => headers.get(name) || undefined;

/** Where a request came from, as its headers tell (specification, Request headers clients send). */

import type { ClientRequest, HeaderReader } from "../http/http_server/incoming_request.ts";
import type { RequestOrigin } from "../pipeline/request_context.ts";

export function requestOrigin({ headers }: ClientRequest, api: string): RequestOrigin {
  return {
    api,
    referer: nonEmptyHeader(headers, "http-referer") ?? nonEmptyHeader(headers, "referer"),
    appTitle: nonEmptyHeader(headers, "x-openrouter-title") ?? nonEmptyHeader(headers, "x-title"),
    userAgent: nonEmptyHeader(headers, "user-agent"),
  };
}

/** An empty header says nothing. */
const nonEmptyHeader = (headers: HeaderReader, name: string): string | undefined =>
  headers.get(name) || undefined;

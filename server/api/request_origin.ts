/** Where a request came from, as its headers tell (specification, Request headers clients send). */

import { FUSION_DEPTH } from "../../shared/fields/fusion.ts";
import type { ClientRequest, HeaderReader } from "../http/http_server/incoming_request.ts";
import type { RequestOrigin } from "../pipeline/request_context.ts";

export function requestOrigin({ headers }: ClientRequest, api: string): RequestOrigin {
  return {
    api,
    referer: nonEmptyHeader(headers, "http-referer") ?? nonEmptyHeader(headers, "referer"),
    appTitle: nonEmptyHeader(headers, "x-openrouter-title") ?? nonEmptyHeader(headers, "x-title"),
    userAgent: nonEmptyHeader(headers, "user-agent"),
    traceparent: nonEmptyHeader(headers, "traceparent"),
  };
}

/** Runs of models by tools that the request is a part of, as the gateway that makes it says; undefined: none. */
export function runDepthOf(headers: HeaderReader): number | undefined {
  const text = headers.get(FUSION_DEPTH);
  return text !== null && /^[1-9]\d?$/.test(text) ? Number(text) : undefined;
}

/** An empty header says nothing. */
const nonEmptyHeader = (headers: HeaderReader, name: string): string | undefined =>
  headers.get(name) || undefined;

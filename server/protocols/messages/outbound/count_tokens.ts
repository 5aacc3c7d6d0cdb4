/** POST /messages/count_tokens: a request without an answer, in from clients and out to providers. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import type { EndpointTraits, ParseOptions, RenderedRequest } from "../../wire.ts";
import { parseRequest } from "../inbound/parse_request.ts";
import { renderRequest } from "./render_request.ts";

/** Stands in for the cap that such a request does not have: as much room to think as any model takes. */
const ANY_CAP = 1_000_000;

/** Takes the body of POST /messages with or without `max_tokens`; throws the same refusals. */
export function parseCountRequest(json: unknown, options: ParseOptions = {}): ModelRequest {
  const { request } = parseRequest(capped(json), options);
  return { ...request, maxOutputTokens: undefined, stream: false };
}

function capped(json: unknown): unknown {
  if (!isRecord(json) || "max_tokens" in json) return json;
  return { ...json, max_tokens: ANY_CAP };
}

/** Fields of a message that the provider does not want here: they say how the answer is made, or for whom. */
const answersOnly: readonly string[] = [
  "diagnostics",
  "max_tokens",
  "metadata",
  "service_tier",
  "stop_sequences",
  "stream",
  "temperature",
  "top_k",
  "top_p",
];

export function renderCount(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest {
  const { body, ...call } = renderRequest(request, endpoint);
  const counted = Object.entries(body).filter(([key]) => !answersOnly.includes(key));
  return { ...call, body: Object.fromEntries(counted), path: "/messages/count_tokens" };
}

/** `{input_tokens}`; undefined for anything else. */
export function parseCount(body: unknown): number | undefined {
  const tokens = typeof body === "object" && body !== null && "input_tokens" in body
    ? body.input_tokens
    : undefined;
  return typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}

/** Refuses odd hosts and odd paths before any route sees them (measured 12, SECURITY.md). */

import { ApiError } from "../../shared/errors.ts";
import type { ClientRequest } from "../http/http_server/incoming_request.ts";

const plainHost = /^[A-Za-z0-9._-]+(:\d{1,5})?$/;
const bracketedHost = /^\[[0-9a-fA-F:.]+\](:\d{1,5})?$/;

/**
 * An odd `Host` shifts what the URL parser takes for the path, so that `Host: x/console?` would reach another
 * route than the one that a proxy in front has judged.
 */
function checkHost(request: ClientRequest): void {
  const host = request.headers.get("host");
  if (host === null || !(plainHost.test(host) || bracketedHost.test(host))) {
    throw new ApiError(
      "invalid_request",
      "The Host header is missing or is not a host name with an optional port.",
    );
  }
  const named = authority(request.url);
  if (named === host || withoutPort(named) === withoutPort(host)) return;
  throw new ApiError("invalid_request", "The request URL names a different host than the Host header.");
}

/** A request line may hold a whole address; its host then counts for us, and perhaps not for a proxy in front. */
function authority(url: string): string {
  const start = url.indexOf("://") + 3;
  const end = url.indexOf("/", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

const withoutPort = (host: string) => host.replace(/:\d*$/, "").toLowerCase();

/**
 * Paths that a front proxy and we might read differently. `%2F` stays allowed: it may stand inside an id. A fragment
 * has no place in a request.
 */
const oddPath = /\/\/|\/\.{1,2}(?:\/|$)|[\\#]|%5c|%2e|%00/i;

/** The path of a URL as it came, without query. */
export function rawPath(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** The path and the query of a URL: a host that may stand in `Host` need not be one that the URL parser knows. */
export function parseRequestUrl(url: string): URL {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return new URL(start < 0 ? "/" : url.slice(start), "http://gateway.invalid");
}

function checkPath(request: ClientRequest): void {
  if (!oddPath.test(rawPath(request.url))) return;
  throw new ApiError(
    "invalid_request",
    "The path holds an empty segment, a dot segment, a backslash, a fragment, or an encoded dot or NUL.",
  );
}

/** Throws an ApiError when the request may not reach any route. */
export function checkRequest(request: ClientRequest): void {
  checkHost(request);
  checkPath(request);
}

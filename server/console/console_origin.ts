/** Where a browser's request comes from: over TLS or from this machine, and from our own page or another. */

import { ApiError } from "../../shared/errors.ts";
import type { HttpExchange } from "../api/http_exchange.ts";
import type { ClientRequest } from "../http_server/incoming_request.ts";

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

export interface OriginDeps {
  /** Whether the client's own connection is encrypted, up to a proxy that is trusted. */
  readonly isTls: (exchange: HttpExchange) => boolean;
}

const hostOf = ({ headers }: ClientRequest): string => headers.get("host") ?? "";

/**
 * Throws an ApiError for plain HTTP on a host that is not this machine's own: a session's cookie would cross the
 * network readable.
 */
export function requireSafeTransport(deps: OriginDeps, exchange: HttpExchange): void {
  if (deps.isTls(exchange) || loopbackHost.test(hostOf(exchange.request))) return;
  throw new ApiError(
    "forbidden",
    "The console needs TLS, because a session's cookie must not cross the network readable. Put a proxy with TLS in " +
      "front and set TOLLGATE_TRUST_PROXY so that its X-Forwarded-Proto counts, or open the console on the " +
      "gateway's own machine.",
  );
}

const changes = (method: string) => method !== "GET" && method !== "HEAD";

/**
 * Throws an ApiError unless the request comes from the console's own page. A browser says so in `Sec-Fetch-Site` or
 * `Origin`, which no page can write. Reading is also allowed from the address bar and from the list of downloads.
 */
export function requireSameOrigin(deps: OriginDeps, exchange: HttpExchange): void {
  const { request } = exchange;
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const own = `${deps.isTls(exchange) ? "https" : "http"}://${hostOf(request)}`;
  if (origin !== null && origin !== own) throw crossOrigin();
  if (site === "same-origin" || (site === null && origin === own)) return;
  if (site === "none" && !changes(request.method)) return;
  throw crossOrigin();
}

const crossOrigin = () =>
  new ApiError(
    "forbidden",
    "Only the console's own page may call this: the request comes from another origin.",
  );

/** Where a browser's request comes from: over TLS or from this machine, and from our own page or another. */

import { ApiError } from "../../../shared/errors.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import type { HttpExchange } from "../http_exchange.ts";
import type { ClientRequest } from "../../http/http_server/incoming_request.ts";

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

export interface OriginDeps {
  /** Whether the client's own connection is encrypted, up to a proxy that is trusted. */
  readonly isTls: (exchange: HttpExchange) => boolean;
}

const hostOf = ({ headers }: ClientRequest): string => headers.get("host") ?? "";

const refused = (message: string) => new ApiError("forbidden", message);

/**
 * Makes the error for a browser's connection that has TLS when the gateway does not know it: it says what is to be
 * set.
 */
function unknownTls({ request }: HttpExchange): ApiError {
  const forwardedProto = request.headers.get("x-forwarded-proto")?.split(",")[0]?.trim().toLowerCase();
  return forwardedProto === "https"
    ? refused(
      "The proxy in front says that the browser's connection has TLS, and the gateway does not trust it: set " +
        "TOLLGATE_TRUST_PROXY to the proxy's address.",
    )
    : refused(
      "The proxy in front does not say that the browser's connection has TLS: let it send X-Forwarded-Proto, and set " +
        "TOLLGATE_TRUST_PROXY to its address.",
    );
}

/** A browser sends `Sec-Fetch-Site` over TLS and to this machine only, and an origin as its address bar has it. */
const isOverTls = ({ headers }: ClientRequest): boolean =>
  headers.get("origin")?.startsWith("https:") ?? headers.get("sec-fetch-site") !== null;

/**
 * Throws an ApiError for plain HTTP on a host that is not this machine's own: a session's cookie would cross the
 * network readable.
 */
export function requireSafeTransport(deps: OriginDeps, exchange: HttpExchange): void {
  if (deps.isTls(exchange) || loopbackHost.test(hostOf(exchange.request))) return;
  if (isOverTls(exchange.request)) throw unknownTls(exchange);
  throw refused(
    "The console needs TLS, because a session's cookie must not cross the network readable. Put a proxy with TLS in " +
      "front and set TOLLGATE_TRUST_PROXY so that its X-Forwarded-Proto counts, or open the console on the " +
      "gateway's own machine.",
  );
}

/** The origin of pages that the gateway itself serves at the address of a request. */
const ownOrigin = (deps: OriginDeps, exchange: HttpExchange): string =>
  `${deps.isTls(exchange) ? "https" : "http"}://${hostOf(exchange.request)}`;

/**
 * Whether a page's origin is the gateway's own, and no other site can pass for it: a name of its own that it lets
 * point at this gateway has neither a certificate here nor this machine's name.
 */
export function isSafeOwnOrigin(deps: OriginDeps, exchange: HttpExchange): boolean {
  return (deps.isTls(exchange) || loopbackHost.test(hostOf(exchange.request))) &&
    exchange.request.headers.get("origin") === ownOrigin(deps, exchange);
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
  const own = ownOrigin(deps, exchange);
  if (origin !== null && origin !== own) throw otherOrigin(exchange, { site, origin });
  if (site === "same-origin" || (site === null && origin === own)) return;
  if (site === "none" && !changes(request.method)) return;
  throw crossOrigin();
}

interface RequestSource {
  readonly site: string | null;
  readonly origin: string;
}

/**
 * Why an origin is not the gateway's own: where the browser says that it is the page's, or where the host is the same,
 * a proxy has changed what the gateway compares it with.
 */
function otherOrigin(exchange: HttpExchange, { site, origin }: RequestSource): ApiError {
  if (site !== null && site !== "same-origin") return crossOrigin();
  const host = hostOf(exchange.request);
  if (origin === `https://${host}`) return unknownTls(exchange);
  if (site === null) return crossOrigin();
  const [page, requested] = [origin, host].map((text) => truncateStart(text, SHOWN_CHARS));
  return refused(
    `The proxy in front must pass Host on as the browser sent it: the page is at ${page}, and the gateway was ` +
      `asked for "${requested}".`,
  );
}

const SHOWN_CHARS = 100;

const crossOrigin = () =>
  refused("Only the console's own page may call this: the request comes from another origin.");

/** The cookie that carries a session's secret: 43 base64url characters, 256 random bits. */

import type { ClientRequest } from "../../http/http_server/incoming_request.ts";

/** Bytes of a session's secret. */
export const SECRET_BYTES = 32;

const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Browsers take a `__Host-` cookie over TLS only, for this host only. They send it to every port of the host, so that
 * the name has the port: two gateways on one machine do not end each other's sessions.
 */
function nameOf({ headers }: ClientRequest, tls: boolean): string {
  const port = /:(\d{1,5})$/.exec(headers.get("host") ?? "")?.[1];
  return `${tls ? "__Host-tollgate" : "tollgate"}${port === undefined ? "" : `-${port}`}`;
}

const attributes = (tls: boolean) => `Path=/; HttpOnly; SameSite=Strict${tls ? "; Secure" : ""}`;

interface CookieOptions {
  /** The request that is answered. */
  readonly request: ClientRequest;
  readonly tls: boolean;
  /** Seconds. */
  readonly maxAge: number;
}

export function sessionCookie(secret: string, { request, tls, maxAge }: CookieOptions): string {
  return `${nameOf(request, tls)}=${secret}; ${attributes(tls)}; Max-Age=${maxAge}`;
}

export function expiredCookie(request: ClientRequest, tls: boolean): string {
  return sessionCookie("", { request, tls, maxAge: 0 });
}

/** Undefined where the request carries no session, or text that cannot be one, or two that differ. */
export function readSecret(request: ClientRequest, tls: boolean): string | undefined {
  const name = nameOf(request, tls);
  const found = (request.headers.get("cookie") ?? "").split(";").flatMap((pair) => {
    const [key = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
    return key === name ? [value] : [];
  });
  const [secret, ...more] = new Set(found);
  return secret !== undefined && more.length === 0 && secretPattern.test(secret) ? secret : undefined;
}

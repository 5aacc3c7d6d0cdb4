/**
 * Finds out what a failed call means. Deno has codes for little of it, mostly wordings (measured 2.2); a test holds them.
 */

import type { Failure } from "../../../protocols/canonical/event.ts";
import { SseLimitError } from "../../../protocols/stream/sse.ts";
import { ResponseTooLarge, TransportError, type TransportErrorKind } from "../transport.ts";

type ConnectionFailureCode = TransportErrorKind | "dns" | "connection_refused" | "connection" | "too_large";

const messages: Readonly<Record<ConnectionFailureCode, string>> = {
  dns: "The provider's name could not be resolved.",
  connection_refused: "The provider refused the connection.",
  connect_timeout: "No connection to the provider could be made in time.",
  proxy: "The proxy on the way to the provider failed.",
  tls: "No secure connection to the provider could be made.",
  connection_reset: "The provider closed the connection.",
  bad_http: "The provider does not speak HTTP.",
  bad_address: "The address of the call is not below the provider's base URL.",
  cut: "The provider's answer broke off.",
  too_large: "The provider sent more than it may.",
  connection: "The connection to the provider failed.",
};

/** Errors of `Deno.connect`, of its connections and of `fetch`, by their words. */
const wordings: readonly (readonly [RegExp, ConnectionFailureCode])[] = [
  [/dns error|failed to lookup|invalid host|getaddrinfo/i, "dns"],
  [/connection refused/i, "connection_refused"],
  [/connection timed out/i, "connect_timeout"],
  [/certificate|corrupt message|fatal alert|tls handshake/i, "tls"],
  [/connection closed before|reset by peer|broken pipe|connection aborted/i, "connection_reset"],
  [/invalid (HTTP|header|content-length)|head is too large/i, "bad_http"],
  [/error reading a body|body from connection|unexpected end of file/i, "cut"],
];

/** The failure behind an error of the transport, of `fetch`, or of the stream's reader. */
export function connectionFailure(error: unknown): Failure {
  const code = codeOf(error);
  const kind = code === "connect_timeout" ? "upstream_timeout" : "upstream_failed";
  // It names the proxy, which the operator must find among several.
  const own = error instanceof TransportError && error.kind === "proxy" ? error.message : undefined;
  return { kind, code, message: own ?? messages[code] };
}

function codeOf(error: unknown): ConnectionFailureCode {
  if (error instanceof TransportError) return error.kind;
  if (error instanceof ResponseTooLarge || error instanceof SseLimitError) return "too_large";
  const text = failureMessages(error);
  return wordings.find(([pattern]) => pattern.test(text))?.[1] ?? "connection";
}

function failureMessages(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${error.cause === undefined ? "" : failureMessages(error.cause)}`;
}

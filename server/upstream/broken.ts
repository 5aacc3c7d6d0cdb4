/** What a failed connection means. Deno gives no codes, only wordings (facts.md 2.2); a test holds them. */

import type { Failure } from "../hub/event.ts";
import { SseTooLong } from "../stream/sse.ts";
import { TooLarge } from "./transport.ts";

const wordings: readonly (readonly [RegExp, string, string])[] = [
  [/dns error|failed to lookup/i, "dns", "The provider's name could not be resolved."],
  [/connection refused/i, "connection_refused", "The provider refused the connection."],
  [/certificate|InvalidContentType|tls/i, "tls", "No secure connection to the provider could be made."],
  [
    /connection closed before|reset by peer|broken pipe/i,
    "connection_reset",
    "The provider closed the connection.",
  ],
  [/invalid HTTP version|invalid header|parse/i, "bad_http", "The provider does not speak HTTP."],
  [
    /error reading a body|body from connection|unexpected end of file/i,
    "cut",
    "The provider's answer broke off.",
  ],
];

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${error.cause === undefined ? "" : told(error.cause)}`;
}

/** The failure behind an error of the transport or of the stream's reader. */
export function brokenConnection(error: unknown): Failure {
  if (error instanceof TooLarge || error instanceof SseTooLong) {
    return { kind: "upstream_failed", code: "too_large", message: "The provider sent more than it may." };
  }
  const text = told(error);
  const known = wordings.find(([pattern]) => pattern.test(text));
  return {
    kind: "upstream_failed",
    code: known?.[1] ?? "connection",
    message: known?.[2] ?? "The connection to the provider failed.",
  };
}

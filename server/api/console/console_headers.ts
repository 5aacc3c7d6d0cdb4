/** Headers of every reply below `/console` (SECURITY.md, Console). */

import type { ReplyHeaders } from "../../http/http_server/reply.ts";

/** Nothing from elsewhere, nothing inline, no frames, no forms that leave. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const fixed = [
  ["content-security-policy", policy],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["cache-control", "no-store"],
] as const;

const ONE_YEAR_S = 31_536_000;

/** Leaves what a reply says already, such as the stricter policy of a download. */
export function addConsoleHeaders(headers: ReplyHeaders, { tls }: { readonly tls: boolean }): void {
  const said = new Set([...headers].map(([name]) => name.toLowerCase()));
  for (const [name, value] of fixed) {
    if (!said.has(name)) headers.set(name, value);
  }
  if (tls) headers.set("strict-transport-security", `max-age=${ONE_YEAR_S}`);
}

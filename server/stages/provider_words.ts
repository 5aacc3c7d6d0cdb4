/** What a provider says of its failure, fit for the client's eyes. */

import { redact } from "../log.ts";
import type { Endpoint } from "../providers/endpoint.ts";

const MESSAGE_CHARS = 500;

/** Shorter values are words that stand in any sentence. */
const SECRET_CHARS = 8;

/** Values of the headers that every call of a provider carries, bare: what a provider may repeat of our key. */
function secretsOf({ provider }: Endpoint): readonly string[] {
  return Object.values(provider.headers)
    .map((value) => value.replace(/^(Bearer|Basic)\s+/i, ""))
    .filter((value) => value.length >= SECRET_CHARS);
}

/** Trimmed, without the gateway's own key at this provider whatever its form, and without what looks like one. */
export function providerWords(message: string, endpoint: Endpoint): string {
  const cut = message.slice(0, 16 * MESSAGE_CHARS);
  const clean = secretsOf(endpoint).reduce((text, secret) => text.replaceAll(secret, "[redacted]"), cut);
  return redact(clean).slice(0, MESSAGE_CHARS);
}

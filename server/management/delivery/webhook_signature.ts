/**
 * Signs webhooks: as Standard Webhooks has it (symmetric signatures, version 1), and over time and body alone, for
 * receivers that have no library for the standard.
 */

import { createHmac } from "node:crypto";

interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** Headers of a message; `secret` is `whsec_` and the base64 of the key, undefined leaves the signatures out. */
export function webhookHeaders(
  { id, timestamp, body }: SignedMessage,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp) };
  if (secret === undefined) return headers;
  const key = Buffer.from(secret.slice(secret.indexOf("_") + 1), "base64");
  const standard = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const own = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
  return {
    ...headers,
    "webhook-signature": `v1,${standard}`,
    "tollgate-signature": `t=${timestamp},v1=${own}`,
  };
}

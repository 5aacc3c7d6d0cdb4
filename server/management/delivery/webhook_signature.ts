/** Signs webhooks as Standard Webhooks has it (symmetric signatures, version 1). */

import { createHmac } from "node:crypto";

interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** Headers of a message; `secret` is `whsec_` and the base64 of the key, undefined leaves the signature out. */
export function webhookHeaders(
  { id, timestamp, body }: SignedMessage,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp) };
  if (secret === undefined) return headers;
  const key = Buffer.from(secret.slice(secret.indexOf("_") + 1), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}

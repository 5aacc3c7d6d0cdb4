/** One message to a destination: its address, its headers and its body. */

import { hash } from "node:crypto";
import type { Receipt } from "../../../shared/receipts.ts";
import type { FetchInput } from "../../web/fetch/guarded_fetch.ts";
import { webhookHeaders } from "../delivery/webhook_signature.ts";
import type { DestinationConfig } from "./destination_config.ts";
import type { DestinationRow } from "./destination_rows.ts";
import { otlpBody } from "./otlp_body.ts";

type DestinationMessage = Pick<FetchInput, "url"> & Required<Pick<FetchInput, "post">>;

interface MessageInput {
  readonly row: DestinationRow;
  readonly config: DestinationConfig;
  readonly receipts: readonly Receipt[];
  /** Ms since the epoch. */
  readonly now: number;
}

/** The same for the same receipts, however often they are sent. */
const messageId = ({ id }: Pick<DestinationRow, "id">, receipts: readonly Receipt[]): string =>
  `receipts_${hash("sha256", JSON.stringify([id, ...receipts.map((receipt) => receipt.id)])).slice(0, 32)}`;

export function destinationMessage({ row, config, receipts, now }: MessageInput): DestinationMessage {
  const body = otlpBody(receipts, row);
  const headers = lowerCased(config.headers);
  switch (config.type) {
    case "webhook": {
      const { url, method, signing_secret: secret } = config;
      const message = { id: messageId(row, receipts), timestamp: Math.floor(now / 1_000), body };
      return { url, post: { method, body, headers: { ...headers, ...webhookHeaders(message, secret) } } };
    }
    case "otel-collector":
      return { url: tracesUrl(config.endpoint), post: { body, headers } };
    default:
      return config satisfies never;
  }
}

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const TRACES = "/v1/traces";

/** Collectors are named by their base, as OTEL_EXPORTER_OTLP_ENDPOINT does, or by the whole address. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith(TRACES)) url.pathname = url.pathname.replace(/\/$/, "") + TRACES;
  return url.href;
}

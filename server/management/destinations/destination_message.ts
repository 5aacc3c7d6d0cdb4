/** One message to a destination: its address, its headers and its body. */

import { hash } from "node:crypto";
import type { Receipt } from "../../../shared/receipts.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { bucketUrlOf } from "../../storage/blobs/s3_client.ts";
import { signS3Request } from "../../storage/blobs/s3_signature.ts";
import type { FetchInput } from "../../web/fetch/guarded_fetch.ts";
import { webhookHeaders } from "../delivery/webhook_signature.ts";
import type { DestinationConfig } from "./destination_config.ts";
import type { DestinationRow } from "./destination_rows.ts";
import { otlpBody } from "./otlp_body.ts";

type DestinationMessage = Pick<FetchInput, "url"> & Required<Pick<FetchInput, "post">>;

interface MessageInput {
  readonly row: DestinationRow;
  readonly config: DestinationConfig;
  /** None makes an empty message, which tries the way. */
  readonly receipts: readonly Receipt[];
  /** Name of an empty message, which has no receipts that it could be made of. */
  readonly testId?: string;
  /** Ms since the epoch. */
  readonly now: number;
}

/** The same for the same receipts, however often they are sent. */
const messageId = ({ row, receipts, testId }: MessageInput): string =>
  testId === undefined
    ? `receipts_${hash("sha256", JSON.stringify([row.id, ...receipts.map(({ id }) => id)])).slice(0, 32)}`
    : `test_${testId}`;

export async function destinationMessage(input: MessageInput): Promise<DestinationMessage> {
  const { row, config, receipts, now } = input;
  const body = otlpBody(receipts, row);
  const headers = lowerCased(config.headers);
  switch (config.type) {
    case "webhook": {
      const { method, signing_secret: secret } = config;
      const message = { id: messageId(input), timestamp: Math.floor(now / 1_000), body };
      const all = { ...headers, ...webhookHeaders(message, secret) };
      return { url: calledUrl(config), post: { method, body, headers: all } };
    }
    case "otel-collector":
      return { url: calledUrl(config), post: { body, headers } };
    case "s3": {
      const url = `${calledUrl(config)}/${objectKey(config, input)}`;
      const method = "PUT";
      const bytes = new TextEncoder().encode(body);
      const signed = await signS3Request(config, { method, url, body: bytes, region: config.region, now });
      return { url, post: { method, body, headers: { ...headers, ...signed } } };
    }
    default:
      return config satisfies never;
  }
}

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const TRACES = "/v1/traces";

/** The address that is called; of a bucket its own. */
export function calledUrl(config: DestinationConfig): string {
  switch (config.type) {
    case "webhook":
      return config.url;
    case "otel-collector":
      return tracesUrl(config.endpoint);
    case "s3": {
      const { bucketName, region, endpoint } = config;
      return bucketUrlOf({ bucket: bucketName, region, endpoint: endpoint?.replace(/\/$/, "") });
    }
    default:
      return config satisfies never;
  }
}

/** Collectors are named by their base, as OTEL_EXPORTER_OTLP_ENDPOINT does, or by the whole address. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith(TRACES)) url.pathname = url.pathname.replace(/\/$/, "") + TRACES;
  return url.href;
}

type S3Config = Extract<DestinationConfig, { readonly type: "s3" }>;

/** The same for the same receipts, so that an object that is written twice is one. */
function objectKey({ prefix, pathTemplate }: S3Config, input: MessageInput): string {
  const [first] = input.receipts;
  const time = first?.ended_at ?? new Date(input.now).toISOString();
  const [date = ""] = time.split("T");
  const [year = "", month = "", day = ""] = date.split("-");
  const values = { prefix, date, year, month, day };
  const folder = pathTemplate.replaceAll(/\{(\w+)\}/g, (_, name) => ownValue(values, name) ?? "");
  const file = first === undefined ? "connection-test" : `${messageId(input)}-${Date.parse(time)}`;
  return [...folder.split("/").filter(Boolean), `${file}.json`].join("/");
}

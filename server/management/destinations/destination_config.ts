/** Configuration of each type of destination, and how it is shown without its secrets. */

import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import type { DestinationType } from "../../../shared/observability/records.ts";
import { isWebhookSecret } from "../../../shared/observability/webhook_secret.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { ownValue } from "../../../shared/util/own_value.ts";

/** Stands for a secret. Sent back it leaves the secret as it is. */
const MASK = "***";

const MOST_HEADERS = 20;
/** Headers that the gateway writes itself, or that say where a message ends. */
const ownHeaders =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*|webhook-.*|x-test-connection)$/;

const isHeaderName = (name: string): boolean =>
  /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,100}$/.test(name) && !ownHeaders.test(name.toLowerCase());

/** The mask itself is no secret: it is left over where no value is stored for it to stand for. */
const isUnmasked = (text: string): boolean => text !== MASK;

const headerValue = z.string().max(4_000).regex(/^[\x20-\x7e]*$/).refine(isUnmasked);

const headers = z.record(z.string(), headerValue).refine((all) =>
  Object.keys(all).length <= MOST_HEADERS && Object.keys(all).every(isHeaderName)
).default({});

const address = z.string().max(2_000).refine((text) => URL.canParse(text) && !text.endsWith(`?${MASK}`));

const webhookSchema = z.strictObject({
  url: address,
  method: z.enum(["POST", "PUT"]).default("POST"),
  headers,
  /** By which bodies are signed as Standard Webhooks has it. */
  signing_secret: z.string().refine(isWebhookSecret).optional(),
});

const collectorSchema = z.strictObject({ endpoint: address, headers });

/** Variables of a path: parts of the day (UTC) of the first receipt of an object. */
const variables: ReadonlySet<string> = new Set(["prefix", "date", "year", "month", "day"]);

const isTemplate = (text: string): boolean =>
  /^[\w.\-/{}]*$/.test(text) && !text.includes("..") &&
  text.split("{").slice(1).every((part) => variables.has(part.split("}")[0] ?? ""));

const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.pathname === "/" && url.search === "" && url.hash === "";
};

const s3Key = z.string().min(1).max(4_000).regex(/^[\x21-\x7e]+$/).refine(isUnmasked);

const s3Schema = z.strictObject({
  bucketName: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
  prefix: z.string().max(500).regex(/^[\w.\-/]*$/).default("tollgate-traces"),
  pathTemplate: z.string().max(500).refine(isTemplate).default("{prefix}/{date}"),
  region: z.string().regex(/^[a-z0-9-]{1,40}$/).default("us-east-1"),
  /** Origin of another service than AWS. */
  endpoint: address.refine(isOrigin).optional(),
  accessKeyId: s3Key,
  secretAccessKey: s3Key,
  /** Goes with keys that expire. */
  sessionToken: s3Key.optional(),
  headers,
});

const schemas = {
  "webhook": webhookSchema,
  "otel-collector": collectorSchema,
  "s3": s3Schema,
} as const satisfies {
  readonly [T in DestinationType]: z.ZodObject;
};

export type DestinationConfig = {
  readonly [T in DestinationType]: { readonly type: T } & z.output<(typeof schemas)[T]>;
}[DestinationType];

const KEY = "up to 4,000 letters, digits and signs without blanks";

/** Values that a field may have, for those who sent something else, which is not repeated: it may be a secret. */
const allowed: ReadonlyMap<string, string> = new Map([
  ["url", `an address of at most 2,000 characters without ${MASK}`],
  ["endpoint", `an address of at most 2,000 characters without ${MASK}, and for s3 without a path`],
  ["bucketName", "3 to 63 lower-case letters, digits, dots and hyphens"],
  ["prefix", "letters, digits, dots, underscores, hyphens and slashes"],
  ["pathTemplate", "the same with {prefix}, {date}, {year}, {month} and {day}"],
  ["region", "lower-case letters, digits and hyphens"],
  ["method", '"POST" or "PUT"'],
  [
    "headers",
    `up to ${MOST_HEADERS} headers as texts, ${MASK} only for those that are stored, without those that the gateway writes itself`,
  ],
  ["accessKeyId", KEY],
  ["secretAccessKey", KEY],
  ["sessionToken", KEY],
  ["signing_secret", "whsec_ and the base64 of 24 to 64 bytes"],
]);

interface ConfigInput {
  readonly type: DestinationType;
  readonly config: unknown;
  readonly verb: string;
}

/** Throws an ApiError (400) that repeats no value. */
export function parseConfig({ type, config, verb }: ConfigInput): DestinationConfig {
  const parsed = schemas[type].safeParse(config);
  if (parsed.success) return toConfig(type, parsed.data);
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const field = unknown ?? String(issue?.path[0] ?? "");
  const path = field === "" ? "config" : `config.${field}`;
  const what = unknown === undefined
    ? `is missing or something else than ${allowed.get(field) ?? "an object"}`
    : `is no field of a destination of type ${type}`;
  throw new ApiError("invalid_request", `Cannot ${verb}: ${path} ${what}`, { metadata: { path } });
}

function toConfig(type: DestinationType, fields: unknown): DestinationConfig {
  return { type, ...fields as object } as DestinationConfig;
}

/** The configuration as it is encrypted. */
export function writeConfig({ type: _, ...fields }: DestinationConfig): string {
  return JSON.stringify(fields);
}

/** Fields whose query is not shown. */
const addressFields: ReadonlySet<string> = new Set(["url", "endpoint"]);

/** Fields that are not shown at all; of headers no value is, of an address no query. */
const secretFields: ReadonlySet<string> = new Set([
  "signing_secret",
  "accessKeyId",
  "secretAccessKey",
  "sessionToken",
]);

type ShownConfig = Readonly<Record<string, string | Record<string, string>>>;

/** Without secrets. */
export function maskConfig({ type: _, ...fields }: DestinationConfig): ShownConfig {
  const shown = new Map<string, string | Record<string, string>>();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (typeof value === "object") shown.set(name, maskAll(value));
    else if (secretFields.has(name)) shown.set(name, MASK);
    else shown.set(name, addressFields.has(name) ? maskAddress(value) : value);
  }
  return Object.fromEntries(shown);
}

const maskAll = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, MASK]));

function maskAddress(text: string): string {
  const end = text.search(/[?#]/);
  return end === -1 ? text : `${text.slice(0, end)}?${MASK}`;
}

interface ConfigChange {
  readonly before: DestinationConfig;
  readonly change: Readonly<Record<string, unknown>>;
}

/** The fields with those of a change, and headers likewise; null removes one, and what is as it is shown stays. */
export function mergeConfig({ before, change }: ConfigChange): unknown {
  const { type: _, ...stored } = before;
  const shown = maskConfig(before);
  const changed = Object.entries(change).map(([name, value]) => {
    if (name === "headers" && isRecord(value)) return [name, mergeHeaders(before.headers, value)] as const;
    const isAsShown = value !== undefined && value === ownValue(shown, name);
    return [name, isAsShown ? ownValue(stored, name) : value ?? undefined] as const;
  });
  return { ...stored, ...Object.fromEntries(changed) };
}

/** By name, of which capitals do not count; null removes one. */
function mergeHeaders(
  before: DestinationConfig["headers"],
  change: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = new Map<string, readonly [string, unknown]>(
    Object.entries(before).map(([name, value]) => [name.toLowerCase(), [name, value]]),
  );
  for (const [name, value] of Object.entries(change)) {
    const key = name.toLowerCase();
    const [, stored] = merged.get(key) ?? [];
    if (value === null) merged.delete(key);
    else merged.set(key, [name, value === MASK ? stored ?? value : value]);
  }
  return Object.fromEntries(merged.values());
}

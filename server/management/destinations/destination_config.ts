/** Configuration of each type of destination, and how it is shown without its secrets. */

import type * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import type { DestinationType } from "../../../shared/observability/records.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { formatPath } from "../../../shared/validation/validate.ts";
import { configSchemas, MASK } from "./config_schemas.ts";

export type DestinationConfig = {
  readonly [T in DestinationType]: { readonly type: T } & z.output<(typeof configSchemas)[T]>;
}[DestinationType];

interface ConfigInput {
  readonly type: DestinationType;
  readonly config: unknown;
  readonly verb: string;
}

/** Throws an ApiError (400) that names the field, says what is allowed, and repeats no value. */
export function parseConfig({ type, config, verb }: ConfigInput): DestinationConfig {
  const schema = configSchemas[type];
  const parsed = schema.safeParse(config);
  if (parsed.success) return toConfig(type, parsed.data);
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = formatPath(["config", ...issue?.path.slice(0, 1) ?? [], ...unknown]);
  const what = unknown.length === 0
    ? issue?.message
    : `is no field of a destination of type ${type}; allowed: ${Object.keys(schema.shape).join(", ")}`;
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

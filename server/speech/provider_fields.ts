/** Fields of what a provider tells, which may be anything. */

import { isRecord } from "../../shared/util/json.ts";
import type { ProviderErrorFields } from "./provider_error.ts";

type Record = Readonly<{ [key: string]: unknown }>;

/** The object that a value is; an empty one for whatever is none. */
export function toObject(value: unknown): Record {
  return isRecord(value) ? value : {};
}

/** Names of an error's fields at a provider, the first that is there first. */
type ErrorFieldNames = { readonly [F in "code" | "type" | "message" | "param"]?: readonly string[] };

/** An error's fields by their names at a provider: texts that are not empty. */
export function readErrorFields(value: unknown, names: ErrorFieldNames): ProviderErrorFields {
  const record = toObject(value);
  const found = Object.entries(names).flatMap(([field, keys]) => {
    const text = keys.map((key) => record[key]).find((one) => typeof one === "string" && one !== "");
    return text === undefined ? [] : [[field, text] as const];
  });
  return Object.fromEntries(found);
}

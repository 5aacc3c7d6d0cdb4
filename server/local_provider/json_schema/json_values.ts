/** Small questions about JSON values whose shape is not known. */

import { isRecord } from "../../../shared/util/json.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value as an object, or an empty one. */
export function toRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The value as a list, or an empty one. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toStrings(value: unknown): readonly string[] {
  return toList(value).filter((one) => typeof one === "string");
}

export function toNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Own property, so that `__proto__` and `constructor` are names like any other. */
export function ownProperty(object: JsonRecord, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Equality as JSON Schema means it. Small values only: the caller bounds what it compares. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, i) => isEqualJson(one, b[i]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqualJson(a[name], b[name]));
}

/** Code points, as `minLength` counts them. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

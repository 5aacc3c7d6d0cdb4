/** Reads fields of values that the gateway has sent, which no schema has parsed in the browser. */

import { ownValue } from "../../../shared/util/own_value.ts";

export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const asJson = (value: unknown): Json => isJson(value) ? value : {};

export function textOf(json: Json, name: string): string | undefined {
  const value = ownValue(json, name);
  return typeof value === "string" ? value : undefined;
}

export function numberOf(json: Json, name: string): number | undefined {
  const value = ownValue(json, name);
  return typeof value === "number" ? value : undefined;
}

export const objectOf = (json: Json, name: string): Json => asJson(ownValue(json, name));

/** Objects of a list; others are left out. */
export function listOf(json: Json, name: string): readonly Json[] {
  const value = ownValue(json, name);
  return Array.isArray(value) ? value.filter(isJson) : [];
}

export function textsOf(json: Json, name: string): readonly string[] {
  const value = ownValue(json, name);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

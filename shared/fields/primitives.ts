/** Building blocks of the request schemas. They validate and never transform: what is accepted stays as sent. */

import * as z from "zod";
import { isRecord } from "../util/json.ts";
import { countCodePoints } from "../validation/validate.ts";

/**
 * A JSON object whose meaning is not ours to judge. It stays the very same: a schema with keys would copy it, all
 * but a key of the name `__proto__`, which is one like any other.
 */
export const jsonObject = z.custom<{ [key: string]: unknown }>().check((payload) => {
  const { value } = payload;
  if (isRecord(value)) return;
  payload.issues.push({ code: "invalid_type", expected: "object", input: value });
});

/** A string of at most `max` characters, counted as code points. */
export function boundedText(max: number) {
  return z.string().check((payload) => {
    if (payload.value.length <= max || countCodePoints(payload.value) <= max) return;
    payload.issues.push({
      code: "too_big",
      origin: "string",
      maximum: max,
      inclusive: true,
      input: payload.value,
    });
  });
}

/** A field that is known and refused: only absent or null passes. `reason` ends a sentence begun by the path. */
export function unsupportedField(reason: string) {
  return z.unknown().check((payload) => {
    if (payload.value === null || payload.value === undefined) return;
    payload.issues.push({ code: "custom", message: reason, input: payload.value });
  }).optional();
}

/** An object that takes no other keys: a misspelled preference must not be ignored. */
export function closedObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const message = `is not a known key; allowed: ${Object.keys(shape).join(", ")}`;
  return z.strictObject(shape, {
    error: (issue) => issue.code === "unrecognized_keys" ? message : undefined,
  });
}

/** Says that an object lacks what it is for: `has neither image_url nor file_id`. */
export function requireOneOf(...keys: readonly string[]) {
  const message = `has ${keys.length > 2 ? "none of" : "neither"} ${
    keys.join(keys.length > 2 ? ", " : " nor ")
  }`;
  return (payload: z.core.ParsePayload<Readonly<Record<string, unknown>>>) => {
    if (keys.some((key) => typeof payload.value[key] === "string" && payload.value[key] !== "")) return;
    payload.issues.push({ code: "custom", message, input: payload.value });
  };
}

/** The path's own key holds an empty string, or none. */
export const nonEmptyString = z.string().min(1);

/**
 * Where an item or message stands (specification, Input items). Closed: clients of both families reject other
 * values.
 */
export const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

export const reasoningEffort = z.enum(["max", "xhigh", "high", "medium", "low", "minimal", "none"]);

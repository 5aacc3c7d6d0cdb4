/**
 * Checks by a schema of many keys, of which a value names a few: for each set of keys that comes a schema of just
 * these is kept, so that what is absent costs nothing.
 */

import * as z from "zod";
import { validate, type ValidationResult } from "./validate.ts";

/** Sets of keys that get a schema of their own; values with further ones are checked by the whole schema. */
const MOST = 100;

/**
 * As `check` of the whole schema, faults included. An absent key that may be absent has no fault and brings no
 * value, so nothing is lost by not asking for it.
 */
export function sparseValidator<Schema extends z.ZodObject>(
  schema: Schema,
): (value: unknown) => ValidationResult<z.infer<Schema>> {
  const { shape } = schema;
  const needed = Object.keys(shape).filter((key) => shape[key]?._zod.optin !== "optional");
  const kept = new Map<string, Schema>();
  const made = (requested: string, value: object): Schema => {
    const asks = ([key]: readonly [string, unknown]) => needed.includes(key) || Object.hasOwn(value, key);
    const narrow = schema.clone({
      ...schema.def,
      shape: Object.fromEntries(Object.entries(shape).filter(asks)),
    });
    kept.set(requested, narrow);
    return narrow;
  };
  const narrowFor = (value: unknown): Schema => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return schema;
    const requested = knownIn(value, shape);
    return kept.get(requested) ?? (kept.size < MOST ? made(requested, value) : schema);
  };
  return (value) => validate(schema, value, { quick: narrowFor(value) });
}

/** The keys of a value that the schema knows, in the value's order. */
function knownIn(value: object, shape: z.core.$ZodShape): string {
  let known = "";
  for (const key in value) if (Object.hasOwn(shape, key)) known += `${key} `;
  return known;
}

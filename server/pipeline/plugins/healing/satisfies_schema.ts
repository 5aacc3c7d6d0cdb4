/** Whether a value satisfies a schema of a caller's, in a bounded time. */

import { format, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { Unhealed } from "./healing_reasons.ts";
import { type CheckMeter, copySchema, type SchemaCopy } from "./schema_copy.ts";

/** Places of a value that are held against a place of the schema: about 30 ms. */
const MOST_CHECKS = 10_000;
/** Units of work of the patterns: about 20 ms. */
const MOST_PATTERN_WORK = 400_000;
/** Items of a list that are compared with each other. */
const MOST_COMPARED = 300;

/** Throws Unhealed where it cannot be told: the schema names another one elsewhere, or takes too much work. */
export function satisfiesSchema(value: unknown, schema: JsonObject): boolean {
  const meter: CheckMeter = { left: MOST_CHECKS, patterns: { left: MOST_PATTERN_WORK } };
  try {
    const copy = copySchema(schema, meter);
    if (copy.comparesItems && longestList(value) > MOST_COMPARED) throw new Unhealed("schema_unchecked");
    return validateCopy(value, { copy, meter, draft: draftOf(schema) });
  } catch (error) {
    if (error instanceof Unhealed) throw error;
    // The schema is none, goes round in circles, or names what is not in it.
    throw new Unhealed("schema_unchecked", { cause: error });
  }
}

interface CheckedCopy {
  readonly copy: SchemaCopy;
  readonly meter: CheckMeter;
  readonly draft: SchemaDraft;
}

/** The validator asks its table of formats for texts: the tests of the schema stand in it for the time of the check. */
function validateCopy(value: unknown, { copy, meter, draft }: CheckedCopy): boolean {
  const { schema, tests } = copy;
  for (const [name, test] of tests) format[name] = (text) => test(text, meter.patterns);
  try {
    return validate(value, toSchema(schema), draft).valid;
  } finally {
    for (const name of tests.keys()) delete format[name];
  }
}

const toSchema = (schema: SchemaCopy["schema"]): Schema => schema as Schema;

const draftOf = ({ $schema }: JsonObject): SchemaDraft => {
  if (typeof $schema !== "string") return "2020-12";
  if (/draft-0[46]/.test($schema)) return "4";
  if (/draft-07/.test($schema)) return "7";
  return "2020-12";
};

function longestList(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const longest = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((most, one) => Math.max(most, longestList(one)), longest);
}

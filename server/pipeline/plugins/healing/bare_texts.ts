/** Values that had no quotes: a text only where the schema says that a text stands there, and nothing else can. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { alternatives, memberSchema, typesOf } from "./schema_place.ts";

interface BareTexts {
  readonly texts: ReadonlySet<string>;
  readonly schema: JsonObject;
}

/** Whether each of the texts in the value, which may stand there more than once, is one by the schema. */
export function* areTexts(value: unknown, { texts, schema }: BareTexts): Work<boolean> {
  return yield* areTextsAt(value, { texts, schema, places: [schema] });
}

interface Place extends BareTexts {
  /** Schemas of the place: those of the alternatives that have it. */
  readonly places: readonly unknown[];
}

function* areTextsAt(value: unknown, { places, ...bare }: Place): Work<boolean> {
  yield;
  if (typeof value === "string") {
    return !bare.texts.has(value) || places.every((one) => isTextOnly(one, bare.schema));
  }
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return true;
  const options = places.flatMap((one) => alternatives(one, bare.schema));
  for (const [name, member] of Object.entries(value)) {
    const inner = options.map((one) => memberSchema(one, isList ? undefined : name)).filter((one) =>
      one !== undefined
    );
    const places = inner.length === 0 ? [undefined] : inner.slice(0, MOST_PLACES);
    if (!(yield* areTextsAt(member, { ...bare, places }))) return false;
  }
  return true;
}

/** Alternatives that are followed. */
const MOST_PLACES = 20;

function isTextOnly(schema: unknown, root: JsonObject): boolean {
  const types = typesOf(schema, root);
  return types !== undefined && types.has("string") &&
    [...types].every((type) => type === "string" || type === "null");
}

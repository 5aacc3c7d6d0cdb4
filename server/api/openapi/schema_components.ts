/** The schemas of the API as JSON Schema (draft 2020-12), those with a name once, as components of the document. */

import * as z from "zod";
import { isRecord } from "../../../shared/util/json.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import { customSchemas, schemaNames } from "./named_schemas.ts";

/** `input`: as a client sends it. `output`: as the gateway answers. */
type Direction = keyof typeof schemaNames;

export class SchemaComponents {
  readonly #named = new Map<string, unknown>();

  /** The schema, in which named ones are references. Throws where two of one name differ. */
  add(schema: z.ZodType, direction: Direction): JsonObject {
    // Within an object, because the outermost schema would not become a reference.
    const { properties, $defs } = z.toJSONSchema(z.object({ it: schema }), {
      io: direction,
      unrepresentable: "any",
      metadata: schemaNames[direction],
      override: complete,
    });
    for (const [name, found] of Object.entries($defs ?? {})) this.#keep(name, tidied(found));
    const it = tidied(properties?.it);
    return isRecord(it) ? it : {};
  }

  /** By name, sorted. */
  all(): JsonObject {
    return Object.fromEntries([...this.#named].toSorted(([one], [other]) => one < other ? -1 : 1));
  }

  #keep(name: string, schema: unknown): void {
    const before = this.#named.get(name);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`Cannot describe the API: two schemas are called ${name}`);
    }
    this.#named.set(name, schema);
  }
}

type OverrideContext = Parameters<NonNullable<z.core.JSONSchemaGeneratorParams["override"]>>[0];

/** Says what zod leaves out: custom checks, and the bounds of numbers that come as texts. */
function complete({ zodSchema, jsonSchema }: OverrideContext): void {
  const custom = customSchemas.get(zodSchema);
  if (custom !== undefined) Object.assign(jsonSchema, custom);
  const { def } = zodSchema._zod;
  if (def.type !== "pipe" || !("in" in def) || !("out" in def)) return;
  const pipe = asPipe(def);
  if (!("coerce" in pipe.in._zod.def)) return;
  delete jsonSchema.type;
  Object.assign(jsonSchema, z.toJSONSchema(pipe.out, { io: "input", unrepresentable: "any" }));
  delete jsonSchema.$schema;
}

/** Narrows the definition of a pipe, which zod types by what all schemas have. */
function asPipe(def: object): { readonly in: z.core.$ZodType; readonly out: z.core.$ZodType } {
  return def as { readonly in: z.core.$ZodType; readonly out: z.core.$ZodType };
}

/** Formats that say all that zod's pattern for them says. */
const plainFormats: ReadonlySet<unknown> = new Set(["uuid", "date", "date-time"]);

/** Without what says nothing, and with references that lead to the document's components. */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied);
  if (!isRecord(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    if (saysNothing(value, key)) continue;
    // A union of zod's takes the first member that fits: others may fit too.
    kept[key === "oneOf" ? "anyOf" : key] = key === "$ref" ? toComponent(part) : tidied(part);
  }
  return withoutEmptyText(kept);
}

function saysNothing(schema: JsonObject, key: string): boolean {
  const value = schema[key];
  if (key === "$schema" || key === "id") return typeof value === "string";
  if (key === "additionalProperties") return isRecord(value) && Object.keys(value).length === 0;
  if (key === "pattern") return plainFormats.has(schema.format);
  return value === Number.MIN_SAFE_INTEGER || value === Number.MAX_SAFE_INTEGER;
}

const toComponent = (ref: unknown) => String(ref).replace("#/$defs/", "#/components/schemas/");

/** An empty text in an address counts as absent: clients need not know it. */
function withoutEmptyText(schema: Record<string, unknown>): unknown {
  if (!Array.isArray(schema.anyOf)) return schema;
  const members = schema.anyOf.filter((one) => !isRecord(one) || one.const !== "");
  if (members.length === schema.anyOf.length) return schema;
  const { anyOf: _all, ...more } = schema;
  return members.length === 1 && isRecord(members[0])
    ? { ...members[0], ...more }
    : { ...more, anyOf: members };
}

/**
 * A schema as the validator gets it: a copy, because it writes into what it reads, without what would let a text or a
 * schema make it slow.
 */

import { format } from "@cfworker/json-schema";
import { isRecord } from "../../../../shared/util/json.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { Unhealed } from "./healing_reasons.ts";
import { compilePattern, type PatternMeter, type PatternTest } from "./schema_patterns.ts";

/** Formats whose check is linear. The others say what a text means, and are not checked. */
const checkedFormats = new Set([
  ...["date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
]);

/** Keywords whose values are schemas by name. */
const schemaMaps = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
const schemaLists = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
/** Keywords with values of their own, which stay as they are. */
const values = new Set([
  ...["type", "const", "enum", "required", "dependentRequired", "$ref", "$anchor", "multipleOf"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties", "uniqueItems"],
]);
/** Keywords that say nothing of what satisfies the schema. */
const remarks = new Set([
  ...["$schema", "$comment", "title", "description", "default", "example", "examples", "deprecated"],
  ...["readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema"],
]);
/**
 * Keywords that the validator reads otherwise than they are meant, or in a time without a bound, and a pattern that is
 * no text.
 */
const unchecked = new Set([
  ...["pattern", "$id", "id"],
  ...["patternProperties", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "dependencies"],
]);

/** Schemas within a schema. */
export const MOST_NODES = 3_000;
/** Different patterns, each of which is compiled. */
export const MOST_PATTERNS = 30;

/** Counts what a check looks at: throws Unhealed where it is too much. */
export interface CheckMeter {
  readonly patterns: PatternMeter;
  left: number;
}

export interface SchemaCopy {
  readonly schema: Record<string, unknown> | boolean;
  /** Tests of its patterns and formats, by the format that stands for them in the copy. */
  readonly tests: ReadonlyMap<string, PatternTest>;
  /** Items of a list are compared, each with each. */
  readonly comparesItems: boolean;
}

/** Throws Unhealed for a schema that cannot be checked. */
export function copySchema(schema: unknown, meter: CheckMeter): SchemaCopy {
  const copier = new SchemaCopier(meter);
  const copy = typeof schema === "boolean" ? schema : copier.root(schema);
  return { schema: copy, tests: copier.tests, comparesItems: copier.comparesItems };
}

class SchemaCopier {
  readonly #meter: CheckMeter;
  readonly tests = new Map<string, PatternTest>();
  comparesItems = false;
  readonly #patterns = new Map<string, PatternTest>();
  #nodes = 0;

  constructor(meter: CheckMeter) {
    this.#meter = meter;
  }

  root(schema: unknown): Record<string, unknown> {
    if (!isRecord(schema)) throw new Unhealed("schema_unchecked");
    const { $id: _$id, id: _id, ...rest } = schema;
    return this.#node(rest);
  }

  #copy(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.#copy(one));
    return isRecord(schema) ? this.#node(schema) : schema;
  }

  #node(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (++this.#nodes > MOST_NODES) throw new Unhealed("schema_unchecked");
    const copy: Record<string, unknown> = {};
    const tests: PatternTest[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      const test = this.#test(keyword, value);
      if (test !== undefined) tests.push(test);
      else if (keyword !== "format" && !remarks.has(keyword)) {
        define(copy, { name: keyword, value: this.#value(keyword, value) });
      }
    }
    if (tests.length > 0) copy["format"] = this.#named(tests);
    return this.#counted(copy);
  }

  /** Test that a keyword asks of a text. */
  #test(keyword: string, value: unknown): PatternTest | undefined {
    if (keyword === "pattern" && typeof value === "string") return this.#pattern(value);
    if (keyword !== "format" || typeof value !== "string" || !checkedFormats.has(value)) return undefined;
    return ownValue(format, value);
  }

  #pattern(pattern: string): PatternTest {
    const test = this.#patterns.get(pattern) ?? compilePattern(pattern);
    this.#patterns.set(pattern, test);
    if (this.#patterns.size > MOST_PATTERNS) throw new Unhealed("schema_unchecked");
    return test;
  }

  #named(tests: readonly PatternTest[]): string {
    const name = `test ${this.tests.size}`;
    this.tests.set(name, (text, meter) => tests.every((test) => test(text, meter)));
    return name;
  }

  #value(keyword: string, value: unknown): unknown {
    if (keyword === "uniqueItems" && value === true) this.comparesItems = true;
    if (values.has(keyword)) return value;
    if (unchecked.has(keyword)) throw new Unhealed("schema_unchecked");
    if (schemaMaps.has(keyword)) return this.#map(value);
    return Array.isArray(value) && !schemaLists.has(keyword) ? value : this.#copy(value);
  }

  #map(schemas: unknown): unknown {
    if (!isRecord(schemas)) throw new Unhealed("schema_unchecked");
    const copy: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(schemas)) define(copy, { name, value: this.#copy(schema) });
    return copy;
  }

  /** The validator looks at this keyword whenever it holds a value against the schema. */
  #counted(copy: Record<string, unknown>): Record<string, unknown> {
    const lists = [copy["enum"], copy["required"], copy["type"]];
    const listed = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
    const spend = () => {
      this.#meter.left -= 1 + listed / 16;
      if (this.#meter.left < 0) throw new Unhealed("schema_unchecked");
    };
    Object.defineProperty(copy, "$recursiveAnchor", { enumerable: false, get: spend });
    return copy;
  }
}

/** A name of a caller's may be `__proto__`. */
function define(
  copy: Record<string, unknown>,
  { name, value }: { readonly name: string; readonly value: unknown },
): void {
  Object.defineProperty(copy, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Every place of a zod schema in which a text may stand, each with a value that has it. */

import type * as z from "zod";
import { isRecord } from "../../../shared/util/json.ts";

export interface TextPlace {
  /** Such as `messages[].user.content[].text.text`. */
  readonly path: string;
  /** A value that the schema takes, with the text at the place. */
  readonly build: (text: string) => unknown;
}

/** Marks JSON objects whose meaning nobody judges. */
const ANY = "any";
const MAX_DEPTH = 14;

type Def = Readonly<Record<string, unknown>> & { readonly type: string };

const defOf = (schema: unknown): Def => asSchema(schema)._zod.def as unknown as Def;
const asSchema = (schema: unknown) => schema as z.core.$ZodType;
const asList = (value: unknown) => value as readonly unknown[];
const asShape = (value: unknown) => value as Readonly<Record<string, unknown>>;

/** A small value that the schema takes. */
export function sampleOf(schema: unknown): unknown {
  const def = defOf(schema);
  switch (def.type) {
    case "object":
      return objectWith(def, {});
    case "array":
      return hasMinimum(def) ? [sampleOf(def.element)] : [];
    case "union":
      return sampleOf(asList(def.options)[0]);
    case "literal":
      return asList(def.values)[0];
    case "enum":
      return Object.values(asShape(def.entries))[0];
    case "string":
      return "x";
    case "number":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "record":
      return {};
    case "custom":
      return {};
    case "unknown":
      return undefined;
    default:
      return sampleOf(def.innerType);
  }
}

const hasMinimum = ({ checks }: Def): boolean => checks !== undefined && asList(checks).length > 0;

const isOptional = (schema: unknown): boolean => {
  const { type } = defOf(schema);
  return type === "optional" || type === "unknown" ||
    (type === "nullable" && isOptional(defOf(schema).innerType));
};

function objectWith(def: Def, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shape = asShape(def.shape);
  const needed = Object.entries(shape).filter(([name, field]) =>
    !isOptional(field) && !Object.hasOwn(fields, name)
  );
  return { ...Object.fromEntries(needed.map(([name, field]) => [name, sampleOf(field)])), ...fields };
}

interface At {
  readonly path: string;
  readonly depth: number;
}

export function placesIn(schema: unknown, at: At = { path: "", depth: 0 }): readonly TextPlace[] {
  const { path, depth } = at;
  if (depth > MAX_DEPTH) return [];
  const def = defOf(schema);
  switch (def.type) {
    case "string":
      return [{ path, build: (text) => text }];
    case "object":
      return objectPlaces(def, at);
    case "array":
      return placesIn(def.element, { path: `${path}[]`, depth: depth + 1 }).map(({ path, build }) => ({
        path,
        build: (text) => [build(text)],
      }));
    case "union":
      return asList(def.options).flatMap((option) =>
        placesIn(option, { path: path + labelOf(option), depth: depth + 1 })
      );
    case "record":
    case "custom":
    case "unknown":
      return [
        { path: `${path}.${ANY}`, build: (text) => ({ type: "object", note: text }) },
        { path: `${path}.${ANY} (name)`, build: (text) => ({ [text]: 1 }) },
        { path: `${path}.${ANY}.type`, build: (text) => ({ type: text, id: text }) },
      ];
    case "literal":
    case "enum":
    case "number":
    case "boolean":
    case "null":
      return [];
    default:
      return placesIn(def.innerType, at);
  }
}

/** The type or role of an object that is one of several. */
function labelOf(option: unknown): string {
  const { type, shape } = defOf(option);
  if (type !== "object") return "";
  const { type: kind, role, id } = asShape(shape);
  for (const one of [kind, role, id]) {
    const sample = one === undefined ? undefined : defOf(one).type === "literal" ? sampleOf(one) : undefined;
    if (typeof sample === "string") return `<${sample}>`;
  }
  return "";
}

function objectPlaces(def: Def, { path, depth }: At): readonly TextPlace[] {
  const fields = Object.entries(asShape(def.shape)).flatMap(([name, field]) =>
    placesIn(field, { path: path === "" ? name : `${path}.${name}`, depth: depth + 1 }).map((
      { path, build },
    ) => ({
      path,
      build: (text: string) => objectWith(def, { [name]: build(text) }),
    }))
  );
  const { catchall } = def;
  if (catchall === undefined || defOf(catchall).type === "never") return fields;
  return [...fields, {
    path: `${path}.*`,
    build: (text) =>
      objectWith(def, { x_unknown: defOf(catchall).type === "string" ? text : { note: text } }),
  }];
}

/** Every text in a value, also those that travel as base64. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") {
    yield value;
    const encoded = /^data:[^,]*;base64,(.*)$/s.exec(value)?.[1] ?? value;
    try {
      yield new TextDecoder().decode(Uint8Array.fromBase64(encoded));
    } catch {
      // It is no base64.
    }
  } else if (Array.isArray(value)) { for (const item of value) yield* textsIn(item); }
  else if (isRecord(value)) {
    for (const [name, field] of Object.entries(value)) {
      yield name;
      yield* textsIn(field);
    }
  }
}

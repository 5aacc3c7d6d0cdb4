/**
 * Refuses what the provider does not publish, as the real service does: a key that its request types do not
 * have is an error, however harmless it may be (`unknown_parameter`).
 */

import chat from "./chat_published.json" with { type: "json" };
import gemini from "./gemini_published.json" with { type: "json" };
import messages from "./messages_published.json" with { type: "json" };
import responses from "./responses_published.json" with { type: "json" };

export type Json = Readonly<Record<string, unknown>>;

/** The provider's error object. */
export interface SchemaViolation {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

interface Objects {
  readonly [key: string]: Shape;
}

/**
 * `true`: whatever it holds is not judged; a word: the shape of that name. Else what a list's members and an
 * object's keys may be, the latter by the object's `type` or `role` where it has several forms.
 */
type Shape = true | string | {
  readonly list?: Shape;
  readonly object?: Objects;
  readonly byType?: Readonly<Record<string, Objects>>;
  readonly byRole?: Readonly<Record<string, Objects>>;
};

interface Published {
  readonly shapes: Readonly<Record<string, Shape>>;
  readonly request: Shape;
}

const asPublished = (data: unknown) => data as Published;
const published = {
  chat: asPublished(chat),
  gemini: asPublished(gemini),
  messages: asPublished(messages),
  responses: asPublished(responses),
};

/** Keys of a request, and with points those of objects in it that have no form of their own elsewhere. */
export const publishedKeys = (wire: keyof typeof published): readonly string[] =>
  keysBelow(published[wire].request, "");

function keysBelow(shape: Shape, path: string): readonly string[] {
  const inner = typeof shape === "object" ? shape.object : undefined;
  if (inner === undefined) return [path];
  return Object.entries(inner).flatMap(([key, one]) => keysBelow(one, path === "" ? key : `${path}.${key}`));
}

/** The first thing in a request that the provider would refuse; undefined when it takes it. */
export function complaint(wire: keyof typeof published, body: Json): SchemaViolation | undefined {
  const { shapes, request } = published[wire];
  return judge(body, { shape: request, path: "", shapes });
}

interface Place {
  readonly shape: Shape;
  readonly path: string;
  readonly shapes: Published["shapes"];
}

function judge(value: unknown, place: Place): SchemaViolation | undefined {
  const { shapes, path } = place;
  const shape = typeof place.shape === "string" ? shapes[place.shape] : place.shape;
  if (shape === true || shape === undefined || typeof shape === "string") return undefined;
  if (Array.isArray(value)) return first(value, (one, at) => member(one, { at, shape, path, shapes }));
  return isObject(value) ? judgeObject(value, { shape, path, shapes }) : undefined;
}

interface Member extends Place {
  readonly at: number;
}

const member = (value: unknown, { at, shape, path, shapes }: Member) =>
  judge(value, { shape: (typeof shape === "object" && shape.list) || true, path: `${path}[${at}]`, shapes });

function judgeObject(value: Json, place: Place): SchemaViolation | undefined {
  const keys = keysOf(value, place);
  if (keys === undefined) return undefined;
  if ("error" in keys) return keys.error;
  return first(Object.entries(value), ([key, inner]) => {
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const shape = Object.hasOwn(keys.found, key) ? keys.found[key] : undefined;
    return shape === undefined ? unknown(path) : judge(inner, { shape, path, shapes: place.shapes });
  });
}

type Keys = { readonly found: Objects } | { readonly error: SchemaViolation } | undefined;

function keysOf(value: Json, { shape, path }: Place): Keys {
  if (typeof shape !== "object") return undefined;
  const table = shape.byType ?? shape.byRole;
  if (table === undefined) return shape.object && { found: shape.object };
  const word = shape.byType === undefined ? "role" : "type";
  const name = value[word] ?? (word === "type" && "role" in value ? "message" : undefined);
  const found = typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
  return found === undefined ? { error: misfit(`${path}.${word}`, { name, table }) } : { found };
}

const invalid = { type: "invalid_request_error" };

const unknown = (path: string): SchemaViolation => ({
  ...invalid,
  message: `Unknown parameter: '${path}'.`,
  param: path,
  code: "unknown_parameter",
});

interface Misfit {
  readonly name: unknown;
  readonly table: Readonly<Record<string, Objects>>;
}

function misfit(path: string, { name, table }: Misfit): SchemaViolation {
  const supported = Object.keys(table).map((one) => `'${one}'`).join(", ");
  const message = name === undefined
    ? `Missing required parameter: '${path}'.`
    : `Invalid value: '${String(name)}'. Supported values are: ${supported}.`;
  return {
    ...invalid,
    message,
    param: path,
    code: name === undefined ? "missing_required_parameter" : "invalid_value",
  };
}

function first<T>(
  list: readonly T[],
  judgeOne: (one: T, at: number) => SchemaViolation | undefined,
): SchemaViolation | undefined {
  for (const [at, one] of list.entries()) {
    const error = judgeOne(one, at);
    if (error !== undefined) return error;
  }
  return undefined;
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

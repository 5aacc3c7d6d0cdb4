/** Arbitraries for requests and answers of every API: texts, ids, marks, and fields not published yet. */

import fc from "fast-check";
import type { Json } from "../../mocks/published.ts";

/** With a visible letter: what has none is a documented change of its own. */
export const text = fc.string({ minLength: 1, maxLength: 12 }).map((one) => `${one}.`);

export const id = fc.stringMatching(/^[a-z]{3}_[A-Za-z0-9]{4,12}$/);
export const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,20}$/);
export const flag = fc.boolean();
export const base64 = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) =>
  btoa(String.fromCharCode(...bytes))
);
export const address = name.map((one) => `https://example.org/${one}`);

const plain = fc.oneof(text, fc.integer(), flag, fc.array(text, { maxLength: 2 }));
const keyOfValue = fc.constantFrom("a", "type", "text", "name", "deep");

/** A value of a field that is newer than this gateway. */
export const value: fc.Arbitrary<unknown> = fc.oneof(
  plain,
  fc.dictionary(keyOfValue, plain, { minKeys: 1, maxKeys: 2 }),
);

const laterKeys = fc.constantFrom("x_later", "later_field", "beta_2027");

/** The object with a field of each object now and then that is newer than this gateway. */
export const withLater = <T extends object>(object: fc.Arbitrary<T>): fc.Arbitrary<T & Json> =>
  fc.tuple(object, fc.dictionary(laterKeys, value, { maxKeys: 1 })).map(([known, later]) => ({
    ...known,
    ...later,
  }));

/** An object with its required fields, any of the others, and now and then one that is not published. */
export function record(
  required: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Json> {
  return withLater(fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) }));
}

export const listOf = <T>(one: fc.Arbitrary<T>, minLength = 1): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength, maxLength: 3 });

export const constant = <const T>(one: T) => fc.constant(one);

/** A small JSON schema in which every key is required and there are no others. */
export const closedSchema = fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).map((names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((one) => [one, { type: "string", description: "A text." }])),
  required: names,
  additionalProperties: false,
}));

/** How a value is read, as data: which of its fields hold texts, in which form, and which are opaque and why. */

export type Shape =
  | OpaqueShape
  | { readonly kind: "text" | "identifier" }
  /** JSON in a text; what is no JSON is read as text as well. */
  | { readonly kind: "json" }
  /** A text that is read as JSON where it is a list or an object. */
  | { readonly kind: "loose" }
  /** Any value of a caller's or a tool's: every text, number and name in it. */
  | { readonly kind: "value" }
  /** An address, or data in one: of `data:…;base64,` the data is read where it is text. */
  | { readonly kind: "address" }
  /** The bytes of a file in base64, bare or in a data address. */
  | { readonly kind: "file" }
  /** Sound, an image or a video, which cannot be read. */
  | { readonly kind: "media" }
  /** Data that only its maker can read. What does not have the form of such data is read as text. */
  | { readonly kind: "sealed" }
  /** Reasoning in the gateway's own encoding, or sealed. */
  | { readonly kind: "reasoning" }
  | { readonly kind: "list"; readonly of: Shape; readonly isJoined: boolean }
  | ObjectShape
  | { readonly kind: "typed"; readonly types: ReadonlyMap<string, Shape>; readonly rest: Shape }
  | { readonly kind: "lazy"; readonly shape: () => Shape }
  /** Numbers by the ids of tokens; other names are read. */
  | { readonly kind: "tokens" };

/**
 * `opaque`: what programs make, ids and words of an API: it is not read where it has their form (`isOpaque`), anything
 * else is. `hidden`: nothing is.
 */
interface OpaqueShape {
  readonly kind: "opaque" | "hidden";
  readonly reason: string;
}

export interface ObjectShape {
  readonly kind: "object";
  readonly fields: ReadonlyMap<string, Shape>;
  /** For fields that are not listed. */
  readonly rest: Shape;
  /** Adjusts the rest of an object in which something was replaced. */
  readonly adjust?: (before: object, after: object) => object;
  /** Images and the like: it cannot be read where it has no text at all. */
  readonly isMedia: boolean;
}

export const opaque = (reason: string): Shape => ({ kind: "opaque", reason });

/** Whether a text is one line, without spaces, of ASCII letters with digits and marks of base64 and ids. */
export const isOpaque = (text: string): boolean => /^[\w.:|+/=~-]*$/.test(text) && /[A-Za-z]/.test(text);

export const id = opaque("an id, made by a program");
export const word = opaque("one of a few words of the API");
export const providersOwn = opaque("only its provider can read it");
/** For what the gateway has made or checked itself. */
export const hidden = (reason: string): Shape => ({ kind: "hidden", reason });
export const text: Shape = { kind: "text" };
export const identifier: Shape = { kind: "identifier" };
export const json: Shape = { kind: "json" };
export const loose: Shape = { kind: "loose" };
export const anyValue: Shape = { kind: "value" };
export const address: Shape = { kind: "address" };
export const file: Shape = { kind: "file" };
export const media: Shape = { kind: "media" };
export const sealed: Shape = { kind: "sealed" };
export const reasoning: Shape = { kind: "reasoning" };
export const tokens: Shape = { kind: "tokens" };

export const listOf = (of: Shape): Shape => ({ kind: "list", of, isJoined: false });
/** Texts that follow one another may be read as one. */
export const joinedListOf = (of: Shape): Shape => ({ kind: "list", of, isJoined: true });
export const lazy = (shape: () => Shape): Shape => ({ kind: "lazy", shape });

export const typed = (types: Readonly<Record<string, Shape>>, rest: Shape): Shape => ({
  kind: "typed",
  types: new Map(Object.entries(types)),
  rest,
});

/** A shape for every field, so that a new field is read or says why it is not. */
type FieldShapes<T> = { readonly [K in keyof T]-?: Shape };

interface ObjectOptions<T> {
  readonly adjust?: (before: T, after: T) => T;
  readonly isMedia?: boolean;
}

/** An object of the canonical model: the compiler asks for each of its fields. */
export function objectOf<T extends object>(
  fields: FieldShapes<T>,
  { adjust, isMedia = false }: ObjectOptions<T> = {},
): Shape {
  return {
    kind: "object",
    fields: new Map(Object.entries<Shape>(fields)),
    rest: anyValue,
    isMedia,
    ...(adjust === undefined ? {} : { adjust: toAnyAdjust(adjust) }),
  };
}

/** It is called with objects of its shape only. */
const toAnyAdjust = <T>(adjust: (before: T, after: T) => T) =>
  adjust as unknown as (before: object, after: object) => object;

const names = opaque("names the kind of object, its state or an object elsewhere");

/** An object as a wire spells it. Fields that are not listed hold texts of callers, models and tools. */
export const wireObject = (fields: Readonly<Record<string, Shape>> = {}): Shape => ({
  kind: "object",
  fields: new Map(Object.entries({ type: names, id: names, status: names, ...fields })),
  rest: anyValue,
  isMedia: false,
});

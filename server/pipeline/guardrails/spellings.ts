/**
 * Other ways to write the characters that filters look for: full-width and mathematical letters, digits of other
 * scripts, spaces and hyphens of typesetters, characters without a width, `%40`, `&#64;` and the escapes of JSON, also
 * where one escape is written with others. Filters read the plain form; what they find is told by its place in the text
 * as it was written.
 */

import { jsonEscape, MAX_ESCAPE, unescapeJson } from "./builtins/json_escapes.ts";
import { foreign, plainOf } from "./plain_characters.ts";
import { signEscape } from "./sign_escapes.ts";
import type { Spelled } from "./spelled.ts";
import { type NestedEscapes, Speller, type Spelling } from "./speller.ts";

const everySpelling: Spelling = {
  strange: new RegExp(`${foreign}|${jsonEscape}`, "g"),
  plainOf,
  readsTabs: true,
};

const withoutEscapes: Spelling = { strange: new RegExp(foreign, "g"), plainOf, readsTabs: true };

const escapesOnly: Spelling = {
  strange: new RegExp(jsonEscape, "g"),
  plainOf: unescapeJson,
  readsTabs: false,
};

/** Code units with which nested escapes may write one character. */
export const MAX_NESTED = 64;

const everyEscape: NestedEscapes = {
  escapes: new RegExp(`${signEscape}|${jsonEscape}`, "g"),
  plainOf,
  longest: MAX_NESTED,
};

/** An escape of JSON stands as it is, unless its backslash is written with another escape. */
const signsFirst: NestedEscapes = {
  ...everyEscape,
  plainOf: (escape, signLength) => escape.startsWith("\\") && signLength === 1 ? escape : plainOf(escape),
};

const jsonInJson: NestedEscapes = {
  escapes: escapesOnly.strange,
  plainOf: unescapeJson,
  longest: MAX_ESCAPE,
};

/** A text in plain characters. */
const every = new Speller(everySpelling, everyEscape);
export const spell = (raw: string): Spelled => every.spell(raw);
/** The same for a short text that is read once. */
export const spellOnce = (raw: string): Spelled => new Speller(everySpelling, everyEscape).spell(raw);

/** A text in plain characters, in which the escapes of JSON stand as they are. */
const signs = new Speller(withoutEscapes, signsFirst);
export const spellSigns = (raw: string): Spelled => signs.spell(raw);
export const spellSignsOnce = (raw: string): Spelled => new Speller(withoutEscapes, signsFirst).spell(raw);

/** A text without the escapes of JSON, and otherwise as it stands. */
const unescaped = new Speller(escapesOnly, jsonInJson);
export const unescape = (raw: string): Spelled => unescaped.spell(raw);

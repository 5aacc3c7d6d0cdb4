/**
 * Bounds that JSON is held to before it is parsed (faults C5): nesting that overflows recursive readers, and keys and
 * values without end. One pass over the text, before `JSON.parse` builds anything.
 */

import { ApiError } from "../../../shared/errors.ts";

interface JsonLimits {
  /** Objects and arrays inside one another. */
  readonly maxDepth: number;
  /** Keys of all objects together: a million distinct ones block the process for half a second. */
  readonly maxKeys: number;
  /** Entries of all objects and arrays together. */
  readonly maxValues: number;
}

const jsonLimits: JsonLimits = { maxDepth: 64, maxKeys: 200_000, maxValues: 1_000_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Throws an ApiError (400) for JSON beyond the limits. Text that is no JSON passes or not; the parser says what
 * is wrong with it.
 */
export function checkJsonLimits(text: string, limits: JsonLimits = jsonLimits): void {
  let depth = 0;
  let keys = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (++depth > limits.maxDepth) throw tooDeep(limits, at);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--;
        break;
      case COLON:
        if (++keys > limits.maxKeys) throw tooMany("keys", limits.maxKeys);
        break;
      case COMMA:
        if (++values > limits.maxValues) throw tooMany("values", limits.maxValues);
        break;
    }
  }
}

/** Most keys end soon; a long text is searched by the engine, which is far faster than a loop. */
const SHORT = 16;

/** Where the string that begins at `start` ends, on its closing quote; the text's end where there is none. */
function endOfString(text: string, start: number): number {
  const near = Math.min(text.length, start + SHORT);
  for (let at = start; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return closingQuote(text, start);
}

function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at !== -1 && isEscaped(text, { start, at })) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, { start, at }: { readonly start: number; readonly at: number }): boolean {
  let before = at - 1;
  while (before >= start && text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

function tooDeep({ maxDepth }: JsonLimits, at: number): ApiError {
  return new ApiError(
    "invalid_request",
    `body is nested more than ${maxDepth} levels deep at position ${at}; at most ${maxDepth} are allowed`,
    { metadata: { path: "body" } },
  );
}

function tooMany(what: string, most: number): ApiError {
  return new ApiError("invalid_request", `body has more than ${most} ${what}; at most ${most} are allowed`, {
    metadata: { path: "body" },
  });
}

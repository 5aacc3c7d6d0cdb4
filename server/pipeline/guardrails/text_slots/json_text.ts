/**
 * JSON in a text. The texts in it are read as they are meant, so that `\u0040` is an `@`; everything between them stays
 * as it is. A number that is replaced becomes a text.
 */

import { createScanner, type JSONScanner } from "jsonc-parser";
import { isLongText } from "../../../../shared/util/long_step.ts";
import type { Work } from "../../../../shared/util/run_work.ts";

/** A text, a number or a name in a JSON text. */
export interface JsonToken {
  readonly offset: number;
  readonly length: number;
  readonly value: string;
  readonly kind: "text" | "number" | "name";
  /** The name of the field that it is the value of. */
  readonly field: string | undefined;
  /** Its end has not come. */
  readonly isCut: boolean;
  /** It stands in the text as it is meant. */
  readonly isPlain: boolean;
}

/** Kinds of tokens, as the package numbers them. */
const OPEN_BRACE = 1;
const CLOSE_BRACE = 2;
const OPEN_BRACKET = 3;
const CLOSE_BRACKET = 4;
const COLON = 6;
const STRING = 10;
const NUMBER = 11;
const UNKNOWN = 16;
const END_OF_FILE = 17;
/** An error of a token. */
const END_OF_STRING = 2;

/** Tokens that are read or replaced before a pause is offered: a fraction of a millisecond. */
const TOKENS_AT_ONCE = 1_024;

export class JsonText {
  readonly text: string;
  readonly isValid: boolean;
  readonly tokens: readonly JsonToken[];

  private constructor({ text, isValid, tokens }: Pick<JsonText, "text" | "isValid" | "tokens">) {
    this.text = text;
    this.isValid = isValid;
    this.tokens = tokens;
  }

  static *read(text: string): Work<JsonText> {
    const isValid = yield* isJson(text);
    const tokens = yield* tokensIn(text);
    return new JsonText({ text, isValid, tokens: isValid ? tokens : tokens.filter(addsToText) });
  }

  /** By the number of the token; `-1` is the text as a whole, where it is no JSON. */
  *write(changes: ReadonlyMap<number, string>): Work<string> {
    const whole = changes.get(-1);
    if (whole === undefined) {
      return yield* replaceTokens(this.text, [...changes].map(toReplaced(this.tokens)));
    }
    const byValue = new Map([...changes].map(([number, changed]) => [this.tokens[number]?.value, changed]));
    const left = (yield* tokensIn(whole)).flatMap((token) => {
      const changed = byValue.get(token.value);
      return changed === undefined ? [] : [{ token, changed }];
    });
    return yield* replaceTokens(whole, left);
  }
}

interface ReplacedToken {
  readonly token: JsonToken | undefined;
  readonly changed: string;
}

const toReplaced =
  (tokens: readonly JsonToken[]) => ([number, changed]: readonly [number, string]): ReplacedToken => ({
    token: tokens[number],
    changed,
  });

function* replaceTokens(text: string, replaced: readonly ReplacedToken[]): Work<string> {
  let kept = "";
  let copied = 0;
  const inOrder = replaced.toSorted((one, other) => (one.token?.offset ?? 0) - (other.token?.offset ?? 0));
  for (const [number, { token, changed }] of inOrder.entries()) {
    if (number % TOKENS_AT_ONCE === 0) yield;
    if (token === undefined) continue;
    const written = JSON.stringify(changed);
    kept += text.slice(copied, token.offset) + (token.isCut ? written.slice(0, -1) : written);
    copied = token.offset + token.length;
  }
  return kept + text.slice(copied);
}

/** Whether a token says more than the text around it: it is encoded, or it is a value with a name. */
const addsToText = ({ kind, isPlain, field }: JsonToken): boolean =>
  !isPlain || (kind !== "name" && field !== undefined);

function* tokensIn(text: string): Work<readonly JsonToken[]> {
  const scanner = createScanner(text, true);
  const tokens: JsonToken[] = [];
  const fields: (string | undefined)[] = [];
  let field: string | undefined;
  let scanned = 0;
  for (let kind = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    if (++scanned % TOKENS_AT_ONCE === 0) yield;
    if (kind === OPEN_BRACE || kind === OPEN_BRACKET) fields.push(field);
    else if (kind === CLOSE_BRACE || kind === CLOSE_BRACKET) field = fields.pop();
    else if (kind === COLON) field = nameOf(tokens, { text, colon: scanner.getTokenOffset() }) ?? field;
    else if (kind === STRING || kind === NUMBER) tokens.push(tokenOf(scanner, { text, field }));
    else if (kind === UNKNOWN) field = undefined;
  }
  return tokens;
}

function tokenOf(
  scanner: JSONScanner,
  { text, field }: { readonly text: string; readonly field: string | undefined },
): JsonToken {
  const [offset, length, value] = [
    scanner.getTokenOffset(),
    scanner.getTokenLength(),
    scanner.getTokenValue(),
  ];
  if (scanner.getToken() === NUMBER) {
    return { offset, length, value, kind: "number", field, isCut: false, isPlain: true };
  }
  const isCut = scanner.getTokenError() === END_OF_STRING;
  const isPlain = text.slice(offset + 1, offset + 1 + value.length) === value;
  return { offset, length, value, kind: "text", field, isCut, isPlain };
}

/** Most white space between a name and its colon, in code units. */
const MOST_SPACES = 64;

/** The text before a colon is a name. */
function nameOf(
  tokens: JsonToken[],
  { text, colon }: { readonly text: string; readonly colon: number },
): string | undefined {
  const last = tokens.at(-1);
  if (last?.kind !== "text") return undefined;
  const end = last.offset + last.length;
  if (colon - end > MOST_SPACES || text.slice(end, colon).trim() !== "") return undefined;
  tokens[tokens.length - 1] = { ...last, kind: "name", field: undefined };
  return last.value;
}

/** Whether a text is a JSON text at all. It is parsed in one go, in a long one's own turn. */
function* isJson(text: string): Work<boolean> {
  if (!isLongText(text.length)) return parses(text);
  yield;
  const isValid = parses(text);
  yield;
  return isValid;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Then it is text.
    return false;
  }
}

/** Whether a text begins as a list or an object: others may be any text. */
export const mayBeJson = (text: string): boolean => /^\s*[{[]/.test(text.slice(0, 64));

/** Whether a text may have JSON in it: broken off, between other words, or one value in each line. */
export const mayHaveJson = (text: string): boolean => mayBeJson(text) || /"\s{0,8}:/.test(text);

/**
 * JSON in a text. The texts in it are read as they are meant, so that `\u0040` is an `@`; everything between them stays
 * as it is. A number that is replaced becomes a text.
 */

import { createScanner } from "jsonc-parser";

/** A text, a number or a name in a JSON text. */
export interface JsonToken {
  readonly offset: number;
  readonly length: number;
  readonly value: string;
  readonly kind: "text" | "number" | "name";
  /** The name of the field that it is the value of. */
  readonly field: string | undefined;
}

/** Kinds of tokens, as the package numbers them. */
const OPEN_BRACE = 1;
const CLOSE_BRACE = 2;
const OPEN_BRACKET = 3;
const CLOSE_BRACKET = 4;
const COLON = 6;
const STRING = 10;
const NUMBER = 11;
const END_OF_FILE = 17;

export class JsonText {
  readonly text: string;
  readonly isValid: boolean;
  readonly tokens: readonly JsonToken[];

  constructor(text: string, isValid: boolean) {
    this.text = text;
    this.isValid = isValid;
    this.tokens = isValid ? tokensIn(text) : tokensIn(text).filter((token) => isEncoded(token, text));
  }

  /** By the number of the token; `-1` is the text as a whole, where it is no JSON. */
  write(changes: ReadonlyMap<number, string>): string {
    const whole = changes.get(-1);
    if (whole === undefined) return replaceTokens(this.text, [...changes].map(toReplaced(this.tokens)));
    const byValue = new Map([...changes].map(([number, changed]) => [this.tokens[number]?.value, changed]));
    const left = tokensIn(whole).flatMap((token) => {
      const changed = byValue.get(token.value);
      return changed === undefined ? [] : [{ token, changed }];
    });
    return replaceTokens(whole, left);
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

function replaceTokens(text: string, replaced: readonly ReplacedToken[]): string {
  let kept = "";
  let copied = 0;
  const inOrder = replaced.toSorted((one, other) => (one.token?.offset ?? 0) - (other.token?.offset ?? 0));
  for (const { token, changed } of inOrder) {
    if (token === undefined) continue;
    kept += text.slice(copied, token.offset) + JSON.stringify(changed);
    copied = token.offset + token.length;
  }
  return kept + text.slice(copied);
}

const isEncoded = ({ kind, offset, length, value }: JsonToken, text: string) =>
  kind !== "number" && text.slice(offset + 1, offset + 1 + value.length) !== value && length > 1;

function tokensIn(text: string): readonly JsonToken[] {
  const scanner = createScanner(text, true);
  const tokens: JsonToken[] = [];
  const fields: (string | undefined)[] = [];
  let field: string | undefined;
  for (let kind = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    if (kind === OPEN_BRACE || kind === OPEN_BRACKET) fields.push(field);
    else if (kind === CLOSE_BRACE || kind === CLOSE_BRACKET) field = fields.pop();
    else if (kind === COLON) field = nameOf(tokens) ?? field;
    else if (kind === STRING || kind === NUMBER) {
      const [offset, length] = [scanner.getTokenOffset(), scanner.getTokenLength()];
      tokens.push({
        offset,
        length,
        value: scanner.getTokenValue(),
        kind: kind === NUMBER ? "number" : "text",
        field,
      });
    }
  }
  return tokens;
}

/** The text before a colon is a name. */
function nameOf(tokens: JsonToken[]): string | undefined {
  const last = tokens.at(-1);
  if (last?.kind !== "text") return undefined;
  tokens[tokens.length - 1] = { ...last, kind: "name", field: undefined };
  return last.value;
}

/** Whether a text is a JSON text at all. */
export function isJson(text: string): boolean {
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

export const isJsonValue = (text: string): boolean => mayBeJson(text) && isJson(text);

/**
 * Placeholders as models write them: `[EMAIL_1]`, and the same escaped as Markdown (`\[EMAIL\_1\]`), in an address
 * (`%5BEMAIL_1%5D`), in JSON (`\u005bEMAIL_1\u005d`) or in HTML (`&#91;EMAIL_1&#93;`).
 */

import type { TextMatch } from "./text_filter.ts";

/** How the text stands where a placeholder is: its own text is written in the same way. */
type PlaceholderForm = "plain" | "address" | "json" | "html";

export interface WrittenPlaceholder extends TextMatch {
  /** `[EMAIL_1]`, however it is written. */
  readonly placeholder: string;
  readonly form: PlaceholderForm;
}

/** Code units of a placeholder at most, in which a label has 100 and each character may be escaped. */
export const LONGEST_WRITTEN = 720;
/** Signs that may open one, the nearest before its end: a label may have a bracket too. */
const MOST_OPENED = 3;

const opened = /[[［【]|%5[bB]|\\u005[bB]|&#91;|&#[xX]5[bB];|&(?:lsqb|lbrack);/g;
const underscore = String.raw`(?:_|%5[fF]|\\u005[fF]|&#95;|&#[xX]5[fF];|&lowbar;)`;
const closing = String.raw`(?:[\]］】]|%5[dD]|\\u005[dD]|&#93;|&#[xX]5[dD];|&(?:rsqb|rbrack);)`;
/** The number, and the sign behind it. */
const numbered = new RegExp(String.raw`${underscore}(\d{1,9})\\{0,2}${closing}`, "g");
const escapes =
  /%([\dA-Fa-f]{2})|\\u00([\dA-Fa-f]{2})|&#(\d{2,3});|&#[xX]([\dA-Fa-f]{2});|&lowbar;|\\{1,2}([!-/:-@[-`{-~])/g;
/** The beginning of a sign that opens one, at the end of what has come. */
const begun = /(?:\\{1,2}(?:u(?:0(?:05?)?)?)?|%5?|&(?:#(?:91?|[xX](?:5[bB]?)?)?|l[a-z]{0,5})?)$/;
/** That of an escape, or of the sign that closes one. */
const begunEscape = /(?:\\{1,2}(?:u0{0,2}[\dA-Fa-f]?)?|%[\dA-Fa-f]?|&(?:#[xX]?[\dA-Fa-f]{0,3}|[a-z]{0,6})?)$/;
/** Bytes of letters beyond ASCII, of which some may be missing. */
const begunLetter = /(?:%[89A-Fa-f][\dA-Fa-f])+$/;

function formOf(written: string): PlaceholderForm {
  if (/\\u00[57]/.test(written)) return "json";
  if (/%5[bdf]/i.test(written)) return "address";
  return /&(?:#(?:9[135]|x5[bdf])|[lr]sqb|[lr]brack|lowbar);/i.test(written) ? "html" : "plain";
}

/** Without its escapes. */
function plainOf(written: string): string {
  return written.replaceAll(/[［【]|&(?:lsqb|lbrack);/g, "[").replaceAll(
    escapes,
    (_, percent, unit, decimal, hexadecimal, sign) => {
      if (sign !== undefined) return sign;
      const code = decimal === undefined
        ? parseInt(percent ?? unit ?? hexadecimal ?? "5f", 16)
        : Number(decimal);
      return String.fromCharCode(code);
    },
  );
}

/** As addresses are read; the same where it is no part of one. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    // It has a percent sign of its own.
    if (error instanceof URIError) return name;
    throw error;
  }
}

const readings = (written: string): readonly string[] => [
  ...new Set([written, plainOf(written), decoded(written)]),
];

/** A sign that may open a placeholder. */
interface Sign {
  readonly start: number;
  readonly end: number;
}

/** Signs in a stretch of a text that may open a placeholder, the last one first. */
function signsIn(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Sign[] {
  const first = Math.max(from, to - LONGEST_WRITTEN, 0);
  const found = [...text.slice(first, to).matchAll(opened)].slice(-MOST_OPENED).reverse();
  return found.map(({ index, 0: sign }) => ({ start: first + index, end: first + index + sign.length }));
}

/** Finds what looks like a placeholder at or behind `from`: one result for each sign that may open it. */
export function* placeholdersIn(text: string, from = 0): Generator<WrittenPlaceholder> {
  numbered.lastIndex = from;
  for (let found = numbered.exec(text); found !== null; found = numbered.exec(text)) {
    const end = found.index + found[0].length;
    for (const sign of signsIn(text, { from, to: found.index })) {
      const name = text.slice(sign.end, found.index).replace(/\\{1,2}$/, "");
      const written = text.slice(sign.start, end);
      for (const known of readings(name)) {
        const placeholder = `[${known}_${found[1]}]`;
        const isExact = written === placeholder;
        const start = isExact ? sign.start : escapedFrom(text, { sign, from });
        yield { start, end, placeholder, form: isExact ? "plain" : formOf(written) };
      }
    }
    numbered.lastIndex = end;
  }
}

/** A bracket that is escaped as what is behind it is. */
function escapedFrom(text: string, { sign, from }: { readonly sign: Sign; readonly from: number }): number {
  let { start } = sign;
  while (start > from && start > sign.start - 2 && text[start - 1] === "\\") start--;
  return start;
}

/** Where a placeholder of one of the names may have begun that has not come to its end. */
export function openPlaceholder(text: string, names: Iterable<string>): number {
  const known = [...names];
  const last = begun.exec(text.slice(-8));
  let open = last === null ? text.length : text.length - last[0].length;
  for (const sign of signsIn(text, { from: 0, to: text.length })) {
    const rest = text.slice(sign.end).replace(begunEscape, "").replace(begunLetter, "");
    if (readings(rest).some((one) => known.some((name) => mayBecome(one, name)))) {
      open = Math.min(open, escapedFrom(text, { sign, from: 0 }));
    }
  }
  return open;
}

function mayBecome(rest: string, name: string): boolean {
  const whole = `${name}_`;
  return rest.length <= whole.length ? whole.startsWith(rest) : rest.startsWith(whole) &&
    /^\d{0,9}$/.test(rest.slice(whole.length));
}

const htmlNames: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** As it stands inside of a string of JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text in the form in which its placeholder stands. */
export function writeIn(form: PlaceholderForm, text: string): string {
  switch (form) {
    case "address":
      return encodeURIComponent(text.toWellFormed());
    case "json":
      return inJson(text);
    case "html":
      return text.replaceAll(/[&<>"']/g, (sign) => htmlNames.get(sign) ?? sign);
    case "plain":
      return text;
    default:
      return form satisfies never;
  }
}

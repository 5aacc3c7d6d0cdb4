/**
 * Cuts a page into its tags and texts, as browsers do: from left to right, and never back. What begins and does not
 * end goes to the end of the page. A token stands for a few thousand characters at most; where a tag has more, pauses
 * come before it.
 */

import { decodeReferences, MOST_REFERENCE } from "./character_references.ts";

/** Values are kept of {@link attributeNames} only, by names in lower case, and the first of each name. */
export interface StartTag {
  readonly type: "start";
  /** In lower case. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Has ended with its own tag. */
  readonly isSelfClosing: boolean;
}

export type PageToken =
  | StartTag
  | { readonly type: "end"; readonly name: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "pause" };

const PAUSE: PageToken = { type: "pause" };

const attributeNames: ReadonlySet<string> = new Set(
  "alt charset content hidden href http-equiv name open property role src start style".split(" "),
);
const addressNames: ReadonlySet<string> = new Set(["href", "src"]);
/** Units of a value that are kept: of a longer address none, of a longer text the beginning. */
const MOST_VALUE = 2_048;
/** The same of a style, so that little of it cannot push what hides an element out of sight. */
const MOST_STYLE = 16_384;
/** Longer names are those of no element and no attribute. */
const MOST_NAME = 32;
/** Units of a text. */
const TEXT_UNITS = 4_096;
/** Attributes between two pauses. */
const ATTRIBUTES_AT_ONCE = 64;

/** Their content is no markup and is not seen, or is a text without elements. */
const rawElements: ReadonlyMap<string, "unseen" | "text"> = new Map([
  ...["iframe", "noembed", "noframes", "noscript", "script", "style"].map((name) =>
    [name, "unseen"] as const
  ),
  ...["textarea", "title"].map((name) => [name, "text"] as const),
]);
const rawEnds: ReadonlyMap<string, RegExp> = new Map(
  [...rawElements.keys()].map((name) => [name, new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, "gi")]),
);

const MARKUP = /<(?:\/?[a-z]|[!?/])/gi;
const COMMENT_END = /--!?>/g;
const TAG_NAME = /[^\t\n\f\r />]+/y;
const BEFORE_ATTRIBUTE = /[\t\n\f\r /]*/y;
const ATTRIBUTE_NAME = /=?[^\t\n\f\r />=]*/y;
const BEFORE_VALUE = /[\t\n\f\r ]*=[\t\n\f\r ]*/y;
const UNQUOTED = /[^\t\n\f\r >]*/y;

/** Where a pattern is found from an offset on; -1 for nowhere. Each look begins where the last one has ended. */
function indexFrom(html: string, { pattern, offset }: { readonly pattern: RegExp; readonly offset: number }) {
  pattern.lastIndex = offset;
  return pattern.exec(html)?.index ?? -1;
}

/** Matches a sticky pattern there; empty where it matches nothing. */
function matchAt(html: string, { pattern, offset }: { readonly pattern: RegExp; readonly offset: number }) {
  pattern.lastIndex = offset;
  return pattern.exec(html)?.[0] ?? "";
}

interface PageForm {
  /** The page is XML: every element can end with its own tag, and there are sections of plain text. */
  readonly isXml: boolean;
  /** Whether an element of {@link foreignNames} is open, after the tokens that were given. */
  readonly isForeign: () => boolean;
}

/** Elements of other languages, which have the rules of XML. */
export const foreignNames: readonly string[] = ["math", "svg"];

export function* pageTokens(html: string, form: PageForm): Generator<PageToken, void> {
  for (let offset = 0; offset < html.length;) {
    const found = indexFrom(html, { pattern: MARKUP, offset });
    const markup = found === -1 ? html.length : found;
    yield* textTokens(html, { from: offset, to: markup });
    if (markup === html.length) return;
    const hasXmlRules = form.isXml || form.isForeign();
    const end = yield* markupTokens(html, { offset: markup, hasXmlRules });
    if (end === undefined) return;
    offset = end;
  }
}

interface MarkupPlace {
  readonly offset: number;
  readonly hasXmlRules: boolean;
}

/** The offset behind it; undefined where the page ends within. */
function* markupTokens(
  html: string,
  { offset, hasXmlRules }: MarkupPlace,
): Generator<PageToken, number | undefined> {
  const isEnd = html[offset + 1] === "/";
  const nameOffset = offset + (isEnd ? 2 : 1);
  if (hasXmlRules && html.startsWith(SECTION, offset)) return yield* sectionTokens(html, offset);
  if (!/[a-z]/i.test(html[nameOffset] ?? "")) return commentEnd(html, offset);
  const written = matchAt(html, { pattern: TAG_NAME, offset: nameOffset });
  const name = written.length > MOST_NAME ? "" : written.toLowerCase();
  const rest = yield* tagRest(html, nameOffset + written.length);
  if (rest === undefined) return undefined;
  const { attributes, end } = rest;
  const isSelfClosing = rest.isSelfClosing && (hasXmlRules || foreignNames.includes(name));
  if (isEnd) {
    yield { type: "end", name };
    return end;
  }
  yield { type: "start", name, attributes, isSelfClosing };
  return isSelfClosing ? end : yield* rawTokens(html, { name, offset: end });
}

const SECTION = "<![CDATA[";
const SECTION_END = "]]>";

/** A section of plain text, in which nothing else has a meaning. */
function* sectionTokens(html: string, offset: number): Generator<PageToken, number | undefined> {
  const from = offset + SECTION.length;
  const end = html.indexOf(SECTION_END, from);
  const to = end === -1 ? html.length : end;
  for (let at = from; at < to; at += TEXT_UNITS) {
    yield { type: "text", text: html.slice(at, Math.min(at + TEXT_UNITS, to)) };
  }
  return behind(end, SECTION_END.length);
}

/** Comments, doctypes, instructions, and what browsers take for a comment. */
function commentEnd(html: string, offset: number): number | undefined {
  if (!html.startsWith("<!--", offset)) return behind(html.indexOf(">", offset), 1);
  const end = indexFrom(html, { pattern: COMMENT_END, offset: offset + 2 });
  return end === -1 ? undefined : html.indexOf(">", end) + 1;
}

const behind = (index: number, length: number) => index === -1 ? undefined : index + length;

interface RawInput {
  readonly name: string;
  readonly offset: number;
}

/** The content of an element that has no markup. */
function* rawTokens(html: string, { name, offset }: RawInput): Generator<PageToken, number | undefined> {
  const pattern = rawEnds.get(name);
  if (pattern === undefined) return offset;
  const found = name === "script" ? yield* scriptEnd(html, offset) : indexFrom(html, { pattern, offset });
  const end = found === -1 ? html.length : found;
  if (rawElements.get(name) === "text") yield* textTokens(html, { from: offset, to: end });
  return found === -1 ? undefined : end;
}

const SCRIPT_MARK = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;
/** Marks between two pauses. */
const MARKS_AT_ONCE = 64;

/** The end tag of a script; -1 where it has none. A script in a comment of it has an end tag of its own. */
function* scriptEnd(html: string, start: number): Generator<PageToken, number> {
  let state: "plain" | "comment" | "script" = "plain";
  let offset = start;
  for (let count = 1;; count++) {
    if (count % MARKS_AT_ONCE === 0) yield PAUSE;
    SCRIPT_MARK.lastIndex = offset;
    const mark = SCRIPT_MARK.exec(html);
    if (mark === null) return -1;
    const [written] = mark;
    // The hyphens of a comment's beginning may be those of its end.
    offset = mark.index + (written === "<!--" ? 2 : written.length);
    if (written === "-->") state = "plain";
    else if (written === "<!--") state = state === "plain" ? "comment" : state;
    else if (written.startsWith("</")) {
      if (state !== "script") return mark.index;
      state = "comment";
    } else if (state === "comment") state = "script";
  }
}

interface TagRest {
  readonly attributes: ReadonlyMap<string, string>;
  readonly isSelfClosing: boolean;
  readonly end: number;
}

/** Attributes from an offset on; undefined where the page ends within the tag. */
function* tagRest(html: string, start: number): Generator<PageToken, TagRest | undefined> {
  const attributes = new Map<string, string>();
  let offset = start;
  for (let count = 1;; count++) {
    if (count % ATTRIBUTES_AT_ONCE === 0) yield PAUSE;
    const between = matchAt(html, { pattern: BEFORE_ATTRIBUTE, offset });
    offset += between.length;
    if (offset >= html.length) return undefined;
    if (html[offset] === ">") return { attributes, isSelfClosing: between.endsWith("/"), end: offset + 1 };
    const written = matchAt(html, { pattern: ATTRIBUTE_NAME, offset });
    offset += written.length;
    const value = valueAt(html, offset);
    if (value === undefined) return undefined;
    offset = value.end;
    const name = written.length > MOST_NAME ? "" : written.toLowerCase();
    const isTooLong = value.to - value.from > MOST_VALUE && addressNames.has(name);
    if (!attributeNames.has(name) || attributes.has(name) || isTooLong) continue;
    const to = Math.min(value.to, value.from + (name === "style" ? MOST_STYLE : MOST_VALUE));
    attributes.set(name, decodeReferences(html.slice(value.from, to), "attribute"));
  }
}

interface ValuePlace {
  readonly from: number;
  readonly to: number;
  /** Behind its closing quote. */
  readonly end: number;
}

/** Place of the value of the attribute whose name has ended there; undefined where its quote does not end. */
function valueAt(html: string, offset: number): ValuePlace | undefined {
  const between = matchAt(html, { pattern: BEFORE_VALUE, offset });
  const from = offset + between.length;
  if (between === "") return { from, to: from, end: from };
  const quote = html[from];
  if (quote !== '"' && quote !== "'") {
    const to = from + matchAt(html, { pattern: UNQUOTED, offset: from }).length;
    return { from, to, end: to };
  }
  const to = html.indexOf(quote, from + 1);
  return to === -1 ? undefined : { from: from + 1, to, end: to + 1 };
}

function* textTokens(
  html: string,
  { from, to }: { readonly from: number; readonly to: number },
): Generator<PageToken, void> {
  for (let offset = from; offset < to;) {
    const end = Math.min(offset + TEXT_UNITS, to);
    const last = end === to ? -1 : html.slice(end - MOST_REFERENCE, end).lastIndexOf("&");
    const cut = last === -1 ? end : end - MOST_REFERENCE + last;
    yield { type: "text", text: decodeReferences(html.slice(offset, cut), "text") };
    offset = cut;
  }
}

/** Cuts a text into pieces of a size that a model reads well, at headings and paragraphs where it can. */

import type { Piece } from "../../../file_index/index_part.ts";

/** Tokens of a piece at most, and those that it shares with the one before. */
const MAX_TOKENS = 800;
const SHARED_TOKENS = 100;
/** A piece is cut before a heading from so many tokens on, before a paragraph from so many. */
const HEADING_FROM = 300;
const PARAGRAPH_FROM = 500;
/** UTF-16 units of a sentence; a longer one is cut. */
const LONGEST_SENTENCE = 400;
const MAX_HEADING = 200;

type Start = "heading" | "paragraph" | "sentence";

/** The least that is not cut. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly begins: Start;
  /** Headings above it and its own. */
  readonly headings: readonly string[];
}

type CountTokens = (text: string) => number;

export function cutPieces(text: string, countTokens: CountTokens): readonly Omit<Piece, "words">[] {
  const units = unitsOf(text, countTokens);
  const pieces: Omit<Piece, "words">[] = [];
  for (let from = 0, shown = 0; shown < units.length;) {
    const to = endOf(units, { from, shown, fits: (end) => fits(text, { units, from, end, countTokens }) });
    const piece = pieceOf(text, units.slice(from, to));
    if (piece !== undefined) pieces.push(piece);
    shown = to;
    from = sharedFrom(units, { from, to });
  }
  return pieces;
}

interface Range {
  readonly units: readonly Unit[];
  readonly from: number;
  readonly end: number;
  readonly countTokens: CountTokens;
}

/** Tokens of units may be more when they stand together. */
const fits = (text: string, { units, from, end, countTokens }: Range): boolean =>
  countTokens(text.slice(units[from]?.start, units[end - 1]?.end)) <= MAX_TOKENS;

interface Open {
  readonly from: number;
  /** The first unit that no piece has yet: it is a part of this one. */
  readonly shown: number;
  readonly fits: (end: number) => boolean;
}

/** Position of the unit behind a piece. */
function endOf(units: readonly Unit[], { from, shown, fits }: Open): number {
  let tokens = 0;
  let end = from;
  let [heading, paragraph]: [number | undefined, number | undefined] = [undefined, undefined];
  for (; end < units.length; end++) {
    const unit = units[end];
    if (unit === undefined || (tokens + unit.tokens > MAX_TOKENS && end > shown)) break;
    if (end > shown && unit.begins === "heading" && tokens >= HEADING_FROM) heading = end;
    if (end > shown && unit.begins !== "sentence" && tokens >= PARAGRAPH_FROM) paragraph = end;
    tokens += unit.tokens;
  }
  const best = end === units.length ? end : heading ?? paragraph ?? end;
  for (let at = best; at > shown + 1; at--) if (fits(at)) return at;
  return shown + 1;
}

/** Position of the first unit that the next piece has again. */
function sharedFrom(
  units: readonly Unit[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let tokens = units[to]?.tokens ?? 0;
  let shared = 0;
  let at = to;
  while (at > from + 1) {
    const before = units[at - 1];
    if (before === undefined || shared + before.tokens > SHARED_TOKENS) break;
    if (tokens + before.tokens > MAX_TOKENS) break;
    shared += before.tokens;
    tokens += before.tokens;
    at--;
  }
  return at;
}

function pieceOf(text: string, units: readonly Unit[]): Omit<Piece, "words"> | undefined {
  const [first, last] = [units[0], units.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const raw = text.slice(first.start, last.end);
  const start = first.start + raw.length - raw.trimStart().length;
  const end = last.end - (raw.length - raw.trimEnd().length);
  if (end <= start) return undefined;
  const heading = first.headings.join(" › ");
  return { start, end, ...(heading === "" ? {} : { heading }) };
}

const BLANK = /^\s*$/;
const HEADING = /^(#{1,6})\s+(\S.*)$/;

/** The units of a text in their order; together they are the text. */
function unitsOf(text: string, countTokens: CountTokens): readonly Unit[] {
  const units: Unit[] = [];
  const headings: string[] = [];
  let begins: Start = "paragraph";
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    if (BLANK.test(line)) begins = "paragraph";
    const [, marks, title] = HEADING.exec(line.trimEnd()) ?? [];
    if (marks !== undefined && title !== undefined) {
      headings.length = Math.min(headings.length, marks.length - 1);
      headings[marks.length - 1] = title.slice(0, MAX_HEADING);
      begins = "heading";
    }
    const above = headings.filter((one) => one !== undefined);
    for (const sentence of sentencesOf(text, { start, end })) {
      const tokens = countTokens(text.slice(sentence.start, sentence.end));
      units.push({ ...sentence, tokens, begins, headings: above });
      if (!BLANK.test(line)) begins = "sentence";
    }
  }
  return units;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Each with its line end. */
function* linesOf(text: string): Generator<Span> {
  for (let start = 0; start < text.length;) {
    const at = text.indexOf("\n", start);
    const end = at === -1 ? text.length : at + 1;
    yield { start, end };
    start = end;
  }
}

const ENDS_SENTENCE = new Set([..."。！？", ".", "!", "?", "…"]);

/** Sentences of a line, none of them longer than {@link LONGEST_SENTENCE}. */
function* sentencesOf(text: string, { start, end }: Span): Generator<Span> {
  let from = start;
  let space: number | undefined;
  for (let at = start; at < end; at++) {
    const letter = text.charAt(at);
    const isSpace = letter === " " || letter === "\t";
    if (isSpace && ENDS_SENTENCE.has(text.charAt(at - 1)) && at > from) {
      yield { start: from, end: at + 1 };
      [from, space] = [at + 1, undefined];
      continue;
    }
    if (isSpace) space = at;
    if (at + 1 - from < LONGEST_SENTENCE) continue;
    const cut = space !== undefined && space > from ? space + 1 : wholeEnd(text, at + 1);
    yield { start: from, end: cut };
    [from, space] = [cut, undefined];
  }
  if (from < end) yield { start: from, end };
}

/** Not within a character. */
const wholeEnd = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;

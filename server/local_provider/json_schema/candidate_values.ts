/** Candidates for the simple types: strings and numbers that a plain schema may accept, likely ones first. */

import { formatSamples } from "./string_formats.ts";
import { type JsonRecord, toList, toNumber, toText } from "./json_values.ts";
import { generateMatching, type LengthRange } from "./generate_matching_string.ts";
import type { PromptWords } from "./prompt_words.ts";

const LONGEST = 10_000;

/** Where a value stands. */
export interface ValuePosition {
  readonly depth: number;
  /** The property it fills, when it is one. */
  readonly name: string;
}

/** Properties that want the user's whole text. */
const wholeText = new Set([
  "query",
  "text",
  "prompt",
  "message",
  "question",
  "input",
  "content",
  "q",
  "request",
]);

export function* candidateStrings(
  schema: JsonRecord,
  words: PromptWords,
  { name }: ValuePosition,
): Generator<string> {
  const lengths: LengthRange = {
    min: toNumber(schema.minLength) ?? 0,
    max: toNumber(schema.maxLength) ?? LONGEST,
  };
  if (lengths.min > LONGEST) return;
  const pattern = toText(schema.pattern);
  const format = toText(schema.format);
  const received = words.after(name);
  if (received !== undefined) yield received;
  if (pattern === undefined && (format === undefined || formatSamples(format).length === 0)) {
    yield* plainStrings(words, lengths, { name });
  }
  yield* words.tokens;
  yield* offeredValues(schema).filter((one) => typeof one === "string");
  if (format !== undefined) yield* formatSamples(format);
  if (pattern !== undefined) yield* generateMatching(pattern, lengths);
}

/** Values that a schema itself offers: its default and its examples. */
function offeredValues(schema: JsonRecord): readonly unknown[] {
  return [...toList(schema.examples), schema.default, schema.example];
}

function* plainStrings(
  words: PromptWords,
  lengths: LengthRange,
  { name }: { readonly name: string },
): Generator<string> {
  const bounded = (text: string) => cut(text.padEnd(lengths.min, "."), lengths.max);
  if (wholeText.has(name) && words.text.trim() !== "") yield bounded(words.text.trim());
  yield bounded(words.next());
  for (const phrase of words.phrases) yield bounded(phrase);
  for (let n = 1; n <= 64; n++) yield bounded(`${n} ${words.phrases[0] ?? ""}`.trim());
}

/** At most `max` code points of a text. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join("");
}

export function* candidateNumbers(
  schema: JsonRecord,
  words: PromptWords,
  { name }: ValuePosition,
): Generator<number> {
  const received = Number(words.after(name));
  if (Number.isFinite(received)) yield received;
  yield* words.numbers;
  yield* offeredValues(schema).filter((one) => typeof one === "number");
  const step = toNumber(schema.multipleOf) ?? 1;
  const low = toNumber(schema.minimum) ?? toNumber(schema.exclusiveMinimum);
  const high = toNumber(schema.maximum) ?? toNumber(schema.exclusiveMaximum);
  yield* steps(low ?? Math.min(1, high ?? 1), step);
  if (high !== undefined) yield* steps(high, -step);
  if (schema.type !== "integer") yield* between(low ?? (high ?? 0) - 1, high ?? (low ?? 0) + 1);
}

/** Multiples of a step from a bound on. */
function* steps(from: number, step: number): Generator<number> {
  const first = step > 0 ? Math.ceil(from / step) : Math.floor(from / -step);
  for (let i = 0; i < 70; i++) yield (step > 0 ? first + i : first - i) * Math.abs(step);
}

function* between(low: number, high: number): Generator<number> {
  yield low;
  yield high;
  for (let i = 1; i < 70; i++) yield low + (high - low) * (i % 2 === 0 ? 1 / (i + 1) : i / (i + 1));
}

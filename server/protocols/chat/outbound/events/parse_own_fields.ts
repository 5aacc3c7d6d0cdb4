/**
 * Fields of an answer that are newer than we are, for clients of this same wire: they are told once, at the end, so that
 * content filters read texts whole that came in pieces.
 */

import { isRecord } from "../../../../../shared/util/json.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import { pickUnknown } from "../../../common/inbound/unknown_fields.ts";
import { knownKeys } from "../response_schema.ts";

/** By where they stand: in the message, beside it, and at the top. */
export interface OwnFields {
  readonly message?: JsonObject;
  readonly choice?: JsonObject;
  readonly answer?: JsonObject;
}

/**
 * With those of one more chunk, or of a whole answer; the same object where it brings none. They are read beside the
 * schemas, because schemas that keep what they do not know cost every chunk a third more.
 */
export function addOwnFields(own: OwnFields | undefined, chunk: unknown): OwnFields | undefined {
  if (!isRecord(chunk)) return own;
  const answer = pickUnknown(chunk, knownKeys.answer);
  const choice = firstChoice(chunk);
  const beside = choice && pickUnknown(choice, knownKeys.choice);
  const said = choice?.delta ?? choice?.message;
  const message = isRecord(said) ? pickUnknown(said, knownKeys.message) : undefined;
  if (answer === undefined && beside === undefined && message === undefined) return own;
  return {
    message: joined(own?.message, message),
    choice: { ...own?.choice, ...spoken(beside) },
    answer: { ...own?.answer, ...spoken(answer) },
  };
}

/** Only the first choice counts: more were never asked for. */
function firstChoice({ choices }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.find((one: unknown): one is JsonObject => isRecord(one) && (one.index ?? 0) === 0);
}

/** Nulls say nothing. */
const spoken = (fields: JsonObject = {}): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** Texts and lists of a message go on from chunk to chunk. */
function joined(before: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const all = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(spoken(more))) {
    const known = all.get(key);
    if (typeof known === "string" && typeof value === "string") all.set(key, known + value);
    else if (Array.isArray(known) && Array.isArray(value)) all.set(key, [...known, ...value]);
    else all.set(key, value);
  }
  return Object.fromEntries(all);
}

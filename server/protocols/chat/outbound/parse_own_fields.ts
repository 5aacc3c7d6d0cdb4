/**
 * Fields of an answer that are newer than we are, for clients of this same wire: they are told once, at the end, so that
 * content filters read texts whole that came in pieces.
 */

import type { JsonObject } from "../../../canonical/item.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";
import { type ChatChoice, type ChatCompletionChunk, knownKeys } from "./response_schema.ts";

/** By where they stand: in the message, beside it, and at the top. */
export interface OwnFields {
  readonly message?: JsonObject;
  readonly choice?: JsonObject;
  readonly answer?: JsonObject;
}

/** With those of one more chunk; the same object where it brings none. */
export function addOwnFields(
  own: OwnFields | undefined,
  { chunk, choice }: { readonly chunk: ChatCompletionChunk; readonly choice: ChatChoice | undefined },
): OwnFields | undefined {
  const answer = pickUnknown(chunk, knownKeys.answer);
  const beside = choice && pickUnknown(choice, knownKeys.choice);
  const message = choice?.delta ? pickUnknown(choice.delta, knownKeys.message) : undefined;
  if (answer === undefined && beside === undefined && message === undefined) return own;
  return {
    message: joined(own?.message, message),
    choice: { ...own?.choice, ...said(beside) },
    answer: { ...own?.answer, ...said(answer) },
  };
}

/** Nulls say nothing. */
const said = (fields: JsonObject = {}): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** Texts and lists of a message go on from chunk to chunk. */
function joined(before: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const all = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(said(more))) {
    const known = all.get(key);
    if (typeof known === "string" && typeof value === "string") all.set(key, known + value);
    else if (Array.isArray(known) && Array.isArray(value)) all.set(key, [...known, ...value]);
    else all.set(key, value);
  }
  return Object.fromEntries(all);
}

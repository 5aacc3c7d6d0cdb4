/**
 * Thoughts as deltas: `reasoning` for everyone who only reads, `reasoning_details` for everyone who brings them
 * back (specification, Chat completions, embeddings, messages, misc inference). `index` counts the details of an
 * answer.
 */

import type { JsonObject, OutputItem, ReasoningItem } from "../../canonical/item.ts";
import type { OrderedTextEvent } from "../../common/inbound/item_assembly.ts";

export interface ReasoningState {
  /** The next detail's number. */
  readonly index: number;
  /** The item that is open, and the number of its first part. */
  readonly open?: { readonly item: ReasoningItem; readonly first: number; readonly parts: number };
  /** Whether the open item has shown thoughts: its summary says the same once more. */
  readonly raw: boolean;
}

export const initialReasoning: ReasoningState = { index: 0, raw: false };

export function openReasoning(thinking: ReasoningState, item: ReasoningItem): ReasoningState {
  return { ...thinking, open: { item, first: thinking.index, parts: 0 }, raw: false };
}

type ReasoningStep = readonly [ReasoningState, JsonObject];

/** A chunk of a thought or of a summary. */
export function renderReasoningDelta(
  thinking: ReasoningState,
  { type, part, delta }: OrderedTextEvent,
): ReasoningStep {
  const { open } = thinking;
  if (open === undefined) return [thinking, {}];
  const index = open.first + part;
  const raw = thinking.raw || type === "thought";
  const text = type === "thought" ? { text: delta } : { summary: delta };
  const detail = { type: type === "thought" ? "reasoning.text" : "reasoning.summary", ...text };
  const next = { ...thinking, raw, index: index + 1, open: { ...open, parts: part + 1 } };
  const shown = type === "thought" || !raw ? { reasoning: delta } : {};
  return [next, { ...shown, reasoning_details: [{ ...detail, ...marksOf(open.item), index }] }];
}

/** Fields that every detail of an item carries, so that the item can be put together again. */
function marksOf({ id, format }: ReasoningItem): JsonObject {
  return { ...(id === undefined ? {} : { id }), format: format ?? null };
}

/** A thought without an id has that of its call, as OpenRouter has it; any other names the call beside its own. */
const placedMarks = (marks: JsonObject, callId: string | undefined): JsonObject =>
  callId === undefined
    ? marks
    : "id" in marks
    ? { ...marks, tool_call_id: callId }
    : { id: callId, ...marks };

/** The seals of an item, which come when it closes; empty where it has none. `callId`: of the call that it stands before. */
export function renderSignature(
  thinking: ReasoningState,
  { item, callId }: { readonly item: OutputItem; readonly callId: string | undefined },
): ReasoningStep {
  const closed = { ...thinking, open: undefined };
  if (item.type !== "reasoning" || thinking.open === undefined) return [closed, {}];
  const { first, parts } = thinking.open;
  const { signature, encrypted } = item;
  const last = Math.max(first, first + parts - 1);
  const marks = placedMarks(marksOf({ ...item, id: thinking.open.item.id ?? item.id }), callId);
  const signed = signature === undefined
    ? []
    : [{ type: "reasoning.text", signature, ...marks, index: last }];
  const next = signature === undefined ? first + parts : last + 1;
  const encryptedDetail = encrypted === undefined
    ? []
    : [{ type: "reasoning.encrypted", data: encrypted, ...marks, index: next }];
  const details = [...signed, ...encryptedDetail];
  if (details.length === 0) return [closed, {}];
  return [{ ...closed, index: next + encryptedDetail.length }, { reasoning_details: details }];
}

/** Thoughts of a turn → `reasoning_details`: each with what seals it, its maker's id and its number. */

import type { JsonObject, ReasoningItem } from "../../canonical/item.ts";
import { isGeminiReasoning } from "../../common/thought_signature.ts";

export interface TurnThought {
  readonly item: ReasoningItem;
  /** Id of the call right behind it, as this wire spells it. */
  callId?: string;
}

/** A signature seals reasoning texts; clients that asked for a summary have these as one. */
export function renderDetails({ item, callId }: TurnThought): readonly JsonObject[] {
  const { signature, encrypted, format } = item;
  const shown = signature !== undefined && item.content.length === 0;
  const isOwn = item.extra?.chat !== undefined;
  const texts = shown && !isOwn ? item.summary : item.content;
  const summary = shown && !isOwn ? [] : item.summary;
  const id = idOf(item, callId);
  const more = { ...(format === undefined ? {} : { format }), ...(id === undefined ? {} : { id }) };
  const signed = signature === undefined ? {} : { signature };
  const thoughts = texts.map((text, at) => ({
    type: "reasoning.text",
    text,
    ...(at === texts.length - 1 ? signed : {}),
    ...more,
  }));
  const summaries = summary.map((text) => ({ type: "reasoning.summary", summary: text, ...more }));
  const seal = texts.length === 0 && signature !== undefined
    ? [{ type: "reasoning.text", ...signed, ...more }]
    : [];
  const encryptedDetail = encrypted === undefined
    ? []
    : [{ type: "reasoning.encrypted", data: encrypted, ...more }];
  return withIndexes([...thoughts, ...summaries, ...seal, ...encryptedDetail], item.extra?.chat?.indexes);
}

/** The maker's id of a thought; what Gemini signs for a call has the call's. */
function idOf(item: ReasoningItem, callId: string | undefined): string | undefined {
  const own = item.extra?.chat;
  if (callId !== undefined && (own?.of_call === true || (own === undefined && isGeminiReasoning(item)))) {
    return callId;
  }
  return own === undefined ? undefined : item.id;
}

function withIndexes(details: readonly JsonObject[], indexes: unknown): readonly JsonObject[] {
  if (!Array.isArray(indexes) || indexes.length !== details.length) return details;
  return details.map((detail, at) =>
    typeof indexes[at] === "number" ? { ...detail, index: indexes[at] } : detail
  );
}

/** The provider's last word on an item: what it adds to what was streamed of it. */

import type { ItemDoneEvent } from "../../canonical/event.ts";
import type { JsonObject, ReasoningItem } from "../../canonical/item.ts";
import { toFinishedPart, type WirePart } from "./render_items.ts";
import {
  appendAnnotation,
  appendArguments,
  appendText,
  type Emission,
  emptyPart,
  isSameKind,
  isSummary,
  type ItemStep,
  noEmissions,
  type OpenItem,
} from "./render_open_item.ts";

/** Rest of `whole` behind what was streamed; nothing when the two differ, for the client has seen it. */
function missing(streamed: string, whole: string): string {
  return whole.startsWith(streamed) ? whole.slice(streamed.length) : "";
}

/**
 * Takes over what the provider's last word on an item adds: texts that were never streamed, annotations,
 * encrypted reasoning. What the client has seen stands.
 */
export function completeItem(open: OpenItem, event: ItemDoneEvent): ItemStep {
  const { item } = event;
  if (item === undefined) return [open, noEmissions];
  if (item.type === "call") {
    const [grown, emissions] = appendArguments(open, { delta: missing(open.arguments, item.arguments) });
    return [{ ...grown, item: { ...item, id: open.id } }, emissions];
  }
  if (item.type === "message") return completeParts({ ...open, item }, item.parts.map(toFinishedPart));
  if (item.type === "reasoning") return completeReasoning(open, item);
  return [{ ...open, item }, noEmissions];
}

function completeReasoning(before: OpenItem, item: ReasoningItem): ItemStep {
  const open = { ...before, item: { ...item, origin: item.origin ?? originOf(before) } };
  const thoughts = item.content.map((text) => ({ ...emptyPart(open, "thought"), text }));
  const [withThoughts, first] = completeParts(open, thoughts);
  const summary = item.summary.map((text) => ({ ...emptyPart(open, "summary"), text }));
  const [whole, second] = completeParts(withThoughts, summary);
  return [whole, [...first, ...second]];
}

const originOf = ({ item }: OpenItem) => item.type === "reasoning" ? item.origin : undefined;

function completeParts(open: OpenItem, whole: readonly WirePart[]): ItemStep {
  let grown = open;
  const emissions: Emission[] = [];
  whole.forEach((part, position) => {
    const nth = whole.slice(0, position).filter((one) => isSameKind(one, part)).length;
    const [next, some] = completePart(grown, { part, position, nth });
    grown = next;
    emissions.push(...some);
  });
  return [grown, emissions];
}

interface PlacedPart {
  readonly part: WirePart;
  readonly position: number;
  /** Its place among the parts of its kind. */
  readonly nth: number;
}

/** Parts already closed only take over fields and citations; the growing one and new ones get what is missing. */
function completePart(open: OpenItem, { part, position, nth }: PlacedPart): ItemStep {
  const listed = isSummary(part) ? open.summary : open.parts;
  const closed = listed.filter((one) => isSameKind(one, part));
  const before = closed[nth];
  if (before !== undefined) return [withLastWord(open, { before, part }), noEmissions];
  const grows = open.growing !== undefined && isSameKind(open.growing.part, part);
  const key = grows && open.growing !== undefined ? open.growing.key : position;
  const streamed = grows ? open.growing?.part.text ?? "" : "";
  const kind = part.thought === true ? "thought" : kinds[part.type];
  const delta = missing(streamed, part.text);
  const logprobs = growingLogprobs(open, grows) === 0 && part.logprobs.length > 0 ? part.logprobs : undefined;
  const [grown, emissions] = appendText(open, { type: kind, itemKey: open.at, part: key, delta, logprobs });
  return completeAnnotations(withPartExtra(grown, part.extra), { part, key, emissions });
}

interface ClosedPart {
  readonly before: WirePart;
  readonly part: WirePart;
}

/** Keeps a closed part as the client has seen it, and puts its new fields and citations into the item. */
function withLastWord(open: OpenItem, { before, part }: ClosedPart): OpenItem {
  const { extra = before.extra, annotations } = part;
  const isCited = before.annotations.length < annotations.length;
  if (extra === before.extra && !isCited) return open;
  const last = { ...before, extra, annotations: isCited ? annotations : before.annotations };
  return { ...open, parts: open.parts.map((one) => one === before ? last : one) };
}

const kinds = {
  output_text: "text",
  refusal: "refusal",
  reasoning_text: "thought",
  summary_text: "summary",
} as const;

function growingLogprobs(open: OpenItem, grows: boolean): number {
  return grows ? open.growing?.part.logprobs.length ?? 0 : 0;
}

function withPartExtra(open: OpenItem, extra: JsonObject | undefined): OpenItem {
  if (extra === undefined || open.growing === undefined) return open;
  return { ...open, growing: { ...open.growing, part: { ...open.growing.part, extra } } };
}

interface AnnotationInput {
  readonly part: WirePart;
  readonly key: number;
  readonly emissions: readonly Emission[];
}

function completeAnnotations(open: OpenItem, { part, key, emissions }: AnnotationInput): ItemStep {
  const streamed = open.growing?.part.annotations.length ?? 0;
  if (part.annotations.length <= streamed) return [open, emissions];
  let grown = open;
  const all = [...emissions];
  for (const annotation of part.annotations.slice(streamed)) {
    const [next, some] = appendAnnotation(grown, { part: key, annotation });
    grown = next;
    all.push(...some);
  }
  return [grown, all];
}

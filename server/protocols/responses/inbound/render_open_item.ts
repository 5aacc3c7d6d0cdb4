/** The item that is open: how it grows and how it closes. Emissions have no sequence number yet. */

import type { ItemKey, TextEvent } from "../../canonical/event.ts";
import type { Annotation, ItemStatus, JsonObject, OutputItem, WireId } from "../../canonical/item.ts";
import { isThought, renderItem, renderPart, type WirePart } from "./render_items.ts";

/** An event before it gets its sequence number. */
export type Emission = { readonly type: string } & JsonObject;

export interface OpenItem {
  readonly at: ItemKey;
  readonly index: number;
  readonly id: string;
  readonly item: OutputItem;
  readonly include: readonly string[];
  /** Whether the client asks for summaries of reasoning. */
  readonly summarized: boolean;
  /** Content parts (messages, thoughts) and summary parts that are closed. */
  readonly parts: readonly WirePart[];
  readonly summary: readonly WirePart[];
  /** The part that is growing; `key` is the provider's own number for it. */
  readonly growing?: { readonly key: number; readonly part: WirePart };
  readonly arguments: string;
  /** Nobody is told how it comes about, only what it is in the end: growing and closing emit nothing. */
  readonly silent: boolean;
  /** Steps of its making that were told, when it is an image; see render_image_progress.ts. */
  readonly imageSteps: number;
}

export type ItemStep = readonly [OpenItem, readonly Emission[]];

export const noEmissions: readonly Emission[] = [];

const wireTypes = {
  text: "output_text",
  refusal: "refusal",
  thought: "reasoning_text",
  summary: "summary_text",
} as const satisfies Record<TextEvent["type"], WirePart["type"]>;

/** Providers of these wires have no summaries beside their reasoning: what they show of it is one. */
const withoutSummaries: ReadonlySet<WireId | undefined> = new Set<WireId>(["chat", "messages", "bedrock"]);

function partType({ item, summarized }: OpenItem, type: TextEvent["type"]): WirePart["type"] {
  const asSummary = type === "thought" && summarized && item.type === "reasoning" &&
    withoutSummaries.has(item.origin?.wire);
  return asSummary ? "summary_text" : wireTypes[type];
}

/** A part without text. */
export function emptyPart(open: OpenItem, type: TextEvent["type"]): WirePart {
  const blank = { type: partType(open, type), text: "", annotations: [], logprobs: [] };
  return type === "thought" ? { ...blank, thought: true } : blank;
}

/** The events that open an item. */
export function renderItemStart(open: OpenItem): readonly Emission[] {
  if (open.silent) return noEmissions;
  const item = rendered(open, "in_progress");
  return [{ type: "response.output_item.added", output_index: open.index, item }];
}

function rendered(open: OpenItem, status: ItemStatus): JsonObject {
  const parts = open.growing === undefined || isSummary(open.growing.part)
    ? open.parts
    : [...open.parts, open.growing.part];
  const summary = open.growing !== undefined && isSummary(open.growing.part)
    ? [...open.summary, open.growing.part]
    : open.summary;
  return renderItem(open.item, {
    id: open.id,
    status,
    include: open.include,
    parts,
    summary,
    arguments: open.arguments,
  });
}

export const isSummary = (part: WirePart) => part.type === "summary_text";

/** Where a part's events point. */
function address(open: OpenItem, part: WirePart): JsonObject {
  return isSummary(part)
    ? { item_id: open.id, output_index: open.index, summary_index: open.summary.length }
    : { item_id: open.id, output_index: open.index, content_index: open.parts.length };
}

function partOpened(open: OpenItem, part: WirePart): Emission {
  const type = isSummary(part) ? "response.reasoning_summary_part.added" : "response.content_part.added";
  return { type, ...address(open, part), part: renderPart(part) };
}

const doneNames = {
  output_text: "response.output_text.done",
  refusal: "response.refusal.done",
  reasoning_text: "response.reasoning_text.done",
  summary_text: "response.reasoning_summary_text.done",
} as const;

function partClosed(open: OpenItem, part: WirePart): readonly Emission[] {
  if (open.silent) return noEmissions;
  const where = address(open, part);
  const body = part.type === "refusal" ? { refusal: part.text } : { text: part.text };
  const logprobs = part.type === "output_text" ? { logprobs: part.logprobs } : {};
  const type = isSummary(part) ? "response.reasoning_summary_part.done" : "response.content_part.done";
  return [
    { type: doneNames[part.type], ...where, ...body, ...logprobs },
    { type, ...where, part: renderPart(part) },
  ];
}

/** Closes the part that grows, if any. */
function closePart(open: OpenItem): ItemStep {
  if (open.growing === undefined) return [open, noEmissions];
  const { part } = open.growing;
  const closed = isSummary(part)
    ? { ...open, growing: undefined, summary: [...open.summary, part] }
    : { ...open, growing: undefined, parts: [...open.parts, part] };
  return [closed, partClosed(open, part)];
}

/** Whether two parts are of one list: summaries may be the provider's or reasoning that stands in for them. */
export const isSameKind = (one: WirePart, other: WirePart): boolean =>
  one.type === other.type && isThought(one) === isThought(other);

/** Makes sure that the part with this key is the one that grows. */
function openPart(open: OpenItem, { key, type }: { key: number; type: TextEvent["type"] }): ItemStep {
  const { growing } = open;
  const same = growing?.key === key && growing.part.type === partType(open, type) &&
    isThought(growing.part) === (type === "thought");
  if (same) return [open, noEmissions];
  const [closed, emissions] = closePart(open);
  const part = emptyPart(open, type);
  const grown = { ...closed, growing: { key, part } };
  return [grown, open.silent ? noEmissions : [...emissions, partOpened(closed, part)]];
}

const deltaNames = {
  output_text: "response.output_text.delta",
  refusal: "response.refusal.delta",
  reasoning_text: "response.reasoning_text.delta",
  summary_text: "response.reasoning_summary_text.delta",
} as const;

/** A chunk of text of any kind. */
export function appendText(before: OpenItem, event: TextEvent): ItemStep {
  const [open, emissions] = openPart(before, { key: event.part, type: event.type });
  const { growing } = open;
  if (growing === undefined || event.delta === "") return [open, emissions];
  const part: WirePart = {
    ...growing.part,
    text: growing.part.text + event.delta,
    logprobs: event.logprobs === undefined
      ? growing.part.logprobs
      : growing.part.logprobs.concat(event.logprobs),
  };
  const grown = { ...open, growing: { key: growing.key, part } };
  if (open.silent) return [grown, noEmissions];
  const delta: Emission = {
    ...event.extra?.responses,
    type: deltaNames[part.type],
    ...address(open, part),
    delta: event.delta,
    ...(part.type === "output_text" ? { logprobs: event.logprobs ?? [] } : {}),
  };
  return [grown, emissions.length === 0 ? [delta] : [...emissions, delta]];
}

interface AnnotationDelta {
  /** The provider's number for the part. */
  readonly part: number;
  readonly annotation: Annotation;
}

/** A citation of the text that came before it. */
export function appendAnnotation(before: OpenItem, { part: key, annotation }: AnnotationDelta): ItemStep {
  const [open, emissions] = openPart(before, { key, type: "text" });
  const { growing } = open;
  if (growing === undefined) return [open, emissions];
  const part = { ...growing.part, annotations: [...growing.part.annotations, annotation] };
  const grown = { ...open, growing: { key: growing.key, part } };
  if (open.silent) return [grown, noEmissions];
  const event: Emission = {
    type: "response.output_text.annotation.added",
    ...address(open, growing.part),
    annotation_index: growing.part.annotations.length,
    annotation,
  };
  return [grown, [...emissions, event]];
}

const callEvents = (open: OpenItem) =>
  open.item.type === "call" && open.item.kind === "custom"
    ? "response.custom_tool_call_input"
    : "response.function_call_arguments";

/** A chunk of a call's arguments or input. */
export function appendArguments(
  open: OpenItem,
  { delta, extra }: { delta: string; extra?: JsonObject },
): ItemStep {
  if (delta === "") return [open, noEmissions];
  const grown = { ...open, arguments: open.arguments + delta };
  if (open.silent) return [grown, noEmissions];
  const event: Emission = {
    ...extra,
    type: `${callEvents(open)}.delta`,
    item_id: open.id,
    output_index: open.index,
    delta,
  };
  return [grown, [event]];
}

function argumentsClosed(open: OpenItem): readonly Emission[] {
  if (open.item.type !== "call") return [];
  const where = { type: `${callEvents(open)}.done`, item_id: open.id, output_index: open.index };
  return [
    open.item.kind === "custom"
      ? { ...where, input: open.arguments }
      : { ...where, name: open.item.name, arguments: open.arguments },
  ];
}

/** The item as it will stand in `output`, and the events that close it. */
export function closeItem(before: OpenItem, status: ItemStatus): readonly [JsonObject, readonly Emission[]] {
  const [open, emissions] = closePart(before);
  const item = rendered(open, statusOf(open.item, status));
  if (open.silent) return [item, noEmissions];
  const done: Emission = { type: "response.output_item.done", output_index: open.index, item };
  return [item, [...emissions, ...argumentsClosed(open), done]];
}

/** Where the provider said that the item is incomplete, it is, whatever became of the answer. */
function statusOf(item: OutputItem, status: ItemStatus): ItemStatus {
  if (item.type === "foreign" || item.status === undefined || item.status === "in_progress") return status;
  return item.status === "completed" ? status : item.status;
}

/** The item as far as it came, for a response that failed: no closing event says that it is whole. */
export function unfinishedItem(open: OpenItem): JsonObject {
  return rendered(open, "incomplete");
}

/** Events of openai's `.stream()` helper (specification, Events .stream); others make it throw. */
export const helperKnows =
  /^response\.(web_search_call|image_generation_call|code_interpreter_call|file_search_call|mcp_|audio\.)/;

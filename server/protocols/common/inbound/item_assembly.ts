/** The item that is open: what it has said so far, and what of its last word is still to be said. */

import type {
  AnnotationEvent,
  ArgumentsEvent,
  FailureEvent,
  FinishEvent,
  ItemDoneEvent,
  ItemKey,
  PassthroughEvent,
  TextEvent,
} from "../../canonical/event.ts";
import type {
  Annotation,
  ContentPart,
  ItemStatus,
  Logprob,
  OutputItem,
  RefusalPart,
  TextPart,
  ToolCallItem,
  WireExtra,
} from "../../canonical/item.ts";

/** A chunk of text of the open item; `part` counts its parts of all kinds from 0. */
export interface OrderedTextEvent {
  readonly type: TextEvent["type"];
  readonly part: number;
  readonly delta: string;
  readonly logprobs?: readonly Logprob[];
  readonly extra?: WireExtra;
}

/** Texts, arguments and citations between `open` and `close` are the open item's. */
export type OrderedEvent =
  | { readonly type: "open"; readonly item: OutputItem; readonly index: number }
  | OrderedTextEvent
  | { readonly type: "arguments"; readonly delta: string }
  | Omit<AnnotationEvent, "itemKey" | "part">
  | { readonly type: "close"; readonly item: OutputItem; readonly status: ItemStatus }
  | PassthroughEvent
  | FinishEvent
  | FailureEvent;

interface AssembledPart {
  readonly type: TextEvent["type"];
  /** The provider's number for it. */
  readonly key: number;
  readonly text: string;
  readonly logprobs: readonly Logprob[];
  readonly annotations: readonly Annotation[];
}

export interface AssembledItem {
  readonly at: ItemKey;
  readonly item: OutputItem;
  readonly parts: readonly AssembledPart[];
  readonly arguments: string;
}

type AssemblyStep = readonly [AssembledItem, readonly OrderedEvent[]];

export function openAssembly(at: ItemKey, item: OutputItem): AssembledItem {
  return { at, item, parts: [], arguments: "" };
}

export function appendEvent(
  current: AssembledItem,
  event: TextEvent | ArgumentsEvent | AnnotationEvent,
): AssemblyStep {
  if (event.type === "arguments") return growArguments(current, event.delta);
  if (event.type === "annotation") return annotate(current, event);
  return appendText(current, event);
}

function growArguments(current: AssembledItem, delta: string): AssemblyStep {
  if (delta === "" || current.item.type !== "call") return [current, []];
  return [{ ...current, arguments: current.arguments + delta }, [{ type: "arguments", delta }]];
}

type TextAddition = Pick<TextEvent, "type" | "part" | "delta" | "logprobs" | "extra">;

/** Another number or another kind begins a new part; what one item may say, another may not. */
function appendText(
  current: AssembledItem,
  { type, part: key, delta, logprobs = [], extra }: TextAddition,
): AssemblyStep {
  const speaker = type === "text" || type === "refusal" ? "message" : "reasoning";
  if (current.item.type !== speaker || delta === "") return [current, []];
  const last = current.parts.at(-1);
  const goesOn = last !== undefined && last.key === key && last.type === type;
  const before = goesOn ? current.parts.slice(0, -1) : current.parts;
  const part: AssembledPart = goesOn
    ? { ...last, text: last.text + delta, logprobs: joined(last.logprobs, logprobs) }
    : { type, key, text: delta, logprobs, annotations: [] };
  const received: OrderedTextEvent = {
    type,
    part: before.length,
    delta,
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(extra === undefined ? {} : { extra }),
  };
  return [{ ...current, parts: [...before, part] }, [received]];
}

const joined = (some: readonly Logprob[], more: readonly Logprob[]) =>
  more.length === 0 ? some : some.concat(more);

/** A citation of the text that came before it; one without any cites nothing. */
function annotate(
  current: AssembledItem,
  event: Omit<AnnotationEvent, "type" | "itemKey" | "part">,
): AssemblyStep {
  const { annotation, passage, extra } = event;
  const last = current.parts.at(-1);
  if (last?.type !== "text") return [current, []];
  const part = { ...last, annotations: [...last.annotations, annotation] };
  return [{ ...current, parts: [...current.parts.slice(0, -1), part] }, [
    {
      type: "annotation",
      annotation,
      ...(passage === undefined ? {} : { passage }),
      ...(extra && { extra }),
    },
  ]];
}

/** Rest of `all` behind what was received; nothing when the two differ, for the client has seen it. */
const missing = (received: string, all: string) => all.startsWith(received) ? all.slice(received.length) : "";

/** Takes over what the provider's last word on an item adds. What the client has seen stands. */
export function completeFrom(current: AssembledItem, { item }: ItemDoneEvent): AssemblyStep {
  if (item === undefined || item.type !== current.item.type) return [current, []];
  switch (item.type) {
    case "call":
      return growArguments(renewedCall(current, item), missing(current.arguments, item.arguments));
    case "message":
      return completeParts(renewed(current, item), item.parts.flatMap(toAssembledPart));
    case "reasoning": {
      const parts = [...item.content.map(toThought), ...item.summary.map(toSummary)];
      return completeParts(renewed(current, item), parts);
    }
    case "foreign":
      return [renewed(current, item), []];
    default:
      return item satisfies never;
  }
}

/** An item keeps the name under which it opened. */
function renewed(current: AssembledItem, item: OutputItem): AssembledItem {
  return { ...current, item: { ...item, id: current.item.id ?? item.id } };
}

/** A call keeps the name by which it can be answered as well. */
function renewedCall(current: AssembledItem, item: ToolCallItem): AssembledItem {
  if (current.item.type !== "call") return current;
  const { callId, name } = current.item;
  return renewed(current, { ...item, callId, name });
}

type FinalParts = Omit<AssembledPart, "key">;

const bare = { logprobs: [], annotations: [] };
const toThought = (text: string): FinalParts => ({ type: "thought", text, ...bare });
const toSummary = (text: string): FinalParts => ({ type: "summary", text, ...bare });

function toAssembledPart(part: ContentPart): readonly FinalParts[] {
  if (part.type === "refusal") return [{ type: "refusal", text: part.text, ...bare }];
  if (part.type !== "text") return [];
  const { text, logprobs = [], annotations = [] } = part;
  return [{ type: "text", text, logprobs, annotations }];
}

const isSpeech = ({ type }: Pick<AssembledPart, "type">) => type === "text" || type === "refusal";

/** Parts of one kind by their place: those said whole stand, the last one and new ones get what is missing. */
function completeParts(current: AssembledItem, parts: readonly FinalParts[]): AssemblyStep {
  let grown = current;
  const out: OrderedEvent[] = [];
  parts.forEach((part, place) => {
    const nth = isSpeech(part)
      ? place
      : parts.slice(0, place).filter(({ type }) => type === part.type).length;
    const [next, events] = completePart(grown, { part, nth });
    grown = next;
    out.push(...events);
  });
  return [grown, out];
}

function completePart(
  current: AssembledItem,
  { part, nth }: { readonly part: FinalParts; readonly nth: number },
): AssemblyStep {
  const alike = current.parts.filter((one) => isSpeech(part) ? isSpeech(one) : one.type === part.type);
  const received = alike[nth];
  if (received !== undefined && (received !== current.parts.at(-1) || received.type !== part.type)) {
    return [current, []];
  }
  const key = received?.key ?? 1_000_000 + nth;
  const delta = missing(received?.text ?? "", part.text);
  const logprobs = received === undefined || received.logprobs.length === 0 ? part.logprobs : [];
  const [grown, events] = appendText(current, { type: part.type, part: key, delta, logprobs });
  return citations(grown, { all: part.annotations, from: received?.annotations.length ?? 0, events });
}

interface CitationKeys {
  readonly all: readonly Annotation[];
  readonly from: number;
  readonly events: readonly OrderedEvent[];
}

function citations(current: AssembledItem, { all, from, events }: CitationKeys): AssemblyStep {
  let grown = current;
  const out = [...events];
  for (const annotation of all.slice(from)) {
    const [next, some] = annotate(grown, { annotation });
    grown = next;
    out.push(...some);
  }
  return [grown, out];
}

/** The item with what was said in it, and with what its provider told beside that. */
export function assembledItem({ item, parts, arguments: text }: AssembledItem): OutputItem {
  switch (item.type) {
    case "message":
      return { ...item, parts: parts.filter(isSpeech).map(toPart) };
    case "reasoning":
      return { ...item, content: textsOf(parts, "thought"), summary: textsOf(parts, "summary") };
    case "call":
      return { ...item, arguments: text };
    case "foreign":
      return item;
    default:
      return item satisfies never;
  }
}

const textsOf = (parts: readonly AssembledPart[], type: AssembledPart["type"]) =>
  parts.filter((part) => part.type === type).map(({ text }) => text);

function toPart({ type, text, logprobs, annotations }: AssembledPart): TextPart | RefusalPart {
  if (type === "refusal") return { type, text };
  return { type: "text", text, logprobs, annotations };
}

/** The item that is open: what it has said so far, and what of its last word is still to be said. */

import type {
  AnnotationEvent,
  ArgumentsEvent,
  At,
  ItemDoneEvent,
  TextEvent,
} from "../../../canonical/event.ts";
import type {
  Annotation,
  Logprob,
  OutputItem,
  Part,
  RefusalPart,
  TextPart,
} from "../../../canonical/item.ts";
import type { OrderedEvent, SaidEvent } from "./event_order.ts";

interface SaidPart {
  readonly type: TextEvent["type"];
  /** The provider's number for it. */
  readonly key: number;
  readonly text: string;
  readonly logprobs: readonly Logprob[];
  readonly annotations: readonly Annotation[];
}

export interface Current {
  readonly at: At;
  readonly item: OutputItem;
  readonly parts: readonly SaidPart[];
  readonly arguments: string;
}

type Grown = readonly [Current, readonly OrderedEvent[]];

export function opened(at: At, item: OutputItem): Current {
  return { at, item, parts: [], arguments: "" };
}

export function grow(current: Current, event: TextEvent | ArgumentsEvent | AnnotationEvent): Grown {
  if (event.type === "arguments") return growArguments(current, event.delta);
  if (event.type === "annotation") return annotate(current, event);
  return say(current, event);
}

function growArguments(current: Current, delta: string): Grown {
  if (delta === "" || current.item.type !== "call") return [current, []];
  return [{ ...current, arguments: current.arguments + delta }, [{ type: "arguments", delta }]];
}

type Said = Pick<TextEvent, "type" | "part" | "delta" | "logprobs">;

/** Another number or another kind begins a new part; what one item may say, another may not. */
function say(current: Current, { type, part: key, delta, logprobs = [] }: Said): Grown {
  const speaker = type === "text" || type === "refusal" ? "message" : "reasoning";
  if (current.item.type !== speaker || delta === "") return [current, []];
  const last = current.parts.at(-1);
  const goesOn = last !== undefined && last.key === key && last.type === type;
  const before = goesOn ? current.parts.slice(0, -1) : current.parts;
  const part: SaidPart = goesOn
    ? { ...last, text: last.text + delta, logprobs: joined(last.logprobs, logprobs) }
    : { type, key, text: delta, logprobs, annotations: [] };
  const said: SaidEvent = {
    type,
    part: before.length,
    delta,
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
  return [{ ...current, parts: [...before, part] }, [said]];
}

const joined = (some: readonly Logprob[], more: readonly Logprob[]) =>
  more.length === 0 ? some : some.concat(more);

/** A citation of the text that came before it; one without any cites nothing. */
function annotate(current: Current, { annotation }: Pick<AnnotationEvent, "annotation">): Grown {
  const last = current.parts.at(-1);
  if (last?.type !== "text") return [current, []];
  const part = { ...last, annotations: [...last.annotations, annotation] };
  return [{ ...current, parts: [...current.parts.slice(0, -1), part] }, [{ type: "annotation", annotation }]];
}

/** What the rest of `all` adds to what was said; nothing when the two differ, for the client has seen it. */
const missing = (said: string, all: string) => all.startsWith(said) ? all.slice(said.length) : "";

/** Takes over what the provider's last word on an item adds. What the client has seen stands. */
export function missingIn(current: Current, { item }: ItemDoneEvent): Grown {
  if (item === undefined || item.type !== current.item.type) return [current, []];
  switch (item.type) {
    case "call":
      return growArguments(current, missing(current.arguments, item.arguments));
    case "message":
      return completeParts(renewed(current, item), item.parts.flatMap(toSaid));
    case "reasoning": {
      const told = [...item.thoughts.map(toThought), ...item.summary.map(toSummary)];
      return completeParts(renewed(current, item), told);
    }
    case "foreign":
      return [renewed(current, item), []];
    default:
      return item satisfies never;
  }
}

/** An item keeps the name under which it opened. */
function renewed(current: Current, item: OutputItem): Current {
  return { ...current, item: { ...item, id: current.item.id ?? item.id } };
}

type Told = Omit<SaidPart, "key">;

const bare = { logprobs: [], annotations: [] };
const toThought = (text: string): Told => ({ type: "thought", text, ...bare });
const toSummary = (text: string): Told => ({ type: "summary", text, ...bare });

function toSaid(part: Part): readonly Told[] {
  if (part.type === "refusal") return [{ type: "refusal", text: part.text, ...bare }];
  if (part.type !== "text") return [];
  const { text, logprobs = [], annotations = [] } = part;
  return [{ type: "text", text, logprobs, annotations }];
}

const isSpeech = ({ type }: Pick<SaidPart, "type">) => type === "text" || type === "refusal";

/** Parts of one kind by their place: those said whole stand, the last one and new ones get what is missing. */
function completeParts(current: Current, told: readonly Told[]): Grown {
  let grown = current;
  const out: OrderedEvent[] = [];
  told.forEach((part, place) => {
    const nth = isSpeech(part) ? place : told.slice(0, place).filter(({ type }) => type === part.type).length;
    const [next, events] = completePart(grown, { part, nth });
    grown = next;
    out.push(...events);
  });
  return [grown, out];
}

function completePart(current: Current, { part, nth }: { readonly part: Told; readonly nth: number }): Grown {
  const alike = current.parts.filter((one) => isSpeech(part) ? isSpeech(one) : one.type === part.type);
  const said = alike[nth];
  if (said !== undefined && (said !== current.parts.at(-1) || said.type !== part.type)) return [current, []];
  const key = said?.key ?? 1_000_000 + nth;
  const delta = missing(said?.text ?? "", part.text);
  const logprobs = said === undefined || said.logprobs.length === 0 ? part.logprobs : [];
  const [grown, events] = say(current, { type: part.type, part: key, delta, logprobs });
  return citations(grown, { all: part.annotations, from: said?.annotations.length ?? 0, events });
}

interface Cited {
  readonly all: readonly Annotation[];
  readonly from: number;
  readonly events: readonly OrderedEvent[];
}

function citations(current: Current, { all, from, events }: Cited): Grown {
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
export function whole({ item, parts, arguments: text }: Current): OutputItem {
  switch (item.type) {
    case "message":
      return { ...item, parts: parts.filter(isSpeech).map(toPart) };
    case "reasoning":
      return { ...item, thoughts: textsOf(parts, "thought"), summary: textsOf(parts, "summary") };
    case "call":
      return { ...item, arguments: text };
    case "foreign":
      return item;
    default:
      return item satisfies never;
  }
}

const textsOf = (parts: readonly SaidPart[], type: SaidPart["type"]) =>
  parts.filter((part) => part.type === type).map(({ text }) => text);

function toPart({ type, text, logprobs, annotations }: SaidPart): TextPart | RefusalPart {
  if (type === "refusal") return { type, text };
  return { type: "text", text, logprobs, annotations };
}

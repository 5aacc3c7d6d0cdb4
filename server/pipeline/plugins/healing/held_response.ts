/**
 * The part of a response that is held back until it is known whether it can be healed: its messages, from the first one
 * on. Reasoning goes on meanwhile.
 */

import type { ItemKey, OutputEvent, TextEvent } from "../../../protocols/canonical/event.ts";
import type {
  Annotation,
  ContentPart,
  MessageItem,
  OutputItem,
  TextPart,
} from "../../../protocols/canonical/item.ts";

type TextsOfMessage = Map<ItemKey, string>;

export class HeldResponse {
  #events: OutputEvent[] = [];
  readonly #passing = new Set<ItemKey>();
  readonly #texts: TextsOfMessage = new Map();
  hasRefusal = false;

  /** Takes an event; returns those that go on. */
  take(event: OutputEvent): readonly OutputEvent[] {
    if (event.type === "begin" || this.#isPassing(event)) return [event];
    if (event.type === "item" && event.item.type !== "message") return [...this.release(), event];
    if (!this.#isHolding && !beginsMessage(event)) return [event];
    this.#note(event);
    this.#events.push(event);
    return [];
  }

  /** Lets go of all that is held, as it came. */
  release(): readonly OutputEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#texts.clear();
    return events;
  }

  /** Texts of the messages that are held, but for those without a word. */
  get texts(): readonly string[] {
    return [...this.#texts.values()].filter((text) => text.trim() !== "");
  }

  /** Lets go of all that is held, with another text of the message that has one. */
  releaseHealed(text: string): readonly OutputEvent[] {
    const [found] = [...this.#texts].filter(([, one]) => one.trim() !== "");
    const events = this.release();
    if (found === undefined) return events;
    const [itemKey, before] = found;
    return withText(events, { itemKey, before, text });
  }

  get #isHolding(): boolean {
    return this.#events.length > 0;
  }

  #isPassing(event: OutputEvent): boolean {
    if (event.type === "item" && isBeside(event.item)) this.#passing.add(event.itemKey);
    if (event.type === "thought" || event.type === "summary") return true;
    return "itemKey" in event && event.itemKey !== undefined && this.#passing.has(event.itemKey);
  }

  #note(event: OutputEvent): void {
    if (event.type === "refusal") this.hasRefusal = true;
    if (event.type === "text") this.#add(event);
    if (event.type !== "item_done" || event.item?.type !== "message") return;
    this.hasRefusal ||= event.item.parts.some(({ type }) => type === "refusal");
    this.#texts.set(event.itemKey, textOf(event.item));
  }

  #add({ itemKey, delta }: TextEvent): void {
    this.#texts.set(itemKey, (this.#texts.get(itemKey) ?? "") + delta);
  }
}

/** Reasoning, and what a model tells of its work before it answers. */
const isBeside = (item: OutputItem): boolean =>
  item.type === "reasoning" || (item.type === "message" && item.phase === "commentary");

function beginsMessage(event: OutputEvent): boolean {
  if (event.type === "item" || event.type === "item_done") return event.item?.type === "message";
  return event.type === "text" || event.type === "refusal";
}

const isText = (part: { readonly type: string }): part is TextPart => part.type === "text";

const textOf = ({ parts }: MessageItem): string => parts.filter(isText).map(({ text }) => text).join("");

interface HealedText {
  readonly itemKey: ItemKey;
  readonly before: string;
  readonly text: string;
}

/** The events with one text in the place of all texts of the message. */
function withText(events: readonly OutputEvent[], healed: HealedText): readonly OutputEvent[] {
  const texts = events.filter((event): event is TextEvent => event.type === "text").filter(({ itemKey }) =>
    itemKey === healed.itemKey
  );
  const isWhole = new Set(texts.map(({ part }) => part)).size <= 1;
  return events.flatMap((event): readonly OutputEvent[] => {
    if (!("itemKey" in event) || event.itemKey !== healed.itemKey) return [event];
    if (event.type === "text") return event === texts[0] ? [textEvent(event, healed)] : [];
    if (event.type === "item_done") return [{ ...event, item: event.item && itemWith(event.item, healed) }];
    if (event.type !== "annotation") return [event];
    const annotation = isWhole ? moved(event.annotation, healed) : undefined;
    return annotation === undefined ? [] : [{ ...event, annotation }];
  });
}

/** Probabilities are those of the tokens as they were. */
const textEvent = (event: TextEvent, { text }: HealedText): TextEvent => ({
  ...event,
  delta: text,
  logprobs: undefined,
});

function itemWith(item: OutputItem, healed: HealedText): OutputItem {
  if (item.type !== "message") return item;
  const texts = item.parts.filter(isText);
  const parts = item.parts.flatMap((part): readonly ContentPart[] => {
    if (!isText(part)) return [part];
    return part === texts[0] ? [partWith(part, { healed, isWhole: texts.length === 1 })] : [];
  });
  return { ...item, parts };
}

function partWith(
  part: TextPart,
  { healed, isWhole }: { readonly healed: HealedText; readonly isWhole: boolean },
): TextPart {
  const placed = isWhole ? part.annotations?.map((one) => moved(one, healed)) : [];
  const annotations = placed?.filter((one) => one !== undefined);
  return { ...part, text: healed.text, logprobs: undefined, annotations };
}

/**
 * The annotation where its text stands now; undefined where that is not said any more, or more than once. Of a text
 * that came in several parts, each with places of its own, none is kept.
 */
function moved(annotation: Annotation, { before, text }: HealedText): Annotation | undefined {
  const { start_index: start, end_index: end } = annotation;
  if (typeof start !== "number" || typeof end !== "number") return annotation;
  const cited = before.slice(start, end);
  const place = cited === "" ? -1 : text.indexOf(cited);
  if (place < 0 || text.includes(cited, place + 1)) return undefined;
  return { ...annotation, start_index: place, end_index: place + cited.length };
}

/**
 * One item of a response through content filters, while it comes and when it is told once more at its end. Arguments of
 * functions are read as a whole: nobody can use a half of them.
 */

import type {
  AnnotationEvent,
  ArgumentsEvent,
  ItemDoneEvent,
  ItemKey,
  PassthroughEvent,
  TextEvent,
} from "../../../../protocols/canonical/event.ts";
import type {
  ContentPart,
  MessageItem,
  OutputItem,
  ReasoningItem,
  RefusalPart,
  TextPart,
  ToolCallItem,
} from "../../../../protocols/canonical/item.ts";
import { scanValue } from "../../../guardrails/scanners/scan_slots.ts";
import { OUTPUT_WINDOW } from "../../../guardrails/scanners/scan_windows.ts";
import { cleanMeter, isShortAndClean } from "../../../guardrails/scanners/scan_text.ts";
import { scannerFor, scanWhole } from "../../../guardrails/scanners/json_scanner.ts";
import type { Work } from "../../../../../shared/util/run_work.ts";
import { eventShapes } from "../../../guardrails/text_slots/event_shapes.ts";
import { json, type Shape } from "../../../guardrails/text_slots/shape.ts";
import { type ItemScannerOptions, optionsFor } from "./item_scanner_options.ts";
import { PassthroughTexts } from "./passthrough_texts.ts";
import { scanPieceFields } from "../piece_fields.ts";
import { type BegunText, type ReportedText, type SaidEvents, textLength } from "./said_event.ts";
import { type PartEvent, ScannedPart } from "./scanned_part.ts";

/** The item as it was opened; absent where its provider has not opened it. */
interface OpenItem extends ItemScannerOptions {
  readonly itemKey: ItemKey;
  readonly item: OutputItem | undefined;
}

type Events = SaidEvents;

/** A text that is told as a whole, and which of the streamed parts it is. */
interface WholeText extends Pick<TextEvent, "type"> {
  readonly part: ScannedPart | undefined;
  readonly text: string;
  /** Its number among the texts of a message, or among the thoughts or summaries of reasoning. */
  readonly place: number;
}

export class ItemScanner {
  readonly #options: OpenItem;
  readonly #parts: ScannedPart[] = [];
  readonly #arguments: ArgumentsEvent[] = [];
  readonly #passthrough: PassthroughTexts;

  constructor(options: OpenItem) {
    this.#options = options;
    this.#passthrough = new PassthroughTexts(options);
  }

  *text(event: PartEvent, out: Events): Work<void> {
    let part = this.#parts.at(-1);
    if (part === undefined || !part.takes(event)) {
      if (part !== undefined) yield* this.#end(part, out);
      if (event.type !== "arguments") out.push(this.#begun(event));
      part = new ScannedPart(event, scannerFor(optionsFor(this.#options, event.type)));
      this.#parts.push(part);
    }
    const counting = this.#options.read(event.delta);
    if (counting !== undefined) yield* counting;
    yield* part.add(yield* scanPieceFields(event, this.#options), out);
  }

  #begun({ type: kind, itemKey }: TextEvent): BegunText {
    const isSpeech = isSpeechKind(kind);
    const before = this.#parts.filter(({ type }) => isSpeech ? isSpeechKind(type) : type === kind);
    return { type: "begun", kind, itemKey, place: before.length };
  }

  *#scan<T>(value: T, shape: Shape): Work<T> {
    return (yield* scanValue(value, { shape, options: this.#options })).value;
  }

  /** The input of a custom tool is text. */
  *arguments(event: ArgumentsEvent, out: Events): Work<void> {
    const { item, view } = this.#options;
    if (item?.type === "call" && item.kind === "custom") return yield* this.text(event, out);
    this.#arguments.push(yield* scanPieceFields(event, this.#options));
    if (!view.isEnforced) out.push(event);
  }

  *annotation(event: AnnotationEvent, out: Events): Work<void> {
    const scanned = yield* this.#scan(event, eventShapes.annotation);
    const part = this.#parts.at(-1);
    if (part === undefined || part.isOver) out.push(scanned);
    else part.annotate(scanned, out);
  }

  *passthrough(event: PassthroughEvent, out: Events): Work<void> {
    yield* this.#passthrough.add(event, out);
  }

  /** The item ends: what is held goes on, then the item as it was let through. */
  *done(event: ItemDoneEvent, out: Events): Work<void> {
    const item = yield* this.#wholeItem(event.item, out);
    yield* this.close(out);
    out.push(item === event.item ? event : { ...event, item });
  }

  /** Nothing more comes of it. */
  *close(out: Events): Work<void> {
    if (this.#arguments.length > 0) yield* this.#functionArguments(joinDeltas(this.#arguments), out);
    for (const part of this.#parts) yield* this.#end(part, out);
    yield* this.#passthrough.release(out);
  }

  *#end(part: ScannedPart, out: Events): Work<void> {
    if (part.isOver) return;
    const { itemKey } = this.#options;
    const tail: Events = [];
    const { type: kind } = part;
    if (kind === "arguments") {
      yield* part.end(out);
      this.#options.remember(part.scanned);
      return;
    }
    const found = yield* part.leave(tail);
    const { scanned } = part;
    if (found.length === 0) this.#options.remember(scanned);
    out.push({ type: "ended", kind, itemKey, scanned, tail, found });
  }

  *#wholeItem(item: OutputItem | undefined, out: Events): Work<OutputItem | undefined> {
    if (item === undefined) return undefined;
    const read = yield* this.#streamedTexts(item, out);
    const { value, media, sealed, texts } = yield* scanValue(read, {
      shape: eventShapes.item_done,
      options: this.#options,
    });
    for (const text of texts) this.#options.remember(text);
    if (media + sealed > 0) this.#options.skip({ media, sealed });
    return value;
  }

  /** The item with those of its texts that may have come in pieces before. */
  *#streamedTexts(item: OutputItem, out: Events): Work<OutputItem> {
    switch (item.type) {
      case "message":
        return yield* this.#message(item, out);
      case "reasoning":
        return yield* this.#reasoning(item, out);
      case "call":
        return yield* this.#call(item, out);
      case "foreign":
        return item;
      default:
        return item satisfies never;
    }
  }

  *#message(item: MessageItem, out: Events): Work<MessageItem> {
    const parts: ContentPart[] = [];
    let position = 0;
    for (const part of item.parts) {
      if (part.type === "text" || part.type === "refusal") {
        const place = position++;
        parts.push(yield* this.#messagePart(part, { part: this.#parts[place], place, out }));
      } else parts.push(part);
    }
    return isSameList(parts, item.parts) ? item : { ...item, parts };
  }

  *#messagePart(
    whole: TextPart | RefusalPart,
    { part, place, out }: Pick<WholeText, "part" | "place"> & { readonly out: Events },
  ): Work<ContentPart> {
    const text = yield* this.#wholeText({ part, place, type: whole.type, text: whole.text }, out);
    if (whole.type === "refusal") return text === whole.text ? whole : { ...whole, text };
    if (text === whole.text) return whole;
    const annotations = whole.annotations?.map((one) => part?.shifted(one) ?? one);
    return { ...whole, text, annotations, logprobs: undefined };
  }

  *#reasoning(item: ReasoningItem, out: Events): Work<ReasoningItem> {
    const content = yield* this.#wholeTexts(item.content, { type: "thought", out });
    const summary = yield* this.#wholeTexts(item.summary, { type: "summary", out });
    const isSame = isSameList(content, item.content) && isSameList(summary, item.summary);
    // A signature is of the texts as they were.
    return isSame ? item : { ...item, content, summary, signature: undefined };
  }

  *#wholeTexts(
    texts: readonly string[],
    { type, out }: { readonly type: "thought" | "summary"; readonly out: Events },
  ): Work<readonly string[]> {
    const parts = this.#parts.filter((part) => part.type === type);
    const scanned: string[] = [];
    for (const [position, text] of texts.entries()) {
      scanned.push(yield* this.#wholeText({ part: parts[position], place: position, type, text }, out));
    }
    return scanned;
  }

  /** Scans the whole text of an item; the part that was not streamed yet is streamed first. */
  *#wholeText({ part, type, text, place }: WholeText, out: Events): Work<string> {
    const { itemKey } = this.#options;
    const more = (delta: string): TextEvent => ({ type, itemKey, part: part?.key ?? 0, delta });
    if (part?.type === type) return yield* this.#complete(part, { text, more, out });
    if (part !== undefined) return yield* this.#unseen(text, type);
    const reported: ReportedText = { type: "reported", ...yield* this.#reported(text, type), itemKey, place };
    out.push(reported);
    return reported.scanned;
  }

  /** A text of which nothing was streamed, as if it had come in one piece. */
  *#reported(text: string, kind: TextEvent["type"]): Work<Omit<ReportedText, "type" | "itemKey" | "place">> {
    const { itemKey } = this.#options;
    const options = optionsFor(this.#options, kind);
    this.#options.read(text);
    if (isShortAndClean(text, { view: options.view, meter: cleanMeter() }) && options.isJson !== true) {
      this.#options.remember(text);
      return { kind, scanned: text, found: [], held: options.view.isEnforced ? OUTPUT_WINDOW - 1 : 0 };
    }
    const whole: TextEvent = { type: kind, itemKey, part: 0, delta: text };
    const part = new ScannedPart(whole, scannerFor(options));
    yield* part.add(whole, []);
    const tail: Events = [];
    const found = yield* part.leave(tail);
    const { scanned } = part;
    if (found.length === 0) this.#options.remember(scanned);
    return { kind, scanned, found, held: textLength(tail) };
  }

  *#complete(part: ScannedPart, { text, more, out }: Completion): Work<string> {
    const delta = text.startsWith(part.received) ? text.slice(part.received.length) : undefined;
    if (delta === undefined || (delta !== "" && part.isOver)) return yield* this.#unseen(text, part.type);
    if (delta !== "") {
      const counting = this.#options.read(delta);
      if (counting !== undefined) yield* counting;
      yield* part.add(more(delta), out);
    }
    yield* this.#end(part, out);
    return part.isChanged ? part.scanned : text;
  }

  /** A text of which nothing was streamed, or something else. */
  *#unseen(text: string, type: PartEvent["type"]): Work<string> {
    const counting = this.#options.read(text);
    if (counting !== undefined) yield* counting;
    const scanned = yield* scanWhole(text, optionsFor(this.#options, type));
    this.#options.remember(scanned);
    return scanned;
  }

  *#call(item: ToolCallItem, out: Events): Work<ToolCallItem> {
    const text = item.kind === "custom"
      ? yield* this.#customInput(item.arguments, out)
      : yield* this.#functionArguments(item.arguments || joinDeltas(this.#arguments), out);
    return item.arguments === "" || text === item.arguments ? item : { ...item, arguments: text };
  }

  *#customInput(text: string, out: Events): Work<string> {
    const { itemKey } = this.#options;
    const more = (delta: string): ArgumentsEvent => ({ type: "arguments", itemKey, delta });
    const [part] = this.#parts;
    return part === undefined
      ? yield* this.#unseen(text, "arguments")
      : yield* this.#complete(part, { text, more, out });
  }

  /** Where nothing is replaced they go on in the pieces in which they came. */
  *#functionArguments(text: string, out: Events): Work<string> {
    const { itemKey, view } = this.#options;
    const events = this.#arguments.splice(0);
    const { value: scanned, texts } = yield* scanValue(text, { shape: json, options: this.#options });
    for (const one of texts) this.#options.remember(one);
    if (!view.isEnforced) return scanned;
    if (scanned === text) { for (const event of events) out.push(event); }
    else if (events.length > 0) out.push({ type: "arguments", itemKey, delta: scanned });
    return scanned;
  }
}

interface Completion {
  readonly text: string;
  /** The event that brings what was not streamed. */
  readonly more: (delta: string) => PartEvent;
  readonly out: Events;
}

const isSpeechKind = (kind: PartEvent["type"]) => kind === "text" || kind === "refusal";

const joinDeltas = (events: readonly ArgumentsEvent[]) => events.map(({ delta }) => delta).join("");

const isSameList = (some: readonly unknown[], others: readonly unknown[]) =>
  some.every((one, position) => one === others[position]);

/**
 * A response on its way up through content filters: its texts are held back as far as a match may reach, and what goes
 * on keeps its order and its places (promises S7).
 */

import type {
  AnnotationEvent,
  ArgumentsEvent,
  ItemDoneEvent,
  ItemEvent,
  ItemKey,
  OutputEvent,
  PassthroughEvent,
  TextEvent,
} from "../../canonical/event.ts";
import type {
  ContentPart,
  MessageItem,
  OutputItem,
  PassthroughItem,
  ReasoningItem,
  ToolCallItem,
} from "../../canonical/item.ts";
import type { ScanOptions, Work } from "../../guardrails/text_scanner.ts";
import { scanArguments, scanText, scanValue } from "../../guardrails/scan_text.ts";
import { type PartEvent, ScannedPart } from "./scanned_part.ts";

export interface ResponseScannerOptions extends ScanOptions {
  /** A text is about to be read. */
  readonly read: (text: string) => void;
  /** A text has been read: it need not be read again when it is sent back to the model. */
  readonly remember: (text: string) => void;
  /** Something cannot be read. */
  readonly skip: () => void;
}

interface OpenItem {
  readonly item: OutputItem | undefined;
  readonly parts: ScannedPart[];
  /** Arguments of a function, which are read as a whole: nobody can use a half of them. */
  readonly arguments: ArgumentsEvent[];
  /** Texts of a provider's own tools, by the kind of event in which they come. */
  readonly passthrough: Map<string, PassthroughEvent[]>;
}

type Events = OutputEvent[];

export class ResponseScanner {
  readonly #options: ResponseScannerOptions;
  readonly #items = new Map<ItemKey, OpenItem>();

  constructor(options: ResponseScannerOptions) {
    this.#options = options;
  }

  /** Throws BlockedContent. */
  *scan(batch: readonly OutputEvent[]): Work<Events> {
    const out: Events = [];
    for (const event of batch) yield* this.#event(event, out);
    return out;
  }

  *#event(event: OutputEvent, out: Events): Work<void> {
    switch (event.type) {
      case "begin":
      case "audio":
        out.push(event);
        return;
      case "item":
        return yield* this.#opened(event, out);
      case "text":
      case "refusal":
      case "thought":
      case "summary":
        return yield* this.#partEvent(event, out);
      case "arguments":
        return yield* this.#arguments(event, out);
      case "annotation":
        return yield* this.#annotation(event, out);
      case "item_done":
        return yield* this.#done(event, out);
      case "foreign":
        return yield* this.#passthrough(event, out);
      case "finish": {
        yield* this.#closeAll(out);
        const extra = yield* this.#value(event.extra);
        out.push(extra === event.extra ? event : { ...event, extra });
        return;
      }
      case "failure":
        yield* this.#closeAll(out);
        out.push(event);
        return;
      default:
        return event satisfies never;
    }
  }

  *#opened(event: ItemEvent, out: Events): Work<void> {
    const { item, itemKey } = event;
    if (!this.#items.has(itemKey)) this.#items.set(itemKey, openItem(item));
    const scanned = item.type === "foreign" ? yield* this.#passthroughItem(item) : item;
    out.push(scanned === item ? event : { ...event, item: scanned });
  }

  #itemOf(itemKey: ItemKey): OpenItem {
    const known = this.#items.get(itemKey);
    if (known !== undefined) return known;
    const open = openItem(undefined);
    this.#items.set(itemKey, open);
    return open;
  }

  *#partEvent(event: PartEvent, out: Events): Work<void> {
    const { parts } = this.#itemOf(event.itemKey);
    let part = parts.at(-1);
    if (part === undefined || !part.takes(event)) {
      if (part !== undefined) yield* this.#end(part, out);
      part = new ScannedPart(event, this.#options);
      parts.push(part);
    }
    yield* this.#add(part, event, out);
  }

  *#add(part: ScannedPart, event: PartEvent, out: Events): Work<void> {
    this.#options.read(event.delta);
    yield* part.add(event, out);
  }

  *#end(part: ScannedPart, out: Events): Work<void> {
    if (part.isOver) return;
    yield* part.end(out);
    this.#options.remember(part.scanned);
  }

  *#arguments(event: ArgumentsEvent, out: Events): Work<void> {
    const open = this.#itemOf(event.itemKey);
    if (open.item?.type === "call" && open.item.kind === "custom") return yield* this.#partEvent(event, out);
    open.arguments.push(event);
    if (!this.#options.view.isEnforced) out.push(event);
  }

  *#annotation(event: AnnotationEvent, out: Events): Work<void> {
    const annotation = yield* this.#value(event.annotation);
    const scanned = annotation === event.annotation ? event : { ...event, annotation };
    const part = this.#itemOf(event.itemKey).parts.at(-1);
    if (part === undefined || part.isOver) out.push(scanned);
    else part.annotate(scanned, out);
  }

  *#value<T>(value: T): Work<T> {
    return yield* scanValue(value, this.#options);
  }

  *#text(text: string): Work<string> {
    this.#options.read(text);
    const scanned = yield* scanText(text, this.#options);
    this.#options.remember(scanned);
    return scanned;
  }

  // The end of an item: what is held goes on, and the item is told once more as it was let through.

  *#closeAll(out: Events): Work<void> {
    for (const [itemKey, open] of [...this.#items]) {
      yield* this.#close(open, itemKey, out);
      this.#items.delete(itemKey);
    }
  }

  *#close(open: OpenItem, itemKey: ItemKey, out: Events): Work<void> {
    if (open.arguments.length > 0) {
      yield* this.#functionArguments(open, { itemKey, all: joinDeltas(open.arguments) }, out);
    }
    for (const part of open.parts) yield* this.#end(part, out);
    for (const type of [...open.passthrough.keys()]) yield* this.#releasePassthrough(open, type, out);
  }

  *#done(event: ItemDoneEvent, out: Events): Work<void> {
    const open = this.#itemOf(event.itemKey);
    const item = yield* this.#doneItem(open, event, out);
    yield* this.#close(open, event.itemKey, out);
    this.#items.delete(event.itemKey);
    out.push(item === event.item ? event : { ...event, item });
  }

  *#doneItem(open: OpenItem, { itemKey, item }: ItemDoneEvent, out: Events): Work<OutputItem | undefined> {
    switch (item?.type) {
      case "message":
        return yield* this.#message(open, { itemKey, item }, out);
      case "reasoning":
        return yield* this.#reasoning(open, { itemKey, item }, out);
      case "call":
        return yield* this.#call(open, { itemKey, item }, out);
      case "foreign":
        return yield* this.#passthroughItem(item);
      default:
        return item;
    }
  }

  *#message(open: OpenItem, { itemKey, item }: WholeItem<MessageItem>, out: Events): Work<MessageItem> {
    const parts: ContentPart[] = [];
    let position = 0;
    for (const part of item.parts) {
      if (part.type !== "text" && part.type !== "refusal") {
        this.#options.skip();
        parts.push(part);
        continue;
      }
      const streamed = open.parts[position];
      const whole = { itemKey, type: part.type, part: position++, text: part.text } as const;
      const text = yield* this.#wholePart(streamed, whole, out);
      parts.push(yield* this.#messagePart(part, { text, streamed }));
    }
    return parts.every((part, index) => part === item.parts[index]) ? item : { ...item, parts };
  }

  *#messagePart(
    part: Extract<ContentPart, { type: "text" | "refusal" }>,
    { text, streamed }: { readonly text: string; readonly streamed: ScannedPart | undefined },
  ): Work<ContentPart> {
    if (part.type === "refusal") return text === part.text ? part : { ...part, text };
    const annotations = yield* this.#value(part.annotations);
    if (text === part.text) return annotations === part.annotations ? part : { ...part, annotations };
    const shifted = annotations?.map((one) => streamed?.shifted(one) ?? one);
    return { ...part, text, annotations: shifted, logprobs: undefined };
  }

  *#reasoning(open: OpenItem, { itemKey, item }: WholeItem<ReasoningItem>, out: Events): Work<ReasoningItem> {
    if (item.encrypted !== undefined) this.#options.skip();
    const thoughts = open.parts.filter(({ type }) => type === "thought");
    const summaries = open.parts.filter(({ type }) => type === "summary");
    const content: string[] = [];
    for (const [part, text] of item.content.entries()) {
      content.push(yield* this.#wholePart(thoughts[part], { itemKey, type: "thought", part, text }, out));
    }
    const summary: string[] = [];
    for (const [part, text] of item.summary.entries()) {
      summary.push(yield* this.#wholePart(summaries[part], { itemKey, type: "summary", part, text }, out));
    }
    const isSame = isSameList(content, item.content) && isSameList(summary, item.summary);
    return isSame ? item : { ...item, content, summary };
  }

  /** A text that is told as a whole once more: what it adds to what was streamed is streamed first. */
  *#wholePart(part: ScannedPart | undefined, { text, ...source }: WholePart, out: Events): Work<string> {
    if (part?.type !== source.type || !text.startsWith(part.received)) return yield* this.#text(text);
    const delta = text.slice(part.received.length);
    if (delta !== "") {
      if (part.isOver) return yield* this.#text(text);
      yield* this.#add(part, { ...source, part: part.key, delta }, out);
    }
    yield* this.#end(part, out);
    return part.isChanged ? part.scanned : text;
  }

  *#call(open: OpenItem, { itemKey, item }: WholeItem<ToolCallItem>, out: Events): Work<ToolCallItem> {
    const text = item.kind === "custom"
      ? yield* this.#wholeInput(open.parts[0], { itemKey, all: item.arguments }, out)
      : yield* this.#functionArguments(
        open,
        { itemKey, all: item.arguments || joinDeltas(open.arguments) },
        out,
      );
    return item.arguments === "" || text === item.arguments ? item : { ...item, arguments: text };
  }

  *#wholeInput(part: ScannedPart | undefined, { itemKey, all }: WholeArguments, out: Events): Work<string> {
    if (part === undefined || !all.startsWith(part.received)) return yield* this.#text(all);
    const delta = all.slice(part.received.length);
    if (delta !== "") {
      if (part.isOver) return yield* this.#text(all);
      yield* this.#add(part, { type: "arguments", itemKey, delta }, out);
    }
    yield* this.#end(part, out);
    return part.isChanged ? part.scanned : all;
  }

  /** Held until they are whole. Where nothing is replaced they go on in the pieces in which they came. */
  *#functionArguments(open: OpenItem, { itemKey, all }: WholeArguments, out: Events): Work<string> {
    const events = open.arguments.splice(0);
    this.#options.read(all);
    const scanned = yield* scanArguments(all, this.#options);
    this.#options.remember(scanned);
    if (!this.#options.view.isEnforced) return scanned;
    if (scanned === all) { for (const event of events) out.push(event); }
    else if (events.length > 0) out.push({ type: "arguments", itemKey, delta: scanned });
    return scanned;
  }

  // Events and items that only the provider's wire knows.

  *#passthroughItem(item: PassthroughItem): Work<PassthroughItem> {
    const { value, textFallback } = item;
    const scanned = yield* this.#value({ value, textFallback });
    return scanned.value === value && scanned.textFallback === textFallback ? item : { ...item, ...scanned };
  }

  /** Texts in pieces are held until something else comes of their item. */
  *#passthrough(event: PassthroughEvent, out: Events): Work<void> {
    const { itemKey, value } = event;
    if (value.type.endsWith("audio.delta")) {
      out.push(event);
      return;
    }
    const open = itemKey === undefined ? undefined : this.#itemOf(itemKey);
    if (open !== undefined && typeof value.delta === "string") {
      const events = open.passthrough.get(value.type);
      if (events === undefined) open.passthrough.set(value.type, [event]);
      else events.push(event);
      if (!this.#options.view.isEnforced) out.push(event);
      return;
    }
    if (open !== undefined) {
      for (const type of [...open.passthrough.keys()]) yield* this.#releasePassthrough(open, type, out);
    }
    const scanned = yield* this.#value(value);
    out.push(scanned === value ? event : { ...event, value: scanned });
  }

  *#releasePassthrough({ passthrough }: OpenItem, type: string, out: Events): Work<void> {
    const events = passthrough.get(type) ?? [];
    passthrough.delete(type);
    const text = events.map(({ value }) => String(value.delta)).join("");
    this.#options.read(text);
    const scanned = yield* scanArguments(text, this.#options);
    if (!this.#options.view.isEnforced) return;
    const [first] = events;
    if (scanned === text || first === undefined) { for (const event of events) out.push(event); }
    else out.push({ ...first, value: { ...first.value, delta: scanned } });
  }
}

/** An item as its provider tells it once more at its end. */
interface WholeItem<Item> {
  readonly itemKey: ItemKey;
  readonly item: Item;
}

interface WholePart extends Pick<TextEvent, "itemKey" | "type" | "part"> {
  readonly text: string;
}

interface WholeArguments {
  readonly itemKey: ItemKey;
  readonly all: string;
}

const openItem = (item: OutputItem | undefined): OpenItem => ({
  item,
  parts: [],
  arguments: [],
  passthrough: new Map(),
});

const joinDeltas = (events: readonly ArgumentsEvent[]) => events.map(({ delta }) => delta).join("");

const isSameList = (some: readonly string[], others: readonly string[]) =>
  some.every((text, position) => text === others[position]);

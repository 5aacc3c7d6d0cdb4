/**
 * A response on its way up through content filters: its texts are held back as far as a match may reach, and what goes
 * on keeps its order and its places (promises S7).
 */

import type {
  ItemEvent,
  ItemKey,
  OutputEvent,
  PassthroughEvent,
} from "../../../../protocols/canonical/event.ts";
import type { OutputItem } from "../../../../protocols/canonical/item.ts";
import type { Work } from "../../../../../shared/util/run_work.ts";
import { scanValue } from "../../../guardrails/scanners/scan_slots.ts";
import { eventShapes } from "../../../guardrails/text_slots/event_shapes.ts";
import type { Shape } from "../../../guardrails/text_slots/shape.ts";
import { ItemScanner } from "./item_scanner.ts";
import { type ItemScannerOptions, optionsFor } from "./item_scanner_options.ts";
import { isOutputEvent, type SaidEvent, type SaidEvents } from "./said_event.ts";
import { TextJoiner } from "./text_joiner.ts";

type Events = SaidEvents;

export class ResponseScanner {
  readonly #options: ItemScannerOptions;
  readonly #items = new Map<ItemKey, ItemScanner>();
  readonly #joiners: readonly TextJoiner[];

  constructor(options: ItemScannerOptions) {
    this.#options = options;
    const text = optionsFor(options, "text");
    this.#joiners = [
      new TextJoiner({ ...options, kinds: ["thought"], holdsOthers: false }),
      new TextJoiner({ ...options, kinds: ["summary"], holdsOthers: false }),
      new TextJoiner({ ...text, kinds: ["text", "refusal"], holdsOthers: true }),
    ];
  }

  /** Throws BlockedContent. */
  *scan(batch: readonly OutputEvent[]): Work<OutputEvent[]> {
    const out: Events = [];
    for (const event of batch) yield* this.#event(event, out);
    let joined: readonly SaidEvent[] = out;
    for (const joiner of this.#joiners) {
      if (joiner.concerns(joined)) joined = yield* joiner.pass(joined);
    }
    return joined.filter(isOutputEvent);
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
        return yield* this.#itemOf(event.itemKey).text(event, out);
      case "arguments":
        return yield* this.#itemOf(event.itemKey).arguments(event, out);
      case "annotation":
        return yield* this.#itemOf(event.itemKey).annotation(event, out);
      case "item_done":
        yield* this.#itemOf(event.itemKey).done(event, out);
        this.#items.delete(event.itemKey);
        return;
      case "foreign":
        return yield* this.#passthrough(event, out);
      case "finish": {
        yield* this.#closeAll(out);
        out.push(yield* this.#whole(event, eventShapes.finish));
        return;
      }
      case "failure":
        yield* this.#closeAll(out);
        out.push(yield* this.#whole(event, eventShapes.failure));
        return;
      default:
        return event satisfies never;
    }
  }

  *#opened(event: ItemEvent, out: Events): Work<void> {
    const { item, itemKey } = event;
    if (!this.#items.has(itemKey)) this.#open(itemKey, item);
    out.push(yield* this.#whole(event, eventShapes.item));
  }

  #open(itemKey: ItemKey, item?: OutputItem): ItemScanner {
    const scanner = new ItemScanner({ ...this.#options, itemKey, item });
    this.#items.set(itemKey, scanner);
    return scanner;
  }

  #itemOf(itemKey: ItemKey): ItemScanner {
    return this.#items.get(itemKey) ?? this.#open(itemKey);
  }

  *#passthrough(event: PassthroughEvent, out: Events): Work<void> {
    // Sound is no text, although it stands in one.
    if (event.value.type.endsWith("audio.delta")) out.push(event);
    else if (event.itemKey !== undefined) yield* this.#itemOf(event.itemKey).passthrough(event, out);
    else {
      out.push(yield* this.#whole(event, eventShapes.foreign));
    }
  }

  /** Scans a response that comes at once. */
  *#whole<E extends OutputEvent>(event: E, shape: Shape): Work<E> {
    return (yield* scanValue(event, { shape, options: this.#options })).value;
  }

  /** Items that the provider leaves open end with the response. */
  *#closeAll(out: Events): Work<void> {
    for (const item of this.#items.values()) yield* item.close(out);
    this.#items.clear();
  }
}

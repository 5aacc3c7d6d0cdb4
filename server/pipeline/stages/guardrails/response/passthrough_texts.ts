/** Texts of a provider's own tools that come in pieces: they are held until something else comes of their item. */

import type { PassthroughEvent } from "../../../../protocols/canonical/event.ts";
import { scanValue, type SlotScanOptions } from "../../../guardrails/scanners/scan_slots.ts";
import type { Work } from "../../../../../shared/util/run_work.ts";
import { eventShapes } from "../../../guardrails/text_slots/event_shapes.ts";
import { json } from "../../../guardrails/text_slots/shape.ts";
import type { SaidEvents } from "./said_event.ts";

export class PassthroughTexts {
  readonly #options: SlotScanOptions;
  /** By the kind of event in which they come. */
  readonly #pieces = new Map<string, PassthroughEvent[]>();

  constructor(options: SlotScanOptions) {
    this.#options = options;
  }

  /** Throws BlockedContent. */
  *add(event: PassthroughEvent, out: SaidEvents): Work<void> {
    const { delta, ...others } = event.value;
    if (typeof delta !== "string") {
      yield* this.release(out);
      out.push(yield* this.#scan(event));
      return;
    }
    const besides = { ...event, value: others };
    const scanned = yield* this.#scan(besides);
    const piece = scanned === besides ? event : { ...scanned, value: { ...scanned.value, delta } };
    const pieces = this.#pieces.get(event.value.type);
    if (pieces === undefined) this.#pieces.set(event.value.type, [piece]);
    else pieces.push(piece);
    if (!this.#options.view.isEnforced) out.push(piece);
  }

  *#scan(event: PassthroughEvent): Work<PassthroughEvent> {
    return (yield* scanValue(event, { shape: eventShapes.foreign, options: this.#options })).value;
  }

  /** Throws BlockedContent. */
  *release(out: SaidEvents): Work<void> {
    const held = [...this.#pieces.values()];
    this.#pieces.clear();
    for (const events of held) yield* this.#releaseText(events, out);
  }

  *#releaseText(events: readonly PassthroughEvent[], out: SaidEvents): Work<void> {
    const [first] = events;
    const text = events.map(({ value }) => String(value.delta)).join("");
    const { value: scanned } = yield* scanValue(text, { shape: json, options: this.#options });
    if (!this.#options.view.isEnforced) return;
    if (scanned === text || first === undefined) { for (const event of events) out.push(event); }
    else out.push({ ...first, value: { ...first.value, delta: scanned } });
  }
}

/** Texts of a provider's own tools that come in pieces: they are held until something else comes of their item. */

import type { OutputEvent, PassthroughEvent } from "../../canonical/event.ts";
import { scanArguments, scanValue } from "../../guardrails/scan_text.ts";
import type { ScanOptions, Work } from "../../guardrails/text_scanner.ts";

export interface PassthroughOptions extends ScanOptions {
  /** A text is about to be read. */
  readonly read: (text: string) => void;
}

export class PassthroughTexts {
  readonly #options: PassthroughOptions;
  /** By the kind of event in which they come. */
  readonly #pieces = new Map<string, PassthroughEvent[]>();

  constructor(options: PassthroughOptions) {
    this.#options = options;
  }

  /** Throws BlockedContent. */
  *add(event: PassthroughEvent, out: OutputEvent[]): Work<void> {
    const { value } = event;
    if (typeof value.delta === "string") {
      const pieces = this.#pieces.get(value.type);
      if (pieces === undefined) this.#pieces.set(value.type, [event]);
      else pieces.push(event);
      if (!this.#options.view.isEnforced) out.push(event);
      return;
    }
    yield* this.release(out);
    const scanned = yield* scanValue(value, this.#options);
    out.push(scanned === value ? event : { ...event, value: scanned });
  }

  /** Throws BlockedContent. */
  *release(out: OutputEvent[]): Work<void> {
    const held = [...this.#pieces.values()];
    this.#pieces.clear();
    for (const events of held) yield* this.#releaseText(events, out);
  }

  *#releaseText(events: readonly PassthroughEvent[], out: OutputEvent[]): Work<void> {
    const [first] = events;
    const text = events.map(({ value }) => String(value.delta)).join("");
    this.#options.read(text);
    const scanned = yield* scanArguments(text, this.#options);
    if (!this.#options.view.isEnforced) return;
    if (scanned === text || first === undefined) { for (const event of events) out.push(event); }
    else out.push({ ...first, value: { ...first.value, delta: scanned } });
  }
}

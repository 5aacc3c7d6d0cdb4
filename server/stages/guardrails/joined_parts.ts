/** Texts of a message that a client reads as one: what is found only over the border of two parts. */

import type { OutputEvent } from "../../canonical/event.ts";
import type { TextMatch } from "../../guardrails/text_filter.ts";
import { TextScanner } from "../../guardrails/text_scanner.ts";
import type { Work } from "../../../shared/util/run_work.ts";
import type { ScanOptions } from "../../guardrails/scan_options.ts";
import { type PartEvent, ScannedPart } from "./scanned_part.ts";

type Events = OutputEvent[];

/** Text before a border in which a match may begin (code units). */
const REACH = 2_048;

export class JoinedParts {
  readonly #options: ScanOptions;
  /** The end of one part and the beginning of the next, while a match may reach over their border. */
  #joint: ScannedPart | undefined;
  #borders: number[] = [];

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** A part has ended, with `tail` as its last events, and the next one begins. Throws BlockedContent. */
  *border(ended: ScannedPart, { tail, out }: { readonly tail: Events; readonly out: Events }): Work<void> {
    if (this.#joint === undefined) {
      const held = tail.reduce((sum, event) => sum + (isText(event) ? event.delta.length : 0), 0);
      const before = ended.scanned.slice(0, ended.scanned.length - held).slice(-REACH);
      const accepts = (_: unknown, { start, end }: TextMatch) =>
        this.#borders.some((border) => start < border && border < end);
      this.#borders = [];
      const first: PartEvent = { type: "text", itemKey: 0, part: ended.key, delta: "" };
      this.#joint = new ScannedPart(first, new TextScanner({ ...this.#options, accepts }), { before });
    }
    const joint = this.#joint;
    // Its border is known before its text is read.
    const { length } = joint.received;
    this.#borders.push(tail.reduce((sum, event) => sum + (isText(event) ? event.delta.length : 0), length));
    for (const event of tail) yield* this.#add(joint, { event, out });
  }

  /** Events of a part as they have come through its own filters. Throws BlockedContent. */
  *pass(events: Events, out: Events): Work<void> {
    for (const event of events) {
      const joint = this.#joint;
      if (joint === undefined) out.push(event);
      else {
        yield* this.#add(joint, { event, out });
        if (joint.isPast(this.#borders.at(-1) ?? 0)) yield* this.end(out);
      }
    }
  }

  /** Nothing more comes. Throws BlockedContent. */
  *end(out: Events): Work<void> {
    const joint = this.#joint;
    this.#joint = undefined;
    if (joint !== undefined) yield* joint.end(out);
  }

  *#add(
    joint: ScannedPart,
    { event, out }: { readonly event: OutputEvent; readonly out: Events },
  ): Work<void> {
    if (isText(event)) yield* joint.add(event, out);
    else if (event.type === "annotation") joint.annotate(event, out);
    else out.push(event);
  }
}

const isText = (event: OutputEvent): event is PartEvent => event.type === "text";

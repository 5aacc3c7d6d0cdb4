/**
 * Texts of a response that a client reads as one, in one message or over several: what is found only over the border of
 * two. The end of a text is held, and what comes behind it, until it is known whether a match goes on in the next one.
 */

import type { TextEvent } from "../../../../protocols/canonical/event.ts";
import type { ReplacedMatch } from "../../../guardrails/replaced_matches.ts";
import type { ScanOptions } from "../../../guardrails/scanners/scan_options.ts";
import type { TextMatch } from "../../../guardrails/text_filter.ts";
import { TextScanner } from "../../../guardrails/scanners/text_scanner.ts";
import type { Work } from "../../../../../shared/util/run_work.ts";
import { ChangedTexts, type Stretch } from "../changed_texts.ts";
import {
  type BegunText,
  type EndedText,
  isOutputEvent,
  isTextEvent,
  type ReportedText,
  type SaidEvent,
  type SaidEvents,
  textLength,
} from "./said_event.ts";
import { ScannedPart } from "./scanned_part.ts";
import { type Border, borderBehind, isOver, movedBy, reachOf } from "./text_borders.ts";

/** Text before a border in which a match may begin (code units). */
const REACH = 2_048;
/** Read at once of a reported text. */
const SLICE = 16 * 1024;

interface JoinerOptions extends ScanOptions {
  /** Texts of these kinds are one to their reader. */
  readonly kinds: readonly TextEvent["type"][];
  /** Whether an end is held while other texts come. */
  readonly holdsOthers: boolean;
  /** Ends of the last texts of earlier responses, which the client reads together with this one. */
  readonly spoken?: SpokenTexts;
}

/** By the first kind of a joiner. */
export type SpokenTexts = Map<TextEvent["type"] | undefined, string>;

/** A text of the response. In the joiner its events have its number in the place of the provider's. */
interface JoinedText extends Pick<BegunText, "kind" | "itemKey" | "place"> {
  readonly number: number;
  /** The provider's number. */
  part: number;
  /** Whether no client gets its events: its item tells it. */
  readonly isReported: boolean;
  /** Where what runs through a joint next stands in it. */
  offset: number;
  /** The stretch of it that runs through the joint that is open. */
  stretch?: Stretch;
}

/** A text that has ended, as it goes on, and how much of it is held. */
interface LastText {
  readonly scanned: string;
  readonly held: number;
}

/** The end of one text and the beginning of the next. */
interface Joint {
  readonly scanner: TextScanner;
  readonly part: ScannedPart;
  readonly borders: Border[];
}

export class TextJoiner {
  readonly #options: JoinerOptions;
  readonly #texts: JoinedText[] = [];
  readonly #changed = new ChangedTexts();
  /** The text whose pieces come. */
  #current: JoinedText | undefined;
  /** The one before, and how much of it is held. */
  #last: LastText | undefined;
  #held: SaidEvents = [];
  #joint: Joint | undefined;

  constructor(options: JoinerOptions) {
    this.#options = options;
    const { spoken, kinds } = options;
    const scanned = spoken?.get(kinds[0]);
    if (scanned !== undefined) this.#last = { scanned, held: 0 };
  }

  /** False where the events go on as they are. */
  concerns(events: readonly SaidEvent[]): boolean {
    return this.#joint !== undefined || this.#held.length > 0 || events.some(isTurn);
  }

  /** Throws BlockedContent. */
  *pass(events: readonly SaidEvent[]): Work<readonly SaidEvent[]> {
    const out: SaidEvents = [];
    for (const event of events) {
      if (!this.#isOwn(event)) yield* this.#other(event, out);
      else if (event.type === "begun") yield* this.#begin(event, out);
      else if (event.type === "ended") yield* this.#end(event, out);
      else if (event.type === "reported") yield* this.#report(event, out);
      else yield* this.#text(event, out);
    }
    return out;
  }

  #isOwn(event: SaidEvent): event is TextEvent | BegunText | EndedText | ReportedText {
    const kind = "kind" in event ? event.kind : event.type;
    return this.#options.kinds.some((one) => one === kind) && (isTextEvent(event) || "kind" in event);
  }

  *#begin(event: BegunText | ReportedText, out: SaidEvents): Work<void> {
    // Joiners of other kinds have to know that another text comes.
    out.push(event);
    // Items that come at the same time are told one after the other: what stands behind what is not known yet.
    if (this.#current !== undefined) yield* this.#release(out, undefined);
    const number = this.#texts.length;
    const { type, kind, itemKey, place } = event;
    const isReported = type === "reported";
    this.#current = { kind, itemKey, place, number, part: 0, isReported, offset: 0 };
    this.#texts.push(this.#current);
    if (this.#joint === undefined && this.#last !== undefined) yield* this.#open(this.#last, { out });
    if (this.#joint !== undefined) this.#joint.borders.push(borderBehind(this.#joint.part.received));
  }

  *#open(
    { scanned, held }: LastText,
    { found = [], out }: Partial<Pick<Ending, "found">> & Pick<Ending, "out">,
  ): Work<void> {
    const before = scanned.slice(0, scanned.length - held).slice(-REACH);
    const borders: Border[] = [];
    const accepts = (_: unknown, match: TextMatch) => borders.some((border) => isOver(border, match));
    const scanner = new TextScanner({ ...this.#options, accepts });
    const first: TextEvent = { type: "text", itemKey: 0, part: 0, delta: "" };
    this.#joint = { scanner, part: new ScannedPart(first, scanner, { before }), borders };
    scanner.expect(found.map((match) => movedBy(before.length, match)));
    for (const event of this.#held.splice(0)) yield* this.#feed(event, { joint: this.#joint, out });
  }

  *#text(event: TextEvent, out: SaidEvents): Work<void> {
    const text = this.#current;
    if (text?.itemKey !== event.itemKey) {
      yield* this.#release(out, undefined);
      out.push(event);
      return;
    }
    text.part = event.part;
    if (this.#joint !== undefined) {
      yield* this.#feed({ ...event, part: text.number }, { joint: this.#joint, out });
      yield* this.#closePast(out);
      return;
    }
    out.push(event);
  }

  *#end({ itemKey, scanned, tail, found }: EndedText, out: SaidEvents): Work<void> {
    const text = this.#texts.findLast((one) => one.itemKey === itemKey);
    if (text === undefined) return;
    const isMixed = text !== this.#current;
    if (isMixed) yield* this.#release(out, undefined);
    else this.#current = undefined;
    const held = tail.map((event) => this.#numbered(event, text));
    yield* this.#hold(held, { text, scanned, found, out });
    if (isMixed) yield* this.#release(out, undefined);
  }

  /** The last events of a text, which the next one may go on with. */
  *#hold(
    tail: readonly SaidEvent[],
    { text, scanned, found, out }: Ending,
  ): Work<void> {
    const held = textLength(tail);
    text.offset = scanned.length - held;
    const joint = this.#joint;
    if (joint !== undefined) {
      joint.scanner.expect(found.map((match) => movedBy(joint.part.received.length, match)));
      for (const event of tail) yield* this.#feed(event, { joint, out });
    } else if (held > 0) this.#held = [...tail];
    else for (const event of tail) this.#emit(event, out);
    if (scanned !== "") this.#last = { scanned, held: joint === undefined ? held : 0 };
    if (joint === undefined && found.length > 0) yield* this.#open({ scanned, held }, { found, out });
  }

  #numbered(event: SaidEvent, text: JoinedText): SaidEvent {
    if (!isTextEvent(event)) return event;
    text.part = event.part;
    return { ...event, part: text.number };
  }

  /** The same for a text that its item alone tells. */
  *#report(event: ReportedText, out: SaidEvents): Work<void> {
    const { scanned, kind: type, itemKey, found } = event;
    if (scanned === "") return;
    yield* this.#begin(event, out);
    const text = this.#current;
    this.#current = undefined;
    if (text === undefined) return;
    const piece = (from: number, to: number): TextEvent => ({
      type,
      itemKey,
      part: text.number,
      delta: scanned.slice(from, to),
    });
    const held = Math.max(0, scanned.length - event.held);
    for (let from = 0; this.#joint !== undefined && from < held; from += SLICE) {
      yield* this.#feed(piece(from, Math.min(from + SLICE, held)), { joint: this.#joint, out });
      yield* this.#closePast(out);
    }
    const tail = held < scanned.length ? [piece(held, scanned.length)] : [];
    yield* this.#hold(tail, { text, scanned, found, out });
  }

  *#other(event: SaidEvent, out: SaidEvents): Work<void> {
    const isEnd = event.type === "finish" || event.type === "failure";
    if (isEnd) yield* this.#finish(out);
    else if (!this.#options.holdsOthers && !isOfItem(event)) {
      yield* this.#release(out, this.#last && { ...this.#last, held: 0 });
    }
    if (this.#joint !== undefined) yield* this.#feed(event, { joint: this.#joint, out });
    else if (this.#held.length > 0) this.#held.push(event);
    else this.#emit(event, out);
  }

  *#finish(out: SaidEvents): Work<void> {
    const { spoken, kinds } = this.#options;
    if (this.#last !== undefined) spoken?.set(kinds[0], this.#last.scanned.slice(-REACH));
    yield* this.#release(out, undefined);
  }

  *#feed(
    event: SaidEvent,
    { joint: { part }, out }: { readonly joint: Joint; readonly out: SaidEvents },
  ): Work<void> {
    const passed: SaidEvents = [];
    const text = this.#textOf(event);
    if (text !== undefined && isTextEvent(event)) {
      this.#stretchOf(text).before += event.delta;
      text.offset += event.delta.length;
      yield* part.add(event, passed);
    } else part.follow(event, passed);
    for (const one of passed) this.#emit(one, out);
  }

  #stretchOf(text: JoinedText): Stretch {
    const { itemKey, kind, place, offset } = text;
    text.stretch ??= this.#changed.add(itemKey, { kind, place, offset, before: "", after: "" });
    return text.stretch;
  }

  #textOf(event: SaidEvent): JoinedText | undefined {
    return isTextEvent(event) && this.#isOwn(event) ? this.#texts[event.part] : undefined;
  }

  /** Passes an event on, with the part number that its reader knows. */
  #emit(event: SaidEvent, out: SaidEvents): void {
    const text = this.#textOf(event);
    if (text === undefined || !isTextEvent(event)) {
      out.push(event.type === "item_done" ? this.#changed.complete(event) : event);
      return;
    }
    if (text.stretch !== undefined) text.stretch.after += event.delta;
    if (!text.isReported) out.push({ ...event, part: text.part });
  }

  /** Nothing that begins before the last border can be found any more. */
  *#closePast(out: SaidEvents): Work<void> {
    const { scanner, borders } = this.#joint ?? {};
    const last = borders?.at(-1);
    if (scanner === undefined || scanner.decided < reachOf(last) || !scanner.isSettled) return;
    yield* this.#release(out, undefined);
  }

  /** Nothing more is held. `last` is what the next text may go on with. */
  *#release(out: SaidEvents, last: LastText | undefined): Work<void> {
    const joint = this.#joint;
    this.#joint = undefined;
    this.#last = last;
    if (joint !== undefined) {
      const passed: SaidEvents = [];
      yield* joint.part.end(passed);
      for (const event of passed) this.#emit(event, out);
      for (const text of this.#texts) text.stretch = undefined;
    }
    for (const event of this.#held.splice(0)) this.#emit(event, out);
  }
}

interface Ending {
  readonly text: JoinedText;
  readonly scanned: string;
  /** Matches that are to be replaced in the text that is held. */
  readonly found: readonly ReplacedMatch[];
  readonly out: SaidEvents;
}

const isTurn = (event: SaidEvent): boolean =>
  !isOutputEvent(event) || event.type === "item_done" || event.type === "finish" || event.type === "failure";

/** Where an item begins and ends, and what is cited. */
const isOfItem = ({ type }: SaidEvent): boolean =>
  type === "begin" || type === "item" || type === "item_done" || type === "annotation";

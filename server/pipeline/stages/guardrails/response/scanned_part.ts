/** One text of a response while it comes: the events that brought it, and those in which it goes on. */

import type { AnnotationEvent, ArgumentsEvent, TextEvent } from "../../../../protocols/canonical/event.ts";
import type { Annotation, Logprob } from "../../../../protocols/canonical/item.ts";
import type { Scanner } from "../../../guardrails/scanners/json_scanner.ts";
import type { ReplacedMatch } from "../../../guardrails/replaced_matches.ts";
import type { ScannedPiece } from "../../../guardrails/scanners/text_scanner.ts";
import { runNow, type Work } from "../../../../../shared/util/run_work.ts";
import { isTextEvent, type SaidEvent, type SaidEvents } from "./said_event.ts";

/** An event that brings a piece of a text. */
export type PartEvent = TextEvent | ArgumentsEvent;

/** An event and the stretch of the text that it brought; others stand behind a text. */
interface QueuedEvent {
  readonly event: SaidEvent;
  readonly start: number;
  readonly end: number;
  /** It cites places in the text. */
  readonly isCitation?: boolean;
}

/** A stretch of the text that a placeholder of so many code units stands for. */
interface Replacement {
  readonly start: number;
  end: number;
  readonly length: number;
}

export class ScannedPart {
  readonly type: PartEvent["type"];
  /** The provider's number of the part. */
  readonly key: number;
  readonly #scanner: Scanner;
  readonly #queue: QueuedEvent[] = [];
  readonly #replacements: Replacement[] = [];
  #received = "";
  #scanned = "";
  #isOver = false;
  /** Up to here the text has gone on or was replaced. */
  #position = 0;
  /** From here to `#position` nothing was replaced. */
  #unbroken = 0;
  /** Something is replaced: other tokens that were likely may say it as well. */
  #dropsAlternatives = false;

  /** `before` is text that has gone on, in which matches may begin. */
  constructor(first: PartEvent, scanner: Scanner, { before = "" }: { readonly before?: string } = {}) {
    this.type = first.type;
    this.key = first.type === "arguments" ? 0 : first.part;
    this.#scanner = scanner;
    if (before === "") return;
    runNow(scanner.scanLong(before, false));
    this.#received = before;
    this.#position = this.#unbroken = before.length;
  }

  /** Whether an event goes on with this text. */
  takes(event: PartEvent): boolean {
    const key = event.type === "arguments" ? 0 : event.part;
    return !this.#isOver && event.type === this.type && key === this.key;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** As it came. */
  get received(): string {
    return this.#received;
  }

  /** As far as it has gone on. */
  get scanned(): string {
    return this.#scanned;
  }

  get isChanged(): boolean {
    return this.#replacements.length > 0;
  }

  /** Throws BlockedContent. */
  *add(event: PartEvent, out: SaidEvents): Work<void> {
    const start = this.#received.length;
    this.#received += event.delta;
    this.#queue.push({ event, start, end: this.#received.length });
    this.#emit(yield* this.#scanner.scanLong(event.delta, false), out);
  }

  /** A citation stands behind what it cites. */
  annotate(event: AnnotationEvent, out: SaidEvents): void {
    this.#queueBehind({ event, isCitation: true }, out);
  }

  /** An event that goes on behind the text that has come. */
  follow(event: SaidEvent, out: SaidEvents): void {
    this.#queueBehind({ event }, out);
  }

  #queueBehind(event: Pick<QueuedEvent, "event" | "isCitation">, out: SaidEvents): void {
    const { length } = this.#received;
    this.#queue.push({ ...event, start: length, end: length });
    this.#emitEmpty(out);
  }

  /** Nothing more comes. Throws BlockedContent. */
  *end(out: SaidEvents): Work<void> {
    this.#emit(yield* this.#scanner.scanLong("", true), out);
    this.#isOver = true;
    this.#skipTo(this.#received.length, out);
    this.#emitEmpty(out);
  }

  /**
   * Nothing more comes. What is held goes on as it came, because another text may go on with it: what is to be replaced
   * in that. Throws BlockedContent.
   */
  *leave(out: SaidEvents): Work<readonly ReplacedMatch[]> {
    const scanner = this.#scanner;
    if (scanner.matchesAtEnd === undefined) {
      yield* this.end(out);
      return [];
    }
    const { from, found } = yield* scanner.matchesAtEnd();
    this.#isOver = true;
    this.#skipTo(from, out);
    this.#scanned += this.#received.slice(from);
    this.#emitText(this.#received.length, out);
    this.#emitEmpty(out);
    return found.map((match) => ({ ...match, start: match.start - from, end: match.end - from }));
  }

  #emit(pieces: readonly ScannedPiece[], out: SaidEvents): void {
    this.#dropsAlternatives ||= pieces.some(({ isReplaced }) => isReplaced);
    for (const piece of pieces) {
      this.#skipTo(piece.start, out);
      this.#scanned += piece.text;
      if (piece.isReplaced) this.#emitPlaceholder(piece, out);
      else this.#emitText(piece.end, out);
    }
    this.#emitEmpty(out);
  }

  /** Events without text that stand at the position. */
  #emitEmpty(out: SaidEvents): void {
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      if (next.start < next.end || next.start > this.#position) return;
      this.#queue.shift();
      out.push(this.#emptyEvent(next));
    }
  }

  #emptyEvent({ event, isCitation }: QueuedEvent): SaidEvent {
    if (event.type !== "annotation" || isCitation !== true) return event;
    const annotation = this.shifted(event.annotation);
    return annotation === event.annotation ? event : { ...event, annotation };
  }

  /** Leaves out what belongs to the last match that was replaced. */
  #skipTo(position: number, out: SaidEvents): void {
    if (position <= this.#position) return;
    const last = this.#replacements.at(-1);
    if (last !== undefined) last.end = Math.max(last.end, position);
    this.#position = position;
    this.#unbroken = position;
    for (let [next] = this.#queue; next !== undefined && next.end <= position; [next] = this.#queue) {
      this.#queue.shift();
      if (next.start === next.end) out.push(this.#emptyEvent(next));
    }
  }

  #emitPlaceholder({ start, end, text }: ScannedPiece, out: SaidEvents): void {
    this.#emitEmpty(out);
    this.#replacements.push({ start, end, length: text.length });
    const event = this.#queue[0]?.event;
    if (event === undefined || !isPartEvent(event)) return;
    const placed = { ...event, delta: text };
    out.push(placed.type === "arguments" ? placed : { ...placed, logprobs: undefined });
    this.#skipTo(end, out);
  }

  #emitText(end: number, out: SaidEvents): void {
    while (this.#position < end) {
      this.#emitEmpty(out);
      const [next] = this.#queue;
      if (next === undefined) return;
      const to = Math.min(next.end, end);
      out.push(this.#cut(next, { from: this.#position, to }));
      this.#position = to;
      if (to === next.end) this.#queue.shift();
    }
  }

  #cut({ event, start, end }: QueuedEvent, { from, to }: Stretch): SaidEvent {
    const isWhole = from === start && to === end;
    if (!isPartEvent(event)) return event;
    const delta = event.delta.slice(from - start, to - start);
    if (event.type === "arguments" || event.logprobs === undefined) {
      return isWhole ? event : { ...event, delta };
    }
    if (isWhole && !this.#dropsAlternatives) return event;
    const unbroken = Math.max(this.#unbroken, start);
    const tokens = isWhole
      ? event.logprobs
      : tokensWithin(event.logprobs, { text: event.delta, start, from, to, unbroken });
    return { ...event, delta, logprobs: this.#dropsAlternatives ? tokens.map(withoutAlternatives) : tokens };
  }

  /** A citation of a place in the text, where that place is now. */
  shifted(annotation: Annotation): Annotation {
    const { start_index: start, end_index: end } = annotation;
    if (!this.isChanged || typeof start !== "number" || typeof end !== "number") return annotation;
    return { ...annotation, start_index: this.#placeOf(start), end_index: this.#placeOf(end) };
  }

  #placeOf(position: number): number {
    let shift = 0;
    for (const { start, end, length } of this.#replacements) {
      if (position <= start) break;
      if (position < end) return start + shift + length;
      shift += length - (end - start);
    }
    return position + shift;
  }
}

const isPartEvent = (event: SaidEvent): event is PartEvent =>
  event.type === "arguments" || isTextEvent(event);

const withoutAlternatives = ({ top_logprobs: _, ...token }: Logprob): Logprob => token;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

interface TokenStretch extends Stretch {
  readonly text: string;
  readonly start: number;
  /** A token that begins before it has lost a part of its text. */
  readonly unbroken: number;
}

/** The tokens that end in a stretch and are whole; none where tokens and text do not go together. */
function tokensWithin(
  tokens: readonly Logprob[],
  { text, start, from, to, unbroken }: TokenStretch,
): readonly Logprob[] {
  const within: Logprob[] = [];
  let position = start;
  for (const token of tokens) {
    const begins = position;
    position += token.token.length;
    if (position > from && position <= to && begins >= unbroken) within.push(token);
  }
  return position - start === text.length ? within : [];
}

/** Events of a response's items, and marks for where the texts in them begin and end. */

import type { ItemKey, OutputEvent, TextEvent } from "../../../../protocols/canonical/event.ts";
import type { ReplacedMatch } from "../../../guardrails/replaced_matches.ts";

/** A text of an item. */
interface TextPlace {
  readonly kind: TextEvent["type"];
  readonly itemKey: ItemKey;
  /** Its number among the texts of a message, or among the thoughts or summaries of reasoning. */
  readonly place: number;
}

/** Its pieces follow. */
export interface BegunText extends TextPlace {
  readonly type: "begun";
}

/** Its last pieces have been held back, and may go on unless another text goes on with it. */
export interface EndedText extends Pick<TextPlace, "kind" | "itemKey"> {
  readonly type: "ended";
  /** All of it, as it goes on. */
  readonly scanned: string;
  readonly tail: readonly SaidEvent[];
  /** Matches that are to be replaced in the tail, by their places there. */
  readonly found: readonly ReplacedMatch[];
}

/** It is told in its item only. */
export interface ReportedText extends TextPlace, Pick<EndedText, "scanned" | "found"> {
  readonly type: "reported";
  /** Code units at its end that have been held back. */
  readonly held: number;
}

export type SaidEvent = OutputEvent | BegunText | EndedText | ReportedText;
export type SaidEvents = SaidEvent[];

export const isOutputEvent = (event: SaidEvent): event is OutputEvent =>
  event.type !== "begun" && event.type !== "ended" && event.type !== "reported";

export const textLength = (events: readonly SaidEvent[]): number =>
  events.reduce((sum, event) => sum + (isTextEvent(event) ? event.delta.length : 0), 0);

/** Whether it is a piece of a text that a client reads, rather than of arguments. */
export const isTextEvent = (event: SaidEvent): event is TextEvent =>
  event.type === "text" || event.type === "refusal" || event.type === "thought" || event.type === "summary";

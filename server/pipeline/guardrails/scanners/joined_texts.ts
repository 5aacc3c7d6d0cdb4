/** Parts of a message that may be read as one text: the stretches around their borders. */

import type { TextSlot } from "../text_slots/slot.ts";

/** A stretch of the text of a slot. */
export interface Segment {
  readonly slot: TextSlot;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A match over a border is looked for so far on either side of it (code units). */
export const REACH = 2_048;

/** Each run has at least one border, and between two of its borders all of the text. */
export function* joinedRuns(
  slots: readonly TextSlot[],
  textOf: (slot: TextSlot) => string,
): Generator<readonly Segment[]> {
  let run: Segment[] | undefined;
  for (const [position, slot] of slots.entries()) {
    const isJoinedToNext = slots[position + 1]?.isJoined === true;
    if (slot.isJoined !== true && !isJoinedToNext) continue;
    const text = textOf(slot);
    const isLong = text.length > 2 * REACH;
    if (run !== undefined) run.push(segmentOf(slot, { text, start: 0, end: isLong ? REACH : text.length }));
    if (run !== undefined && (isLong || !isJoinedToNext)) {
      yield run;
      run = undefined;
    }
    if (run === undefined && isJoinedToNext) {
      const start = Math.max(0, text.length - REACH);
      run = [segmentOf(slot, { text, start, end: text.length })];
    }
  }
}

const segmentOf = (
  slot: TextSlot,
  { text, start, end }: { readonly text: string; readonly start: number; readonly end: number },
): Segment => ({ slot, text: text.slice(start, end), start, end });

/** How far a destination is in each journal, and what is next in them. */

import type { JournalHead, JournalPart, JournalTail } from "../../billing/ledger/journal/journal_tail.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { DestinationState } from "./destination_rows.ts";

/** A journal that is done is forgotten when its last batch is so old. */
const OVER_MS = 7 * 86_400_000;

/** The last batch of each journal that is done, and before when those without one have ended. */
type Places = Pick<DestinationState, "cursors" | "over">;

interface Placing extends Pick<DestinationState, "cursors" | "over" | "since"> {
  readonly heads: readonly JournalHead[];
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * Places in all journals. Where nothing of one is done yet, it is sent from the moment on at which the destination was
 * switched on. One that ended long ago is forgotten once all of it is done, and so are all that ended before it: none
 * that still has something to send is among them, and none of them is begun anew.
 */
export async function placesIn(
  tail: Pick<JournalTail, "lastBefore">,
  { cursors, since, heads, now, over = Math.max(since, now - OVER_MS) }: Placing,
): Promise<Places> {
  const places = new Map(Object.entries(cursors));
  const done: JournalHead[] = [];
  let next = Math.max(over, now - OVER_MS);
  for (const head of heads) {
    const { instance, newest, endedAt = Infinity } = head;
    if (!places.has(instance) && endedAt < over) continue;
    const place = places.get(instance) ?? await tail.lastBefore(instance, since);
    places.set(instance, place);
    if (place >= newest) done.push(head);
    else next = Math.max(over, Math.min(next, endedAt));
  }
  for (const { instance, endedAt = Infinity } of done) if (endedAt < next) places.delete(instance);
  return { cursors: Object.fromEntries(places), over: next };
}

/** A part of one journal, which is sent as a whole. */
export interface Part extends JournalPart {
  readonly instance: string;
}

/** The part that is being sent, else the first that is left; undefined where all is done. Throws a StoreError. */
export async function nextPart(
  tail: Pick<JournalTail, "read">,
  { cursors, part, heads }: Pick<DestinationState, "cursors" | "part"> & Pick<Placing, "heads">,
): Promise<Part | undefined> {
  const afterOf = (instance: string) => ownValue(cursors, instance) ?? Number.MAX_SAFE_INTEGER;
  if (part !== null) {
    const { instance, to } = part;
    const read = await tail.read({ instance, after: afterOf(instance), to });
    return { receipts: [], unread: [], ...read, instance, to };
  }
  for (const { instance, newest } of heads) {
    const after = afterOf(instance);
    const read = newest > after ? await tail.read({ instance, after }) : undefined;
    if (read !== undefined) return { ...read, instance };
  }
  return undefined;
}

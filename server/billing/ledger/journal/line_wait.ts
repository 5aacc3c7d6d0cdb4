/** Waits until nothing is left to be written, and knows when that is for nothing (promises M5). */

import type { JournaledRequest } from "./journaled_request.ts";

export class LineWait {
  #next: PromiseWithResolvers<void> | undefined;

  /** Resolves when the line is empty, or is looked at again. */
  next(): Promise<void> {
    // Ends with the next look, which the journal has several times a second while anything stands in its line.
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  notify(): void {
    this.#next?.resolve();
    this.#next = undefined;
  }
}

interface HeldUpInput {
  /** The watch's time, ms. */
  readonly now: number;
  readonly failMs: number;
  readonly closeMs: number;
}

/**
 * Whether something has stood in the line for too long because its counters cannot be read: what is in the spool need
 * not be waited for any longer than the store is given.
 */
export function isHeldUp(
  line: readonly JournaledRequest[],
  { now, failMs, closeMs }: HeldUpInput,
): boolean {
  return line.some(({ heldUpSince, spooled }) =>
    heldUpSince !== undefined && now - heldUpSince >= (spooled ? failMs : closeMs)
  );
}

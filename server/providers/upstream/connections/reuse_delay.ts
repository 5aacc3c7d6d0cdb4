/** The time in which a response too many would come, before a connection carries another request. */

import type { Cancel, Clock } from "../../../runtime.ts";
import type { Idle } from "./connection_lists.ts";
import { TwoTurnsLater } from "../event_loop_turns.ts";

/** Providers were seen to send a response too many up to 20 ms late; a busy machine brings it later. */
export const REUSE_DELAY_MS = 100;

/**
 * Hands connections on that are still unused {@link REUSE_DELAY_MS} and two turns of the event loop after they were:
 * a process that was held still must first read what came meanwhile.
 */
export class ReuseDelay {
  readonly #clock: Clock;
  readonly #turns: TwoTurnsLater<Idle>;
  /** The longest unused one first; some are used again by now. */
  #waiting: Idle[] = [];
  #cancel: Cancel | undefined;

  constructor(clock: Clock, run: (idle: Idle) => void) {
    this.#clock = clock;
    this.#turns = new TwoTurnsLater((idle) => idle.state === "delayed" && run(idle));
  }

  add(idle: Idle): void {
    this.#waiting.push(idle);
    this.#cancel ??= this.#clock.after(REUSE_DELAY_MS, this.#due);
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
    this.#cancel?.();
    this.#cancel = undefined;
    this.#turns.clear();
  }

  readonly #due = (): void => {
    const now = this.#clock.monotonic();
    const early = this.#waiting.findIndex(({ since }) => since + REUSE_DELAY_MS > now);
    const due = this.#waiting.splice(0, early === -1 ? this.#waiting.length : early);
    const [next] = this.#waiting;
    this.#cancel = next && this.#clock.after(next.since + REUSE_DELAY_MS - now, this.#due);
    for (const idle of due) {
      if (idle.state !== "gone") this.#turns.add(idle);
    }
  };
}

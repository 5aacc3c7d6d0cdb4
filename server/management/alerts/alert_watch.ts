/** Looks now and then for what there is an alert of, by what the store has: a restart loses nothing of a period. */

import type { ManagementDeps } from "../core/management_deps.ts";
import type { AlertBook, AlertOccasion } from "./alert_book.ts";

/** Between two looks; limits of many keys are compared less often (`LimitStandings`). */
export const LOOK_MS = 15_000;
/** Rows that are over are removed this often. */
const TIDY_MS = 3_600_000;
/** Occasions between two pauses. */
const SLICE = 10;

/** Everything that there is an alert of at a moment (ms since the epoch), also what was raised before. */
export type AlertSource = (now: number) => AsyncIterable<AlertOccasion>;

interface AlertWatchDeps extends Pick<ManagementDeps, "runtime" | "pause"> {
  readonly book: AlertBook;
  readonly sources: readonly AlertSource[];
  /** Whether alerts are sent anywhere; else none are raised. */
  readonly isOn: () => boolean;
}

export class AlertWatch {
  readonly #deps: AlertWatchDeps;
  #tidyAt = 0;

  constructor(deps: AlertWatchDeps) {
    this.#deps = deps;
  }

  /** Rejects with the signal's reason. A source that fails is told of in the log, and looked at again the next time. */
  async look(signal: AbortSignal): Promise<void> {
    const { book, sources, isOn, runtime: { clock, log } } = this.#deps;
    if (!isOn()) return;
    const now = clock.now();
    for (const source of sources) {
      try {
        await this.#raise(source(now), { now, signal });
      } catch (error) {
        signal.throwIfAborted();
        log.warn("Cannot look for alerts; trying again", { error: String(error) });
      }
    }
    if (now < this.#tidyAt) return;
    this.#tidyAt = now + TIDY_MS;
    await book.tidy(now);
  }

  async #raise(
    occasions: AsyncIterable<AlertOccasion>,
    { now, signal }: { readonly now: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { book, pause } = this.#deps;
    let seen = 0;
    for await (const occasion of occasions) {
      signal.throwIfAborted();
      await book.raise(occasion, now);
      if (++seen % SLICE === 0) await pause();
    }
  }
}

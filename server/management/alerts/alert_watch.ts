/** Looks now and then for what there is an alert of, by what the store has: a restart loses nothing of a period. */

import { bucketNamesAt } from "../../billing/ledger/core/counters/bucket_names.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { LimitStandings } from "../status/limit_standings.ts";
import type { AlertBook, AlertOccasion } from "./alert_book.ts";
import { creditOccasions, expiryOccasion, isCrossed, limitOccasions } from "./limit_alerts.ts";

/** Between two looks; limits of many keys are compared less often (`LimitStandings`). */
export const LOOK_MS = 15_000;
/** Rows that are over are removed this often. */
const TIDY_MS = 3_600_000;

interface AlertWatchDeps extends Pick<ManagementDeps, "store" | "ledger" | "runtime" | "pause"> {
  readonly book: AlertBook;
  /** Whether alerts are sent anywhere; else none are raised. */
  readonly isOn: () => boolean;
}

export class AlertWatch {
  readonly #deps: AlertWatchDeps;
  readonly #standings: LimitStandings;
  #tidyAt = 0;

  constructor(deps: AlertWatchDeps) {
    this.#deps = deps;
    this.#standings = new LimitStandings({ ...deps, keeps: isCrossed });
  }

  /** Rejects with a StoreError, or with the signal's reason: the next look begins anew. */
  async look(signal: AbortSignal): Promise<void> {
    const { book, isOn, runtime: { clock } } = this.#deps;
    if (!isOn()) return;
    const now = clock.now();
    for (const occasion of await this.#occasions(now)) {
      signal.throwIfAborted();
      await book.raise(occasion, now);
    }
    if (now < this.#tidyAt) return;
    this.#tidyAt = now + TIDY_MS;
    await book.tidy(now);
  }

  async #occasions(now: number): Promise<readonly AlertOccasion[]> {
    const { keys, kept, at, until } = await this.#standings.read();
    // What was read around midnight may be of either day: the next look tells which.
    const isOneDay = bucketNamesAt(at).daily === bucketNamesAt(until).daily;
    return [
      ...isOneDay ? kept.flatMap((limit) => limitOccasions(limit, at)) : [],
      ...await creditOccasions(this.#deps, now),
      ...keys.expiring.flatMap((key) => expiryOccasion(key, now) ?? []),
    ];
  }
}

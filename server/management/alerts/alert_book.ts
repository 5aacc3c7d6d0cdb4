/**
 * Raises alerts. Each is raised once, however many gateways see its cause and however often: a commit writes its row only
 * where there is none.
 */

import type { Alert, AlertOutcome } from "../../../shared/management/alerts.ts";
import type { Store, StoreKey } from "../../storage/stores/store.ts";
import { GenerationalCache } from "../core/generational_cache.ts";
import { iterateRecords } from "../core/pages.ts";
import { alertCollection, alertId, alertLog, alertQueue } from "./alert_rows.ts";

/** An alert and what makes it one of its own. */
export interface AlertOccasion {
  readonly alert: Alert;
  /** Its subject, period and threshold: the same again is no other alert. */
  readonly about: readonly string[];
  /** When its period ends, ms since the epoch; undefined: never. */
  readonly endsAt?: number;
}

interface AlertBookDeps {
  readonly store: Store;
  readonly pause: () => Promise<void>;
  /** Counts what happened to an alert. */
  readonly count: (kind: Alert["type"], outcome: AlertOutcome) => void;
}

/** Alerts that are remembered, so that a cause that lasts is not looked up at each look. */
const KNOWN = 20_000;
/** Rows between two pauses. */
const SLICE = 100;
/** Days that a row is kept after the end of its period, and the content of one without an end after it was raised. */
export const KEPT_DAYS = 7;
export const KEPT_MS = KEPT_DAYS * 86_400_000;
/** Alerts of the log that are kept and listed: the newest. */
export const MOST_LOGGED = 500;

const isSame = (one: StoreKey, other: StoreKey): boolean => JSON.stringify(one) === JSON.stringify(other);

export class AlertBook {
  readonly #deps: AlertBookDeps;
  readonly #known = new GenerationalCache<true>(KNOWN);

  constructor(deps: AlertBookDeps) {
    this.#deps = deps;
  }

  /** `now` in ms since the epoch. False when it was raised before. Throws a StoreError. */
  async raise({ alert, about, endsAt }: AlertOccasion, now: number): Promise<boolean> {
    const { store, count } = this.#deps;
    const occasion = JSON.stringify([alert.type, ...about]);
    if (this.#known.get(occasion)) return false;
    const id = alertId(occasion);
    const rows = alertCollection(store);
    if (await rows.get(id)) {
      this.#known.set(occasion, true);
      return false;
    }
    const queue = alertQueue(store);
    const result = await store.commit({
      checks: [rows.check([id], null)],
      puts: [
        rows.put([id], { alert, at: now, ends_at: endsAt ?? null }),
        queue.put([now, id], { id, at: now, attempts: 0 }),
        alertLog(store).put([now, id], { alert, status: "waiting", ended_at: null }),
      ],
      small: true,
    });
    this.#known.set(occasion, true);
    if (result.type === "conflict") return false;
    count(alert.type, "raised");
    return true;
  }

  /**
   * Deletes the rows of alerts whose period ended {@link KEPT_DAYS} days ago. Without an end the row stays, so that the
   * alert is not raised again, and only its content is deleted. The log is cut to what is listed.
   */
  async tidy(now: number): Promise<void> {
    const { store, pause } = this.#deps;
    const rows = alertCollection(store);
    let seen = 0;
    for await (const { id, record: { alert, at, ends_at: endsAt } } of iterateRecords(rows)) {
      if (++seen % SLICE === 0) await pause();
      if ((endsAt ?? at) + KEPT_MS >= now) continue;
      if (endsAt !== null) await rows.delete(...id);
      else if (alert !== undefined) await rows.update(id, ({ ends_at }) => ({ at, ends_at }));
    }
    await this.#tidyLog(now);
  }

  async #tidyLog(now: number): Promise<void> {
    const { store, pause } = this.#deps;
    const log = alertLog(store);
    const newest = await log.list({ reverse: true, limit: MOST_LOGGED });
    const first = newest.findLast(({ id: [at] }) => Number(at) + KEPT_MS >= now);
    let deletes: StoreKey[] = [];
    for await (const { id } of iterateRecords(log)) {
      if (first !== undefined && isSame(id, first.id)) break;
      deletes.push(log.key(id));
      if (deletes.length < SLICE) continue;
      await store.commit({ deletes });
      deletes = [];
      await pause();
    }
    if (deletes.length > 0) await store.commit({ deletes });
  }
}

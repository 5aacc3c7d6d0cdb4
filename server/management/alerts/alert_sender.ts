/**
 * Sends alerts to the webhook of the settings. Before an attempt its row is moved to the time of the next one, in a
 * commit that only one instance can make; an alert that arrives is taken out. So each arrives at least once, under one
 * id, however an instance ends.
 */

import type { Alert, AlertFormat, AlertOutcome } from "../../../shared/management/alerts.ts";
import type { Runtime } from "../../runtime.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import { type Store, StoreError, type StoreKey, type StorePut } from "../../storage/stores/store.ts";
import { postMessage, type SendMessage } from "../delivery/post_message.ts";
import { webhookHeaders } from "../delivery/webhook_signature.ts";
import { alertCollection, alertLog, alertQueue } from "./alert_rows.ts";
import { webhookBody } from "./webhook_body.ts";

/** Between two looks at the queue. */
export const SEND_MS = 5_000;
/** Until the second attempt; then twice as long each time, up to the most. Longer than an attempt takes. */
export const FIRST_RETRY_MS = 15_000;
export const MOST_RETRY_MS = 600_000;
/** An alert that did not arrive for as long is lost. */
export const GIVE_UP_MS = 86_400_000;
/** Alerts that are sent in a row. */
const BATCH = 50;
/** Failures in a row behind which the receiver is left alone for a while. */
export const MOST_FAILURES = 3;

interface Webhook {
  readonly url: string;
  readonly secret: string | undefined;
  readonly format: AlertFormat;
}

interface AlertSenderDeps {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  /** Where alerts are sent now; undefined: nowhere. */
  readonly webhook: () => Webhook | undefined;
  readonly send: SendMessage;
  readonly count: (kind: Alert["type"], outcome: AlertOutcome) => void;
}

type Queued = StoredRecord<{ readonly id: string; readonly at: number; readonly attempts: number }>;

interface Ended {
  readonly alert: Alert;
  readonly status: "sent" | "lost";
}

interface Move {
  /** Time and id of the next attempt. */
  readonly to: StoreKey | undefined;
  readonly ended: readonly StorePut[];
}

interface Attempt {
  readonly webhook: Webhook;
  readonly signal: AbortSignal;
}

interface Unsent {
  readonly outcome: "lost" | "failed";
  readonly attempts: number;
  readonly error?: string;
}

const retryMs = (attempts: number): number => Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);

export class AlertSender {
  readonly #deps: AlertSenderDeps;

  constructor(deps: AlertSenderDeps) {
    this.#deps = deps;
  }

  /** Sends what is due. True where there is more to do. Rejects with a StoreError or the signal's reason. */
  async round(signal: AbortSignal): Promise<boolean> {
    const webhook = this.#deps.webhook();
    if (webhook === undefined) return false;
    const { store, runtime: { clock } } = this.#deps;
    const queued = await alertQueue(store).list({ limit: BATCH });
    let failures = 0;
    for (const row of queued) {
      if (Number(row.id[0]) > clock.now()) return false;
      signal.throwIfAborted();
      failures = await this.#take(row, { webhook, signal }) ? 0 : failures + 1;
      if (failures === MOST_FAILURES) return false;
    }
    return queued.length === BATCH;
  }

  /** False when it did not arrive. */
  async #take(row: Queued, attempt: Attempt): Promise<boolean> {
    const { store, runtime: { clock }, count } = this.#deps;
    const { id, at, attempts } = row.record;
    const alert = await this.#alertOf(id);
    const now = clock.now();
    const isLate = now - at >= GIVE_UP_MS;
    if (alert === null && !isLate) return true;
    const isOver = alert === undefined || isLate;
    const claimed = isOver ? undefined : [now + retryMs(attempts), id];
    const ended = claimed === undefined && alert ? [this.#ending(row, { alert, status: "lost" })] : [];
    if (!await this.#move(row, { to: claimed, ended })) return true;
    if (alert === undefined || alert === null) return true;
    if (claimed === undefined) {
      this.#tell(alert, { outcome: "lost", attempts });
      return true;
    }
    const error = await this.#post({ id, alert }, attempt);
    if (error !== undefined) {
      this.#tell(alert, { outcome: "failed", attempts: attempts + 1, error });
      return false;
    }
    count(alert.type, "sent");
    const sent = this.#ending(row, { alert, status: "sent" });
    await store.commit({ deletes: [alertQueue(store).key(claimed)], puts: [sent], small: true });
    return true;
  }

  /** Undefined where it is gone; null where it is of no kind that this version has, for a newer instance to send. */
  async #alertOf(id: string): Promise<Alert | undefined | null> {
    try {
      return (await alertCollection(this.#deps.store).get(id))?.record.alert;
    } catch (error) {
      if (error instanceof StoreError && error.kind === "corrupt") return null;
      throw error;
    }
  }

  /** The row of the log that says how it ended. */
  #ending({ record: { id, at } }: Queued, { alert, status }: Ended): StorePut {
    const { store, runtime: { clock } } = this.#deps;
    return alertLog(store).put([at, id], { alert, status, ended_at: clock.now() });
  }

  /** Without `to` it is taken out. False when another instance was first. */
  async #move({ id: from, record, version }: Queued, { to, ended }: Move): Promise<boolean> {
    const queue = alertQueue(this.#deps.store);
    const next = to === undefined ? [] : [queue.put(to, { ...record, attempts: record.attempts + 1 })];
    const puts = [...next, ...ended];
    const change = { checks: [queue.check(from, version)], deletes: [queue.key(from)], puts, small: true };
    return (await this.#deps.store.commit(change)).type === "ok";
  }

  /** Says why it did not arrive; undefined when it did. Throws the signal's reason. */
  async #post(
    message: { readonly id: string; readonly alert: Alert },
    { webhook: { url, secret, format }, signal }: Attempt,
  ): Promise<string | undefined> {
    const { send, runtime: { clock } } = this.#deps;
    const body = webhookBody(format, message);
    const timestamp = Math.floor(clock.now() / 1_000);
    const headers = webhookHeaders({ id: message.id, timestamp, body }, secret);
    const { error } = await postMessage(send, { url, signal, post: { body, headers } });
    return error;
  }

  #tell({ type }: Alert, { outcome, ...fields }: Unsent): void {
    const { count, runtime: { log } } = this.#deps;
    count(type, outcome);
    const message = outcome === "lost"
      ? "Alert is lost: it could not be sent for a day"
      : "Cannot send alert; trying again";
    log.warn(message, { kind: type, ...fields });
  }
}

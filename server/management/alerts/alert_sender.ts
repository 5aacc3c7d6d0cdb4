/**
 * Sends alerts to the webhook of the settings. Before an attempt its row is moved to the time of the next one, in a
 * commit that only one instance can make; an alert that arrives is taken out. So each arrives at least once, under one
 * id, however an instance ends. In a form for people those that are due together are one message, and stay one.
 */

import type { Alert, AlertFormat, AlertOutcome } from "../../../shared/management/alerts.ts";
import type { Runtime } from "../../runtime.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import { type Store, StoreError, type StorePut } from "../../storage/stores/store.ts";
import { postMessage, type SendMessage } from "../delivery/post_message.ts";
import { webhookHeaders } from "../delivery/webhook_signature.ts";
import { alertCollection, alertLog, alertQueue, bundleId, type QueuedAlert } from "./alert_rows.ts";
import { isBundled, webhookBody } from "./webhook_body.ts";

/** Between two looks at the queue. */
export const SEND_MS = 5_000;
/** Until the second attempt; then twice as long each time, up to the most. Longer than an attempt takes. */
export const FIRST_RETRY_MS = 15_000;
export const MOST_RETRY_MS = 600_000;
/** An alert that did not arrive for as long is lost. */
export const GIVE_UP_MS = 86_400_000;
/** Alerts that are sent in a row, and in one message for people. */
export const BATCH = 50;
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

type Queued = StoredRecord<QueuedAlert>;

/** An alert that is to be sent now. */
interface Ready {
  readonly row: Queued;
  readonly alert: Alert;
}

interface Ended {
  readonly alert: Alert;
  readonly status: "sent" | "lost";
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

/** Rows by the message that tells of them: that in which they were sent before, else one for all. */
function bundlesOf(due: readonly Queued[]): readonly (readonly Queued[])[] {
  const bundles = [...Map.groupBy(due, ({ record }) => record.bundle).values()];
  // The last one may go on behind what was read.
  return due.length === BATCH && bundles.length > 1 ? bundles.slice(0, -1) : bundles;
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
    const due = queued.filter(({ id: [at] }) => Number(at) <= clock.now());
    let failures = 0;
    for (const rows of isBundled(webhook.format) ? bundlesOf(due) : due.map((row) => [row])) {
      signal.throwIfAborted();
      failures = await this.#take(rows, { webhook, signal }) ? 0 : failures + 1;
      if (failures === MOST_FAILURES) return false;
    }
    return due.length === BATCH;
  }

  /** False when they did not arrive. */
  async #take(rows: readonly Queued[], attempt: Attempt): Promise<boolean> {
    const ready: Ready[] = [];
    for (const row of rows) {
      const alert = await this.#readyAlert(row);
      if (alert !== undefined) ready.push({ row, alert });
    }
    return ready.length === 0 || await this.#send(ready, attempt);
  }

  /** Takes an alert out that is over, which is undefined then, as is one that another version has to send. */
  async #readyAlert(row: Queued): Promise<Alert | undefined> {
    const { runtime: { clock } } = this.#deps;
    const { id, at, attempts } = row.record;
    const alert = await this.#alertOf(id);
    const isLate = clock.now() - at >= GIVE_UP_MS;
    if (!isLate && alert !== undefined) return alert ?? undefined;
    const ended = alert ? [this.#ending(row, { alert, status: "lost" })] : [];
    if (await this.#remove(row, ended) && alert) this.#tell(alert, { outcome: "lost", attempts });
    return undefined;
  }

  /** Sends them as one message, unless another instance was first. */
  async #send(ready: readonly Ready[], attempt: Attempt): Promise<boolean> {
    const { store, runtime: { clock }, count } = this.#deps;
    const queue = alertQueue(store);
    const now = clock.now();
    const ids = ready.map(({ row }) => row.record.id);
    const mayBundle = isBundled(attempt.webhook.format);
    const id = (mayBundle ? ready[0]?.row.record.bundle : undefined) ?? bundleId(ids);
    const bundle = mayBundle ? { bundle: id } : {};
    const claims = ready.map(({ row: { record } }) => ({
      key: [now + retryMs(record.attempts), record.id],
      record: { ...record, ...bundle, attempts: record.attempts + 1 },
    }));
    const claimed = await store.commit({
      checks: ready.map(({ row }) => queue.check(row.id, row.version)),
      deletes: ready.map(({ row }) => queue.key(row.id)),
      puts: claims.map(({ key, record }) => queue.put(key, record)),
      small: true,
    });
    if (claimed.type !== "ok") return true;
    const error = await this.#post({ id, alerts: ready.map(({ alert }) => alert) }, attempt);
    if (error !== undefined) {
      for (const { row: { record }, alert } of ready) {
        this.#tell(alert, { outcome: "failed", attempts: record.attempts + 1, error });
      }
      return false;
    }
    for (const { alert } of ready) count(alert.type, "sent");
    await store.commit({
      deletes: claims.map(({ key }) => queue.key(key)),
      puts: ready.map(({ row, alert }) => this.#ending(row, { alert, status: "sent" })),
      small: true,
    });
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

  /** False when another instance was first. */
  async #remove({ id, version }: Queued, ended: readonly StorePut[]): Promise<boolean> {
    const queue = alertQueue(this.#deps.store);
    const change = { checks: [queue.check(id, version)], deletes: [queue.key(id)], puts: ended, small: true };
    return (await this.#deps.store.commit(change)).type === "ok";
  }

  /** Says why it did not arrive; undefined when it did. Throws the signal's reason. */
  async #post(
    message: { readonly id: string; readonly alerts: readonly Alert[] },
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

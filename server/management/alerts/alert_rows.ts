/** Alerts as they are stored: each once, and beside them those that are still to be sent, and a log of both. */

import { hash } from "node:crypto";
import * as z from "zod";
import { alertSchema, alertStatuses } from "../../../shared/management/alerts.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";

const rowSchema = z.object({
  /** Absent in one that is old and must not be raised again: who it was about may be gone. */
  alert: alertSchema.optional(),
  /** When it was raised, ms since the epoch. */
  at: z.int(),
  /** Ms since the epoch from when on the same cannot be raised again; null: never. */
  ends_at: z.int().nullable(),
});

/** By id. A row is what keeps an alert from being raised again. */
export const alertCollection = (store: Store): Collection<typeof rowSchema> =>
  new Collection({ store, name: "alerts", schema: rowSchema });

const queuedSchema = z.object({
  id: z.string(),
  at: z.int(),
  /** Attempts to send it that have begun. */
  attempts: z.int(),
  /** Id of the message, with others or alone, in which it was sent; absent where each has a message of its own. */
  bundle: z.string().optional(),
});
export type QueuedAlert = z.infer<typeof queuedSchema>;

/** By the time of the next attempt, ms since the epoch, and the id. */
export const alertQueue = (store: Store): Collection<typeof queuedSchema> =>
  new Collection({ store, name: "alert_queue", schema: queuedSchema });

const loggedSchema = z.object({
  /** As it was raised; of any kind, which another version may have. */
  alert: z.unknown(),
  status: z.enum(alertStatuses),
  /** When it had arrived or was given up, ms since the epoch. */
  ended_at: z.int().nullable(),
});

/** Alerts for people to read, by when they were raised, ms since the epoch, and the id. */
export const alertLog = (store: Store): Collection<typeof loggedSchema> =>
  new Collection({ store, name: "alert_log", schema: loggedSchema });

/** The id of a message with alerts: of one alone its own, else the same for the same ones. */
export function bundleId(ids: readonly string[]): string {
  const [only = "", ...others] = ids;
  return others.length === 0 ? only : `alerts_${hash("sha256", JSON.stringify(ids)).slice(0, 32)}`;
}

/** The id of an alert: the same for the same occasion, on every instance and after every restart. */
export const alertId = (occasion: string): string => `alert_${hash("sha256", occasion).slice(0, 32)}`;

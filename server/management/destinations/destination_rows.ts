/** Broadcast destinations as they are stored: their settings with what is secret encrypted, and how far each is. */

import * as z from "zod";
import {
  type DeliveryOutcome,
  destinationSchema,
  type DestinationType,
  type ShownDestination,
} from "../../../shared/observability/records.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import { ciphertextSchema } from "../byok/vault.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { iterateRecords } from "../core/pages.ts";

const rowSchema = destinationSchema.extend({
  /** Counts up with every configuration that takes the place of another. */
  config_version: z.int().positive(),
  /** The configuration with its secrets, as JSON. */
  sealed: ciphertextSchema,
});
export type DestinationRow = z.infer<typeof rowSchema>;

/** By id. */
export const destinationCollection = (store: Store): Collection<typeof rowSchema> =>
  new Collection({ store, name: "destinations", schema: rowSchema });

const stateSchema = z.object({
  /** Receipts that were written before are not sent, ms since the epoch. */
  since: z.int(),
  /** The last batch of each journal that is done, by instance. */
  cursors: z.record(z.string(), z.int()),
  /** Journals that ended before are done and have no cursor, ms since the epoch; absent: what ended a week ago. */
  over: z.int().optional(),
  /** The part of a journal that is being sent: its receipts stay together until they have arrived. */
  part: z.object({ instance: z.string(), to: z.int() }).nullable(),
  /** Attempts in a row that have failed, or are under way. */
  attempts: z.int(),
  /** Ms since the epoch: not before is there another attempt, here or at another gateway. */
  next_at: z.int(),
  /** When the first of the failures in a row was, ms since the epoch, and why the last one failed. */
  failing_since: z.int().nullable(),
  error: z.string().nullable(),
  sent: z.int(),
  lost: z.int(),
  sent_at: z.int().nullable(),
});
export type DestinationState = z.infer<typeof stateSchema>;

/** By the id of the destination. */
export const destinationStates = (store: Store): Collection<typeof stateSchema> =>
  new Collection({ store, name: "destination_states", schema: stateSchema });

/** The end of an attempt, or receipts that were given up. */
export interface EndedDelivery {
  readonly type: DestinationType;
  readonly outcome: DeliveryOutcome;
  readonly receipts: number;
}

/** State of one that is switched on at a moment (ms since the epoch); what it has sent before stays counted. */
export const stateFrom = (since: number, before?: DestinationState): DestinationState => ({
  since,
  cursors: {},
  over: since,
  part: null,
  attempts: 0,
  next_at: 0,
  failing_since: null,
  error: null,
  sent: before?.sent ?? 0,
  lost: before?.lost ?? 0,
  sent_at: before?.sent_at ?? null,
});

interface StateChange {
  readonly id: string;
  /** Version of the state that was read. */
  readonly version: string;
  readonly next: DestinationState;
}

/** The version of the new state; undefined when another was first. */
export async function commitState(
  store: Store,
  { id, version, next }: StateChange,
): Promise<string | undefined> {
  const states = destinationStates(store);
  const result = await store.commit({
    checks: [states.check([id], version)],
    puts: [states.put([id], next)],
  });
  return result.type === "ok" ? result.version : undefined;
}

type Placed = Pick<DestinationRow, "id" | "workspace_id" | "config_version">;

/** Context to which the ciphertext is bound. */
export const configContext = ({ id, workspace_id, config_version }: Placed): string =>
  `destination|${workspace_id}|${id}.${config_version}`;

const timeOf = (ms: number | null): string | null => ms === null ? null : new Date(ms).toISOString();

/** The settings alone, without secrets. */
export function describeDestination({ config_version: _, sealed: __, ...row }: DestinationRow) {
  return row;
}

/** As the operations show it. */
export function showDestination(row: DestinationRow, state: DestinationState): ShownDestination {
  const { sent, lost, sent_at, failing_since, error } = state;
  return {
    ...describeDestination(row),
    delivery: {
      sent,
      lost,
      last_sent_at: timeOf(sent_at),
      failing_since: timeOf(failing_since),
      last_error: error,
    },
  };
}

/** Nothing more is sent to those of a workspace. Called again it goes on. */
export async function disableDestinations(
  { store, cacheVersions }: { readonly store: Store; readonly cacheVersions: CacheVersions },
  workspaceId: string,
): Promise<void> {
  const rows = destinationCollection(store);
  for await (const { id, record } of iterateRecords(rows)) {
    if (record.workspace_id !== workspaceId) continue;
    await rows.update(id, (row) => row.enabled ? { ...row, enabled: false } : undefined);
    await store.commit({ puts: [cacheVersions.put("destinations")] });
  }
  cacheVersions.changed("destinations");
}

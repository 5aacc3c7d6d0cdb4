/** Options of a ledger. */

import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import type { CommitObserver } from "../journal/commit_batch.ts";
import type { TaggerSource } from "../journal/recovery/tagger_source.ts";
import type { ReceiptSpool } from "../journal/receipt_spool.ts";
import type { CounterCache } from "./counters/counter_cache.ts";
import type { ReceiptFollowers } from "./receipt_followers.ts";
import type { ProjectionPart } from "../projection/projection_part.ts";

export interface LedgerOptions extends CommitObserver, TaggerSource {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log">;
  /** Rows that are made of receipts besides their counters. */
  readonly projectionParts: readonly ProjectionPart[];
  /** Whether other processes use the same store. */
  readonly isShared: boolean;
  readonly limits?: Partial<LedgerLimits>;
  /** A folder for receipts that the store cannot take; undefined where no disk stays. */
  readonly spool?: string;
}

/** Name of a ledger in the store, and what it is opened with. */
export interface InstanceState extends TaggerSource {
  readonly instance: string;
  readonly spool: ReceiptSpool | undefined;
  readonly scopes: CounterCache;
  /** The first batch to write. */
  readonly seq: number;
  readonly followers: ReceiptFollowers;
  /** Is called when another instance has taken over. */
  readonly out: () => void;
}

/** How long the ledger waits for what. */

interface LedgerLimits {
  /** How long a reservation waits for open reservations, ms, and how many wait in one scope (promises M1). */
  readonly reservationWaitMs: number;
  readonly maxQueuedReservations: number;
  /** Without a commit for so long, nothing is admitted and receipts go to the spool, ms. */
  readonly failMs: number;
  /** Without a commit for so long, a receipt is given up, ms (promises M5). */
  readonly closeMs: number;
  /** Requests that are open for so many journal batches are written again. */
  readonly restateAfter: number;
  /** Receipts of refused requests that are written one by one, a key and minute. */
  readonly rejectedPerMinute: number;
}

const defaults: LedgerLimits = {
  reservationWaitMs: 5_000,
  maxQueuedReservations: 1_000,
  failMs: 1_500,
  closeMs: 5_000,
  restateAfter: 500,
  rejectedPerMinute: 60,
};

export function withDefaultLimits(input: Partial<LedgerLimits> = {}): LedgerLimits {
  return { ...defaults, ...input };
}

/** Dependencies that ledger transactions share, and the journal's summary of their requests. */

import { truncateStart } from "../../../../shared/util/text.ts";
import type { Logger } from "../../../runtime.ts";
import type { OpenEntry } from "../journal/journal_batch.ts";
import type { CounterCache } from "./counters/counter_cache.ts";
import type { TransactionOptions } from "./ledger.ts";
import type { RejectedReceipts, RejectedRequest } from "./rejected_receipts.ts";
import type { ReservationQueue } from "./reservation_queue.ts";

/** Dependencies that the transactions of one ledger share. */
export interface TransactionDeps<T extends RejectedRequest> {
  readonly counters: CounterCache;
  readonly queue: ReservationQueue;
  readonly log: Logger;
  /** Writes it with the next batch. `lazy`: with whatever is written next, or a moment later. */
  readonly journal: (transaction: T, lazy?: boolean) => void;
  /** Resolves when its calls stand in the journal; writes at once what is not there yet. */
  readonly whenDurable: (transaction: T) => Promise<void>;
  readonly rejectedReceipts: RejectedReceipts<T>;
  /** Throws an ApiError 503 while nothing may be admitted. */
  readonly assertAdmitting: () => void;
}

const MAX_MODEL_CHARS = 200;

/** Makes the summary of an open request for the journal, for a receipt that a later run may have to write. */
export function requestSummary(
  { requestId, keyHash, workspaceId, managementKeyHash, api, streamed, requestedModel, router, preset }:
    TransactionOptions,
): OpenEntry["about"] {
  return {
    request_id: requestId,
    key_hash: keyHash,
    workspace_id: workspaceId,
    management_key_hash: managementKeyHash,
    api: api ?? "responses",
    streamed: streamed ?? false,
    requested_model: requestedModel ? truncateStart(requestedModel, MAX_MODEL_CHARS) : null,
    router: router?.(),
    preset,
  };
}

/** Opens the ledger of one process: recovery of an earlier run first, then admission. */

import { ApiError } from "../../../../shared/errors.ts";
import { StoreError } from "../../../storage/stores/store.ts";
import { recoverJournal } from "../journal/recovery/recovery.ts";
import { ReceiptSpool } from "../journal/receipt_spool.ts";
import { EMBEDDED_INSTANCE } from "../projection/shard_checkpoints.ts";
import { followOtherInstances } from "../quota/followed_instances.ts";
import { liveInstances } from "../quota/instances.ts";
import { openRejoiningLedger } from "../quota/rejoin.ts";
import { CounterCache } from "./counters/counter_cache.ts";
import type { Ledger } from "./ledger.ts";
import { LedgerInstance } from "./ledger_instance.ts";
import type { InstanceState, LedgerOptions } from "./ledger_options.ts";
import { ReceiptFollowers } from "./receipt_followers.ts";

/** Throws a StoreError, or an ApiError when what an earlier run has left cannot be written. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  if (!options.isShared) {
    return await openInstance(options, { followers: new ReceiptFollowers(), out: () => {} });
  }
  const followers = new ReceiptFollowers((own) =>
    followOtherInstances({
      ...options,
      isOwn: (instance) => own.names.has(instance),
      tell: (receipts) => own.tellOfOther(receipts),
    })
  );
  return await openRejoiningLedger({
    ...options,
    followers,
    join: (parts, out) => openInstance({ ...options, projectionParts: parts }, { followers, out }),
  });
}

async function openInstance(
  options: LedgerOptions,
  own: Pick<InstanceState, "followers" | "out">,
): Promise<LedgerInstance> {
  const { store, runtime, readTagger, isShared } = options;
  const instance = isShared ? runtime.id() : EMBEDDED_INSTANCE;
  own.followers.names.add(instance);
  const spool = options.spool === undefined
    ? undefined
    : new ReceiptSpool({ folder: options.spool, instance });
  const live = isShared ? () => liveInstances(store) : undefined;
  const scopes = new CounterCache({ store, instance, liveInstances: live });
  const left = await recoverJournal(store, instance);
  const owner = new LedgerInstance(options, {
    instance,
    spool,
    scopes,
    seq: left.seq,
    readTagger,
    ...own,
  });
  const files = spool?.abandonedFiles() ?? [];
  try {
    await owner.start(left.open, files);
  } catch (error) {
    for (const file of files) file.close();
    await owner.close();
    // What cannot be read is damaged, or not there: the start says so as it does for any other row.
    throw error instanceof ApiError && error.cause instanceof StoreError ? error.cause : error;
  }
  return owner;
}

/**
 * Receipts that other instances write into a shared store, for those who follow receipts: their journals are read from
 * where they ended when the following began, once a second and only while somebody follows.
 */

import type { Receipt } from "../../../../shared/receipts.ts";
import { PeriodicJob } from "../../../../shared/util/periodic_job.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { batchKey, JOURNAL_ROWS } from "../journal/journal_batch.ts";
import { receiptsInBatch, unlessDamaged } from "../journal/receipt_reader.ts";
import { liveInstances } from "./instances.ts";

/** The longest that a receipt of another instance goes untold, in ms. */
export const LOOK_MS = 1_000;
/** Batches of an instance that are read at a time; more are read a second later. */
const MOST_BATCHES = 200;

interface FollowOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  /** Whether this process writes under that name, or has. */
  readonly isOwn: (instance: string) => boolean;
  readonly tell: (receipts: readonly Receipt[]) => void;
}

/** Begins now. The function given back ends it. */
export function followOtherInstances(options: FollowOptions): () => void {
  const journals = new OtherJournals(options);
  const job = new PeriodicJob({
    runtime: options.runtime,
    everyMs: LOOK_MS,
    firstMs: 0,
    failure: "Cannot read the receipts of other instances; retrying in a second",
    step: (signal) =>
      journals.look(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      }),
  });
  return () => void job.close();
}

class OtherJournals {
  readonly #options: FollowOptions;
  /** Numbers of the batches that were read last, by instance. */
  #last: Map<string, number> | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async look(signal: AbortSignal): Promise<void> {
    const { store, isOwn } = this.#options;
    const live = [...await liveInstances(store)].filter((instance) => !isOwn(instance));
    if (this.#last === undefined) {
      this.#last = new Map(await Promise.all(live.map(async (id) => [id, await this.#newest(id)] as const)));
      return;
    }
    // Who has gone since has written its last batches before.
    for (const instance of new Set([...this.#last.keys(), ...live])) {
      if (!signal.aborted) {
        this.#last.set(instance, await this.#read(instance, this.#last.get(instance) ?? -1));
      }
    }
    for (const instance of this.#last.keys()) if (!live.includes(instance)) this.#last.delete(instance);
  }

  /** Number of the newest batch; -1 where there is none. */
  async #newest(instance: string): Promise<number> {
    const [newest] = await this.#options.store.list([JOURNAL_ROWS, instance], { reverse: true, limit: 1 });
    return newest === undefined ? -1 : Number(newest.key[2]);
  }

  /** Tells of what is behind a batch, and gives the number of the last one. */
  async #read(instance: string, from: number): Promise<number> {
    const { store, tell } = this.#options;
    const after = batchKey(instance, from);
    const entries = await store.list([JOURNAL_ROWS, instance], { after, limit: MOST_BATCHES });
    for (const entry of entries) tell(await unlessDamaged(() => receiptsInBatch(entry)) ?? []);
    return Number(entries.at(-1)?.key[2] ?? from);
  }
}

/** How operations write: in turns, with the audit row and the epochs in the same commit, and told to the caches. */

import { Refusal } from "../../../shared/errors.ts";
import { pauseBefore, type PauseWorld } from "../../stores/pause.ts";
import type { Check, Put, StoreKey } from "../../stores/store.ts";
import type { Asked } from "./operation.ts";
import type { Change } from "../audit/audit_log.ts";
import type { AdminDeps } from "./management_deps.ts";
import type { EpochTopic } from "./cache_versions.ts";

export interface Write {
  readonly checks?: readonly Check[];
  readonly puts?: readonly Put[];
  readonly deletes?: readonly StoreKey[];
  /** Goes into the audit log. */
  readonly change: Change;
  /** What is held in memory and changes; `id` names it in this process. */
  readonly epoch: { readonly topic: EpochTopic; readonly id?: string };
  /** No value written here holds, or ever held, more than 60,000 bytes. */
  readonly small?: boolean;
}

type WriteDeps = Pick<AdminDeps, "store" | "epochs" | "audit">;

/**
 * One commit. False when a check failed: read again and try again. A remote store may apply a commit and lose the
 * reply, so that the second try fails its checks: the audit row, which no other commit writes, tells.
 */
export async function write({ store, epochs, audit }: WriteDeps, wanted: Write): Promise<boolean> {
  const { checks = [], puts = [], deletes = [], change, epoch, small } = wanted;
  const row = audit.put(change);
  const all = [...puts, row, epochs.put(epoch.topic)];
  const result = await store.commit({ checks, puts: all, deletes, small }).catch((error: unknown) => {
    // It may have happened: better to look again than to go on with what was.
    epochs.changed(epoch.topic, epoch.id);
    throw error;
  });
  if (result.type === "conflict" && await store.get(row.key) === undefined) return false;
  epochs.changed(epoch.topic, epoch.id);
  return true;
}

/** Who asks, for the audit row. */
export const askedBy = ({ caller, requestId }: Pick<Asked, "caller" | "requestId">) => ({
  caller,
  requestId,
});

/** Returned by an attempt that met another writer. */
export const CONFLICT = Symbol("conflict");

/** With pauses of up to 250 ms these take several seconds. */
const TRIES = 50;

/**
 * Tries again for as long as others write the same records, with pauses that grow. Throws a Refusal `unavailable`
 * after 50 times.
 */
export async function retried<T>(
  world: PauseWorld,
  attempt: () => Promise<T | typeof CONFLICT>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    await pauseBefore(tries, world);
    const result = await attempt();
    if (result !== CONFLICT) return result;
  }
  throw new Refusal("unavailable", "Others write the same record all the time. Try again in a moment.", {
    retryAfter: 1,
  });
}

/** Lets those who change the same thing in this process go one after another, instead of into each other's conflicts. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work);
    const done = mine.then(() => {}, () => {/* told to its own caller */});
    this.#last.set(name, done);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === done) this.#last.delete(name);
    }
  }
}

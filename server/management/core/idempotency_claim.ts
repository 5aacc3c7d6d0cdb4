/** A claim on an `Idempotency-Key` that a call of this process holds. */

import type { Store, StoreCommit, StorePut, VersionCheck } from "../../storage/stores/store.ts";
import type { Cancel, Runtime } from "../../runtime.ts";
import { idempotencyCollection, type IdempotencyRecord, type StoredReply } from "./idempotency_records.ts";
import { sealReply } from "./sealed_reply.ts";

const RENEW_MS = 5_000;
/** Bytes of an encrypted answer beyond which it is not kept, so that its record fits into every store. */
const KEPT_BYTES = 700_000;
/** A claim that is not given back keeps the next one waiting until it is stale. */
const FINISH_TRIES = 2;

export type IdempotencyRuntime = Pick<Runtime, "clock" | "id" | "randomToken" | "log">;

interface IdempotencyClaimOptions {
  readonly store: Store;
  readonly runtime: IdempotencyRuntime;
  readonly id: string;
  readonly token: string;
  readonly record: IdempotencyRecord;
  readonly version: string;
}

/** A claim that this call holds. Ends with `keep` or `release`; until then it shows that it is alive. */
export class IdempotencyClaim {
  readonly #options: IdempotencyClaimOptions;
  #record: IdempotencyRecord;
  #version: string;
  #renewal: Cancel = () => {};
  #renewing: Promise<void> = Promise.resolve();
  #over = false;
  /** True once the answer has gone into the commit of the work itself. */
  #handed = false;
  readonly #end = Promise.withResolvers<void>();
  /** Resolves when somebody else may look again. */
  readonly ended: Promise<void> = this.#end.promise;

  constructor(options: IdempotencyClaimOptions) {
    this.#options = options;
    this.#record = options.record;
    this.#version = options.version;
    this.#renewLater();
  }

  /** The parts of the commit that does the work: it happens only while the claim is held, and keeps the answer. */
  commitParts(
    kept: StoredReply,
  ): { readonly checks: readonly VersionCheck[]; readonly puts: readonly StorePut[] } {
    const rows = idempotencyCollection(this.#options.store);
    const { id } = this.#options;
    this.#handed = true;
    return { checks: [rows.check([id], this.#version)], puts: [rows.put([id], this.#sealed(kept))] };
  }

  /** Keeps the answer for everyone who asks again, unless the work's own commit did. Never throws. */
  async storeReply(kept: StoredReply): Promise<void> {
    if (!this.#handed) await this.#finish(() => this.commitParts(kept));
    this.#close();
  }

  /** The work failed: the next call with the key begins anew. Never throws. */
  async release(): Promise<void> {
    const { id, store } = this.#options;
    const rows = idempotencyCollection(store);
    await this.#finish(() => ({ checks: [rows.check([id], this.#version)], deletes: [rows.key([id])] }));
    this.#close();
  }

  #sealed(kept: StoredReply): IdempotencyRecord {
    const { id: place, token, runtime: { randomToken } } = this.#options;
    const sealed = sealReply(JSON.stringify(kept), { token, place, randomToken });
    return { ...this.#record, done: true, sealed: sealed.length > KEPT_BYTES ? null : sealed };
  }

  /** A claim that was taken over, or a store that fails: the answer is given all the same. */
  async #finish(commit: () => StoreCommit): Promise<void> {
    this.#stopRenewing();
    await this.#renewing;
    for (let tries = 0; tries < FINISH_TRIES; tries++) {
      try {
        await this.#options.store.commit(commit());
        return;
      } catch (error) {
        this.#options.runtime.log.warn("Cannot store reply for Idempotency-Key", {
          error: String(error),
        });
      }
    }
  }

  #close(): void {
    this.#stopRenewing();
    this.#end.resolve();
  }

  #stopRenewing(): void {
    this.#over = true;
    this.#renewal();
  }

  #renewLater(): void {
    const { clock, log } = this.#options.runtime;
    this.#renewal = clock.after(RENEW_MS, () => {
      this.#renewing = this.#renew()
        .catch((error: unknown) => log.warn("Cannot renew Idempotency-Key claim", { error: String(error) }))
        .finally(() => {
          if (!this.#over) this.#renewLater();
        });
    });
  }

  async #renew(): Promise<void> {
    const { id, store, runtime } = this.#options;
    const rows = idempotencyCollection(store);
    const record = { ...this.#record, renewed_at: runtime.clock.now() };
    const result = await store.commit({
      checks: [rows.check([id], this.#version)],
      puts: [rows.put([id], record)],
    });
    if (result.type === "conflict") return;
    this.#record = record;
    this.#version = result.version;
  }
}

/** Keeps an instance's membership of a shared store: it holds a lease, shares limits, and recovers dead instances. */

import { endStep } from "../core/ledger_close.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Cancel, Runtime } from "../../../runtime.ts";
import type { CloseEntry } from "../journal/journal_batch.ts";
import type { TaggerSource } from "../journal/recovery/tagger_source.ts";
import { liveInstances } from "./instances.ts";
import { InstanceLease } from "./lease.ts";
import { type AdoptedRequests, DeadInstanceRecovery } from "./dead_instance_recovery.ts";
import type { CounterCache } from "../core/counters/counter_cache.ts";
import { QUOTA_REQUEST_ROWS, QUOTA_RETURNED } from "./quota_store.ts";
import { InstanceQuotas } from "./instance_quotas.ts";

interface InstanceMembershipOptions extends TaggerSource {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log">;
  readonly instance: string;
  readonly scopes: CounterCache;
  /** The lease is over, for now: calls under limits must end. */
  readonly lost: () => void;
  /** Another instance has taken over. */
  readonly fenced: () => void;
  /** Resolves when all is in the journal that was decided before. */
  readonly written: () => Promise<void>;
  /** Writes the receipts of a dead instance's requests. */
  readonly adopt: (entries: readonly CloseEntry[]) => Promise<void>;
}

/** On stores without signals: how often quota requests are looked for, while there are any quotas. */
const POLL_MS = 250;
const MAX_WISHES = 1_000;

export class InstanceMembership {
  readonly quotas: InstanceQuotas;
  readonly #options: InstanceMembershipOptions;
  readonly #lease: InstanceLease;
  readonly #deadInstances: DeadInstanceRecovery;
  readonly #heard = new Map<string, string>();
  #unlisten: (() => Promise<void>) | undefined;
  #poll: Cancel | undefined;
  #stopped = false;

  constructor(options: InstanceMembershipOptions) {
    this.#options = options;
    const { store, runtime, readTagger, instance, scopes, lost, fenced, written } = options;
    this.quotas = new InstanceQuotas({
      store,
      runtime,
      instance,
      scopes,
      live: () => liveInstances(store),
      written,
    });
    this.#lease = new InstanceLease({ store, runtime, instance, onLost: lost, onFenced: fenced });
    this.#deadInstances = new DeadInstanceRecovery({
      store,
      runtime,
      readTagger,
      instance,
      adopt: (left) => this.#adopt(left),
    });
  }

  /** Throws a StoreError. */
  async start(): Promise<void> {
    await this.#lease.start();
    this.#deadInstances.start();
    this.#unlisten = await this.#options.store.listen?.((topic) => this.#hear(topic));
    if (!this.#unlisten) this.#pollLater();
  }

  /** Closes what an instance has left that ran here before. False when another one is doing that. */
  takeOver(id: string, spooled: readonly CloseEntry[]): Promise<boolean> {
    return this.#deadInstances.takeOver(id, spooled);
  }

  get held(): boolean {
    return this.#lease.held;
  }

  /** Ends it all. `left`: nothing of this instance is open, so that none has to recover it. */
  async stop(left: boolean): Promise<void> {
    this.halt();
    const unlisten = this.#unlisten;
    this.#unlisten = undefined;
    // A store that does not answer need not be told that nobody listens.
    await endStep("unlisten", { ...this.#options.runtime, work: unlisten?.() });
    try {
      if (left) await this.#lease.leave();
    } catch (error) {
      this.#options.runtime.log.warn("Cannot release instance lease", { error: String(error) });
    }
  }

  /** Ends what runs on its own. */
  halt(): void {
    this.#stopped = true;
    this.#lease.stop();
    this.#deadInstances.stop();
    this.quotas.stop();
    this.#poll?.();
  }

  /** Counts the cost of a dead instance's requests as this one's own, before anybody takes what is left. */
  async #adopt({ all, unwritten }: AdoptedRequests): Promise<void> {
    const { scopes, adopt } = this.#options;
    await adopt(unwritten);
    for (const { scopes: names, at } of all) {
      for (const scope of names) await this.quotas.raise(scopes.get(scope), at);
    }
  }

  #hear(topic: string): void {
    const [first, ...rest] = topic.split("/");
    if (topic === "*") {
      this.quotas.refreshNow();
      void this.#lookForPreferences();
      return;
    }
    if (first !== QUOTA_REQUEST_ROWS || this.#stopped) return;
    const last = rest.pop() ?? "";
    const bucket = rest.pop() ?? "";
    this.#wished({ scope: rest.join("/"), bucket, by: last });
  }

  #wished(
    { scope, bucket, by }: { readonly scope: string; readonly bucket: string; readonly by: string },
  ): void {
    if (by === this.#options.instance) return;
    if (by === QUOTA_RETURNED) {
      this.quotas.refreshNow({ scope, bucket });
      return;
    }
    this.quotas.release({ scope, bucket, by }).catch((error: unknown) => {
      this.#options.runtime.log.warn("Cannot release instance quota", { error: String(error) });
    });
  }

  #pollLater(): void {
    if (this.#stopped) return;
    this.#poll = this.#options.runtime.clock.after(POLL_MS, () => {
      const looked = this.quotas.any ? this.#lookForPreferences() : Promise.resolve();
      void looked.then(() => this.#pollLater());
    });
  }

  /** Looks for quota requests that were not announced to it. */
  async #lookForPreferences(): Promise<void> {
    try {
      const entries = await this.#options.store.list([QUOTA_REQUEST_ROWS], { limit: MAX_WISHES });
      const seen = new Set<string>();
      for (const { key, version } of entries) {
        const topic = key.join("/");
        seen.add(topic);
        if (this.#heard.get(topic) === version) continue;
        this.#heard.set(topic, version);
        this.#hear(topic);
      }
      for (const topic of [...this.#heard.keys()]) if (!seen.has(topic)) this.#heard.delete(topic);
    } catch (error) {
      this.#options.runtime.log.warn("Cannot read quota requests", { error: String(error) });
    }
  }
}

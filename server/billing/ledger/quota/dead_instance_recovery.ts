/**
 * Closes what instances have left that died (promises M2): each looks on for the others, by its own clock. A dead
 * one is fenced first, by a batch in its journal where its next one would stand, so that it cannot write any more.
 */

import type { Store } from "../../../storage/stores/store.ts";
import type { Cancel, Runtime } from "../../../runtime.ts";
import { type Instance, instanceKey, listInstances, toInstance } from "./instances.ts";
import { appendChecksum } from "../journal/batch_checksum.ts";
import { batchKey, type CloseEntry } from "../journal/journal_batch.ts";
import { closeEntriesOf, withoutStoredReceipts } from "../journal/recovery/recovered_requests.ts";
import { recoverJournal } from "../journal/recovery/recovery.ts";
import type { TaggerSource } from "../journal/recovery/tagger_source.ts";

interface DeadInstanceRecoveryOptions extends TaggerSource {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log" | "id">;
  readonly instance: string;
  /** Resolves when the receipts are committed, and what they cost counts as this instance's own. */
  readonly adopt: (left: AdoptedRequests) => Promise<void>;
}

/** The requests that a dead instance has left open. */
export interface AdoptedRequests {
  readonly all: readonly CloseEntry[];
  /** Entries that nothing has written a receipt for yet. */
  readonly unwritten: readonly CloseEntry[];
}

const CHECK_INTERVAL_MS = 10_000;
/** An instance that has not renewed its lease for so long is dead. */
const INSTANCE_DEAD_MS = 60_000;
const TRIES = 20;

/** Time between two looks that counts at most: while nobody could look, others may have lived. */
const MOST_BETWEEN_MS = 2 * CHECK_INTERVAL_MS;

interface InstanceObservation {
  readonly beat: number;
  /** For how long the same beat was seen, ms. */
  readonly silentMs: number;
}

export class DeadInstanceRecovery {
  readonly #options: DeadInstanceRecoveryOptions;
  readonly #sights = new Map<string, InstanceObservation>();
  /** When the others were seen last, by the monotonic clock. */
  #seenAt = -Infinity;
  #timer: Cancel | undefined;
  #stopped = false;

  constructor(options: DeadInstanceRecoveryOptions) {
    this.#options = options;
  }

  start(): void {
    if (!this.#stopped) {
      this.#timer = this.#options.runtime.clock.after(CHECK_INTERVAL_MS, () => void this.#again());
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  async #again(): Promise<void> {
    try {
      await this.checkInstances();
    } catch (error) {
      this.#options.runtime.log.warn("Cannot check other instances", { error: String(error) });
    }
    this.start();
  }

  /** Looks at everybody once. Throws a StoreError. */
  async checkInstances(): Promise<void> {
    const all = await listInstances(this.#options.store);
    const now = this.#options.runtime.clock.monotonic();
    const passed = Math.min(now - this.#seenAt, MOST_BETWEEN_MS);
    this.#seenAt = now;
    const ids = new Set(all.map(({ id }) => id));
    for (const id of [...this.#sights.keys()]) if (!ids.has(id)) this.#sights.delete(id);
    for (const one of all) {
      if (one.id === this.#options.instance || this.#stopped) continue;
      const dead = one.reaper === undefined ? this.#isSilent(one, passed) : this.#isMine(one, ids);
      if (dead) await this.#bury(one);
    }
  }

  /**
   * Closes the open requests of one dead instance; a failure is tried again at the next look, and does not keep the
   * others from being closed.
   */
  async #bury(one: Instance): Promise<void> {
    try {
      if (await this.#attempt(one)) await this.#reap(one.id, []);
    } catch (error) {
      this.#options.runtime.log.warn("Cannot recover dead instance yet", { error: String(error) });
    }
  }

  /**
   * Closes what an instance has left that ran here before, with the receipts that only its spool holds. False when
   * another one is closing it at the moment. Throws a StoreError.
   */
  async takeOver(id: string, spooled: readonly CloseEntry[]): Promise<boolean> {
    const { store, runtime: { clock, log }, readTagger, adopt } = this.#options;
    const entry = await store.get(instanceKey(id));
    if (!entry) {
      const all = await closeEntriesOf({ open: [], spooled, now: clock.now(), log, readTagger });
      await adopt({ all, unwritten: await withoutStoredReceipts(store, all) });
      return true;
    }
    const found = toInstance(entry);
    if (found.reaper !== undefined || !await this.#attempt(found)) return false;
    return await this.#reap(id, spooled);
  }

  #isSilent({ id, beat }: Instance, passed: number): boolean {
    const sight = this.#sights.get(id);
    const silentMs = sight?.beat === beat ? sight.silentMs + passed : 0;
    this.#sights.set(id, { beat, silentMs });
    return silentMs >= INSTANCE_DEAD_MS;
  }

  /** A retention job that has died itself, and is closed, leaves its work to others. */
  #isMine({ reaper }: Instance, alive: ReadonlySet<string>): boolean {
    return reaper === this.#options.instance || (reaper !== undefined && !alive.has(reaper));
  }

  async #attempt({ id, beat, version }: Instance): Promise<boolean> {
    const { store, instance } = this.#options;
    const key = instanceKey(id);
    const puts = [{ key, value: { beat, reaper: instance } }];
    const result = await store.commit({ checks: [{ key, version }], puts, small: true });
    return result.type === "ok";
  }

  async #reap(id: string, spooled: readonly CloseEntry[]): Promise<boolean> {
    const { store, runtime: { clock, log }, readTagger, adopt } = this.#options;
    if (!await this.#fence(id)) return false;
    const { open } = await recoverJournal(store, id);
    const all = await closeEntriesOf({ open, spooled, now: clock.now(), log, readTagger });
    log.warn("Dead instance recovered; its open requests are closed", { count: all.length });
    await adopt({ all, unwritten: await withoutStoredReceipts(store, all) });
    await store.commit({ deletes: [instanceKey(id)], small: true });
    this.#sights.delete(id);
    return true;
  }

  /** Puts our batch where its next one would stand. True when it cannot write any more. */
  async #fence(id: string): Promise<boolean> {
    const { store, runtime, instance } = this.#options;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { seq, low, fence } = await recoverJournal(store, id);
      if (fence !== undefined) return true;
      const batch = { group: runtime.id(), low, at: runtime.clock.now(), fence: instance, entries: [] };
      const key = batchKey(id, seq);
      const value = appendChecksum(JSON.stringify(batch));
      const result = await store.commit({
        checks: [{ key, version: null }],
        puts: [{ key, value }],
        small: true,
      });
      if (result.type === "ok") return true;
    }
    runtime.log.warn("Instance with expired lease is still writing", { error: id });
    return false;
  }
}

/**
 * The part of a limit that this instance may use, on a store that several instances share: taken ahead with one
 * compare-and-set, spent in memory, and given back as soon as another instance is short of it.
 */

import type { Store, StoreKey } from "../stores/store.ts";
import { StoreError } from "../stores/store.ts";
import type { World } from "../world.ts";
import { bucketsAt } from "./buckets.ts";
import type { Cell, Counter } from "./counter.ts";
import { KeyedLock } from "./keyed_lock.ts";
import type { Scopes } from "./scopes.ts";
import { divide, shareKey, type ShareRow, spentBy, toShareRow, usedIn } from "./share_row.ts";
import { SharedPause } from "./shared_pause.ts";
import { type Bound, type Quota, usedOf } from "./waiting.ts";

export interface SharesOptions {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "log">;
  readonly instance: string;
  readonly scopes: Scopes;
  /** Instances that are alive, or whose open requests nobody has closed yet; read after the call. */
  readonly live: () => Promise<ReadonlySet<string>>;
  /** Resolves when all is in the journal that was decided before. */
  readonly written: () => Promise<void>;
}

/** First part of `["wanted", scope, bucket, instance]`, and of `[…, "given"]` for what was given back. */
export const WANTED = "wanted";
const GIVEN = "given";
/** How long a short instance waits for others to give back, unless it hears of it. */
const POLL_MS = 250;
const TRIES = 10;

/** What this instance knows of its share of one bucket. */
interface Share {
  readonly bucket: string;
  bound: Bound;
  grant: number;
  /** The amount and the kind of spend that the grant was reckoned for. */
  limit: number;
  includeByok: boolean;
  wish: { readonly amount: number; readonly woken: () => void } | undefined;
  busy: boolean;
  announced: boolean;
}

export class Shares implements Quota {
  readonly #options: SharesOptions;
  readonly #shares = new WeakMap<Cell, Share>();
  readonly #pause: SharedPause;
  /** A grant is lowered and raised by one at a time: memory and row must not cross. */
  readonly #locks = new KeyedLock();
  #live: ReadonlySet<string> = new Set();
  #stopped = false;
  /** Whether this instance has ever taken a share. */
  any = false;

  /** Stands for an instance where a share was given back. */
  static readonly given = GIVEN;

  constructor(options: SharesOptions) {
    this.#options = options;
    this.#pause = new SharedPause(options.world.clock, POLL_MS);
  }

  ceiling(bound: Bound): number {
    const share = this.#shares.get(bound.cell);
    return share && fits(share, bound) ? share.grant : -1;
  }

  want(bound: Bound, wish: { readonly amount: number; readonly woken: () => void }): void {
    const share = this.#share(bound);
    share.bound = bound;
    share.wish = wish;
    if (share.busy || this.#stopped) return;
    share.busy = true;
    void this.#serve(share);
  }

  /** Somebody else is short of a bucket: gives back what is not in use. */
  async giveBack(scope: string, bucket: string): Promise<void> {
    const counter = this.#options.scopes.get(scope);
    await this.#options.scopes.load(counter);
    await this.#locks.run(`${scope}/${bucket}`, () => this.#giveBack(counter, bucket));
  }

  async #giveBack(counter: Counter, bucket: string): Promise<void> {
    const { scope } = counter;
    const key = shareKey(scope, bucket);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { row, version } = await this.#read(key);
      const granted = row.grants[this.#options.instance];
      if (granted === undefined) return;
      const used = this.#retreat(counter, bucket);
      if (granted <= used) return;
      // What was released in memory only would be charged again, if this instance died now.
      await this.#options.written();
      const grants = { ...row.grants, [this.#options.instance]: used };
      const given = { key: [WANTED, scope, bucket, GIVEN], value: attempt };
      if (await this.#commit({ key, version, row: { grants } }, [given])) return;
    }
  }

  /** Others have given back, or may have. */
  hurry(): void {
    this.#pause.end();
  }

  /** Says how much more this instance has used than it was granted: the requests of a dead one, begun at `at`. */
  async raise(counter: Counter, at: number): Promise<void> {
    await this.#options.scopes.load(counter);
    for (const bucket of Object.values(bucketsAt(at))) {
      await this.#locks.run(`${counter.scope}/${bucket}`, () => this.#raise(counter, bucket));
    }
  }

  async #raise(counter: Counter, bucket: string): Promise<void> {
    const { instance } = this.#options;
    const key = shareKey(counter.scope, bucket);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { row, version } = await this.#read(key);
      const used = usedIn(counter.cell(bucket));
      if (version === null || (row.grants[instance] ?? 0) >= used) return;
      if (await this.#commit({ key, version, row: { grants: { ...row.grants, [instance]: used } } })) return;
    }
    throw new StoreError(
      "unavailable",
      `Cannot raise a share of ${counter.scope}: others write it all the time`,
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#pause.stop();
  }

  #share(bound: Bound): Share {
    const found = this.#shares.get(bound.cell);
    if (found) return found;
    const bucket = bucketsAt(bound.at)[bound.limit.period];
    const share: Share = {
      bucket,
      bound,
      grant: 0,
      limit: NaN,
      includeByok: false,
      wish: undefined,
      busy: false,
      announced: false,
    };
    this.#shares.set(bound.cell, share);
    return share;
  }

  /** Tries, and waits for others to give back, as long as somebody waits here. */
  async #serve(share: Share): Promise<void> {
    while (!this.#stopped && share.wish && share.bound.counter.queue.length > 0) {
      const { wish } = share;
      let enough = false;
      try {
        const name = `${share.bound.counter.scope}/${share.bucket}`;
        enough = await this.#locks.run(name, () => this.#take(share, wish.amount));
        share.wish = undefined;
        // Whoever is first looks again: at a larger share, or at what others have settled in the meantime.
        wish.woken();
        if (share.wish !== undefined && !enough) await this.#announce(share);
      } catch (error) {
        this.#options.world.log.warn("A share of a limit cannot be taken", { error: String(error) });
      }
      if (!enough && share.wish) await this.#pause.wait();
    }
    share.wish = undefined;
    share.busy = false;
    if (share.announced) await this.#withdraw(share);
  }

  async #take(share: Share, amount: number): Promise<boolean> {
    const { instance, scopes } = this.#options;
    const { bound, bucket } = share;
    const { counter, limit } = bound;
    const key = shareKey(counter.scope, bucket);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { row, version } = await this.#read(key);
      const live = await this.#liveAmong(Object.keys(row.grants));
      const spent = spentBy(await scopes.rowsOf(counter), { bucket, includeByok: limit.includeByok });
      if (!fits(share, bound)) share.grant = 0;
      const used = usedOf(bound);
      // Nothing may be taken in memory on a grant that this commit is about to lower.
      share.grant = Math.max(share.grant, used);
      const division = {
        row,
        live,
        spent,
        own: instance,
        used,
        grant: share.grant,
        amount,
        limit: limit.amount,
      };
      const divided = divide(division);
      if (divided.grant < (row.grants[instance] ?? 0)) await this.#options.written();
      const same = JSON.stringify(divided.row.grants) === JSON.stringify(row.grants);
      if (!same && !await this.#commit({ key, version, row: divided.row })) continue;
      this.any = true;
      share.grant = divided.grant;
      share.limit = limit.amount;
      share.includeByok = limit.includeByok;
      // Who looked alive may be gone by the next time.
      if (!divided.enough) this.#live = new Set();
      return divided.enough;
    }
    return false;
  }

  /** Keeps to what is in use, from now on; how much that is. */
  #retreat(counter: Counter, bucket: string): number {
    const share = this.#shares.get(counter.cell(bucket));
    if (!share) return usedIn(counter.cell(bucket));
    share.grant = Math.min(share.grant, usedOf(share.bound));
    return usedOf(share.bound);
  }

  /** An instance that has a grant has said before that it lives. */
  async #liveAmong(instances: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.#live.size === 0 || instances.some((one) => !this.#live.has(one))) {
      this.#live = await this.#options.live();
    }
    return this.#live;
  }

  async #read(key: StoreKey): Promise<{ readonly row: ShareRow; readonly version: string | null }> {
    const entry = await this.#options.store.get(key);
    if (!entry) return { row: { grants: {} }, version: null };
    return { row: toShareRow(key, entry.value), version: entry.version };
  }

  async #commit(
    { key, version, row }: {
      readonly key: StoreKey;
      readonly version: string | null;
      readonly row: ShareRow;
    },
    more: readonly { readonly key: StoreKey; readonly value: unknown }[] = [],
  ): Promise<boolean> {
    const puts = [{ key, value: row }, ...more];
    const result = await this.#options.store.commit({ checks: [{ key, version }], puts, small: true });
    return result.type === "ok";
  }

  async #announce(share: Share): Promise<void> {
    share.announced = true;
    const value = this.#options.world.clock.now();
    await this.#options.store.commit({ puts: [{ key: this.#wantedKey(share), value }], small: true });
  }

  async #withdraw(share: Share): Promise<void> {
    share.announced = false;
    try {
      await this.#options.store.commit({ deletes: [this.#wantedKey(share)], small: true });
    } catch (error) {
      this.#options.world.log.warn("A wish for a share cannot be withdrawn", { error: String(error) });
    }
  }

  #wantedKey({ bound, bucket }: Share): StoreKey {
    return [WANTED, bound.counter.scope, bucket, this.#options.instance];
  }
}

/** Whether the grant was reckoned for this limit. */
function fits(share: Share, { limit: { amount, includeByok } }: Bound): boolean {
  return share.limit === amount && share.includeByok === includeByok;
}

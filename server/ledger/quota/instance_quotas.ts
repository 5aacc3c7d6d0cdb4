/**
 * The part of a limit that this instance may use, on a store that several instances share: taken ahead with one
 * compare-and-set, spent in memory, and given back as soon as another instance is short of it.
 */

import { type Bound, heldOf, type Quota, usedOf } from "../core/applied_limit.ts";
import { type Store, StoreError } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { bucketsAt } from "../core/bucket_names.ts";
import type { Cell, Counter } from "../core/spend_counter.ts";
import { KeyedLock } from "../../../shared/util/keyed_lock.ts";
import { NewsPause } from "./wakeable_pause.ts";
import type { Scopes } from "../core/counter_cache.ts";
import { divide, type Divided, spentBy, usedIn } from "./quota_division.ts";
import { type Bucket, type Found, ShareRows } from "./quota_store.ts";

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

/** How long a short instance waits for others to give back, unless it hears of it; then it asks again. */
const POLL_MS = 250;
const TRIES = 10;

/** What this instance knows of its share of one bucket. */
interface Share extends Bucket {
  readonly name: string;
  bound: Bound;
  grant: number;
  /** What the row says of this instance; infinite when that is not known. */
  granted: number;
  /** The amount and the kind of spend that the grant was reckoned for. */
  limit: number;
  includeByok: boolean;
  wish: { readonly amount: number; readonly woken: () => void } | undefined;
  /** When the others were told of the wish, by the monotonic clock. */
  asked: number | undefined;
  readonly pause: NewsPause;
}

/** All that a share is reckoned from. */
interface Sight extends Found {
  readonly live: ReadonlySet<string>;
  readonly spent: ReadonlyMap<string, number>;
}

const nameOf = ({ scope, bucket }: Bucket) => `${scope}/${bucket}`;

export class Shares implements Quota {
  readonly #options: SharesOptions;
  readonly #rows: ShareRows;
  readonly #shares = new WeakMap<Cell, Share>();
  /** Those that somebody waits for here, by name. */
  readonly #serving = new Map<string, Share>();
  /** A grant is lowered and raised by one at a time: memory and row must not cross. */
  readonly #locks = new KeyedLock();
  #live: ReadonlySet<string> = new Set();
  #stopped = false;
  /** Whether this instance has ever taken a share. */
  any = false;

  constructor(options: SharesOptions) {
    this.#options = options;
    this.#rows = new ShareRows({ ...options, clock: options.world.clock });
  }

  ceiling(bound: Bound): number {
    const share = this.#shares.get(bound.cell);
    return share && fits(share, bound) ? share.grant : -1;
  }

  want(bound: Bound, wish: { readonly amount: number; readonly woken: () => void }): void {
    const share = this.#share(bound);
    share.bound = bound;
    share.wish = wish;
    if (this.#stopped || this.#serving.has(share.name)) return;
    this.#serving.set(share.name, share);
    void this.#serve(share);
  }

  /** Somebody else is short of a bucket: gives back what is not in use. */
  async giveBack(bucket: Bucket): Promise<void> {
    await this.#locks.run(nameOf(bucket), () => this.#giveBack(bucket));
  }

  async #giveBack({ scope, bucket }: Bucket): Promise<void> {
    const { scopes, instance, written } = this.#options;
    const known = this.#known({ scope, bucket });
    if (known !== undefined && known.granted <= usedOf(known.bound)) return;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const found = await this.#rows.read({ scope, bucket });
      const granted = found.row.grants[instance];
      if (granted === undefined) return;
      const counter = scopes.get(scope);
      await scopes.load(counter);
      const used = this.#retreat(counter, bucket);
      if (granted <= used) return;
      // What was released in memory only would be charged again, if this instance died now.
      await written();
      if (await this.#setOwn(counter, { bucket, found, used, gives: true })) return;
    }
  }

  /** Others have given back, or may have: in one bucket, or in any. */
  hurry(bucket?: Bucket): void {
    if (bucket !== undefined) return this.#serving.get(nameOf(bucket))?.pause.news();
    for (const { pause } of this.#serving.values()) pause.news();
  }

  /** Says how much more this instance has used than it was granted: the requests of a dead one, begun at `at`. */
  async raise(counter: Counter, at: number): Promise<void> {
    const { scope } = counter;
    await this.#options.scopes.load(counter);
    for (const bucket of Object.values(bucketsAt(at))) {
      await this.#locks.run(nameOf({ scope, bucket }), () => this.#raise(counter, bucket));
    }
  }

  async #raise(counter: Counter, bucket: string): Promise<void> {
    const { scope } = counter;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const found = await this.#rows.read({ scope, bucket });
      const used = usedIn(counter.cell(bucket));
      if (found.version === null || (found.row.grants[this.#options.instance] ?? 0) >= used) return;
      if (await this.#setOwn(counter, { bucket, found, used, gives: false })) return;
    }
    throw new StoreError("unavailable", `Cannot raise a share of ${scope}: others write it all the time`);
  }

  stop(): void {
    this.#stopped = true;
    for (const { pause } of this.#serving.values()) pause.stop();
  }

  #share(bound: Bound): Share {
    const found = this.#shares.get(bound.cell);
    if (found) return found;
    const { scope } = bound.counter;
    const bucket = bucketsAt(bound.at)[bound.limit.period];
    const share: Share = {
      scope,
      bucket,
      name: nameOf({ scope, bucket }),
      bound,
      grant: 0,
      granted: Infinity,
      limit: NaN,
      includeByok: false,
      wish: undefined,
      asked: undefined,
      pause: new NewsPause(this.#options.world.clock),
    };
    this.#shares.set(bound.cell, share);
    return share;
  }

  #known({ scope, bucket }: Bucket): Share | undefined {
    const cell = this.#options.scopes.find(scope)?.find(bucket);
    return cell && this.#shares.get(cell);
  }

  /** Tries, and waits for others to give back, as long as somebody waits here. */
  async #serve(share: Share): Promise<void> {
    while (!this.#stopped && share.wish && share.bound.counter.queue.length > 0) {
      const { wish } = share;
      let pause = POLL_MS;
      share.pause.heed();
      try {
        pause = await this.#locks.run(share.name, () => this.#take(share, wish.amount));
        share.wish = undefined;
        // Whoever is first looks again: at a larger share, or at what others have settled in the meantime.
        wish.woken();
      } catch (error) {
        // Whether the row was written is not known.
        share.granted = Infinity;
        this.#options.world.log.warn("A share of a limit cannot be taken", { error: String(error) });
      }
      if (share.wish && pause > 0) await share.pause.wait(pause);
    }
    share.wish = undefined;
    this.#serving.delete(share.name);
    if (share.asked !== undefined) await this.#withdraw(share);
  }

  /** How long to wait before the next try, should somebody wait here by then. */
  async #take(share: Share, amount: number): Promise<number> {
    const { instance: own, world: { clock }, written } = this.#options;
    const { bound } = share;
    const { limit, cell } = bound;
    let found: Sight | undefined;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const begun = clock.monotonic();
      found = await this.#look(share, found);
      if (!fits(share, bound)) share.grant = 0;
      const used = usedOf(bound);
      const { grant } = share;
      const about = { own, used, settled: used - heldOf(limit, cell), grant, amount, limit: limit.amount };
      const divided = divide({ ...found, ...about });
      const gives = divided.grant < (found.row.grants[own] ?? 0);
      // Nothing may be taken in memory on a grant that this commit is about to lower.
      share.grant = Math.min(Math.max(grant, used), divided.grant);
      if (gives) await written();
      const asks = !divided.enough && clock.monotonic() - (share.asked ?? -Infinity) >= POLL_MS;
      const row = isSame(divided, found) ? undefined : divided.row;
      if (!await this.#rows.change(share, { found, row, gives, asks })) continue;
      if (asks) share.asked = clock.monotonic();
      this.#taken(share, { ...divided, limit });
      // All others go first: whoever has won would be back before those who have to read again.
      const turn = (clock.monotonic() - begun) * (found.live.size - 1);
      return divided.enough ? Math.min(POLL_MS, turn) : POLL_MS;
    }
    return POLL_MS;
  }

  /** The limit is the one that was reckoned with: others may have come with another one meanwhile. */
  #taken(share: Share, { grant, enough, limit: { amount, includeByok } }: Taken): void {
    this.any = true;
    share.grant = grant;
    share.granted = grant;
    share.limit = amount;
    share.includeByok = includeByok;
    // Who looked alive may be gone by the next time.
    if (!enough) this.#live = new Set();
  }

  /**
   * What is granted and spent. Rows of spend are read after it is known who is alive: of whoever is not, they say the
   * last word then. They need not be read again as long as no grant of one that is gone was dropped.
   */
  async #look({ scope, bucket, bound }: Share, before: Sight | undefined): Promise<Sight> {
    const { counter, limit: { includeByok } } = bound;
    const alive = this.#live.size === 0 ? this.#lookForLive() : undefined;
    const [found] = await Promise.all([this.#rows.read({ scope, bucket }), alive]);
    // An instance that has a grant has said before that it lives.
    const strange = Object.keys(found.row.grants).some((one) => !this.#live.has(one));
    if (strange) await this.#lookForLive();
    const live = this.#live;
    if (before?.live === live && before.row.gone === found.row.gone) return { ...before, ...found };
    const rows = await this.#options.scopes.rowsOf(counter);
    return { ...found, live, spent: spentBy(rows, { bucket, includeByok }) };
  }

  async #lookForLive(): Promise<void> {
    this.#live = await this.#options.live();
  }

  /** Keeps to what is in use, from now on; how much that is. */
  #retreat(counter: Counter, bucket: string): number {
    const share = this.#shares.get(counter.cell(bucket));
    if (!share) return usedIn(counter.cell(bucket));
    share.grant = Math.min(share.grant, usedOf(share.bound));
    return usedOf(share.bound);
  }

  async #setOwn(counter: Counter, { bucket, found, used, gives }: Setting): Promise<boolean> {
    const { scope } = counter;
    const share = this.#shares.get(counter.cell(bucket));
    const row = { ...found.row, grants: { ...found.row.grants, [this.#options.instance]: used } };
    // Until the answer is there it is not known what the row says.
    if (share) share.granted = Infinity;
    const changed = await this.#rows.change({ scope, bucket }, { found, row, gives, asks: false });
    if (share && changed) share.granted = used;
    return changed;
  }

  async #withdraw(share: Share): Promise<void> {
    share.asked = undefined;
    try {
      await this.#rows.withdraw(share);
    } catch (error) {
      this.#options.world.log.warn("A wish for a share cannot be withdrawn", { error: String(error) });
    }
  }
}

type Taken = Divided & Pick<Bound, "limit">;

interface Setting {
  readonly bucket: string;
  readonly found: Found;
  readonly used: number;
  readonly gives: boolean;
}

/** Whether the grant was reckoned for this limit. */
function fits(share: Share, { limit: { amount, includeByok } }: Bound): boolean {
  return share.limit === amount && share.includeByok === includeByok;
}

function isSame(divided: Divided, { row }: Found): boolean {
  return JSON.stringify(divided.row.grants) === JSON.stringify(row.grants);
}

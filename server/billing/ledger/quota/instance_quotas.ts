/**
 * The part of a limit that this instance may use, on a store that several instances share: taken ahead with one
 * compare-and-set, spent in memory, and given back as soon as another instance is short of it.
 */

import { type InstanceQuota, type QuotaNeed, reservedAmount, usedAmount } from "../core/applied_limit.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { bucketNamesAt } from "../core/counters/bucket_names.ts";
import type { AppliedLimit, QuotaWaiter, SpendBucket, SpendCounter } from "../core/counters/spend_counter.ts";
import { KeyedMutex } from "../../../../shared/util/keyed_mutex.ts";
import {
  firstShortage,
  fitsLimit,
  type HeldQuota,
  heldQuotaOf,
  keepForNeeds,
  keptForOthers,
  quotaName,
  QuotaNeeds,
  type QuotaObservation,
  wakeNeeds,
} from "./held_quota.ts";
import type { CounterCache } from "../core/counters/counter_cache.ts";
import { divideQuota, isSameRow, type QuotaDivision, usedInBucket } from "./quota_division.ts";
import { QuotaObserver } from "./quota_observer.ts";
import { type LimitBucket, type QuotaShortage, QuotaStore, type StoredQuota } from "./quota_store.ts";

interface InstanceQuotasOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  readonly instance: string;
  readonly scopes: CounterCache;
  /** Instances that are alive, or whose open requests nobody has closed yet; read after the call. */
  readonly live: () => Promise<ReadonlySet<string>>;
  /** Resolves when all is in the journal that was decided before. */
  readonly written: () => Promise<void>;
}

/** How long a short instance waits for others to give back, unless it hears of it; then it asks again. */
const POLL_MS = 250;
const TRIES = 10;

export class InstanceQuotas implements InstanceQuota {
  readonly #options: InstanceQuotasOptions;
  readonly #rows: QuotaStore;
  readonly #quotas = new WeakMap<SpendBucket, HeldQuota>();
  /** Quotas that something waits for here, by name. */
  readonly #serving = new Map<string, HeldQuota>();
  readonly #needs = new QuotaNeeds();
  /** A grant is lowered and raised by one at a time: memory and row must not cross. */
  readonly #locks = new KeyedMutex();
  readonly #observer: QuotaObserver;
  #stopped = false;
  /** Whether this instance has ever taken a quota. */
  any = false;

  constructor(options: InstanceQuotasOptions) {
    this.#options = options;
    this.#rows = new QuotaStore({ ...options, clock: options.runtime.clock });
    this.#observer = new QuotaObserver({ ...options, rows: this.#rows });
  }

  ceiling(limit: AppliedLimit): number {
    const quota = this.#quotas.get(limit.bucket);
    return quota && fitsLimit(quota, limit) ? quota.grant : -1;
  }

  need(bound: AppliedLimit, { amount, waiter }: QuotaNeed): void {
    const quota = this.#quota(bound);
    quota.bound = bound;
    this.#needs.add(quota, { bound, amount, waiter, now: this.#options.runtime.clock.monotonic() });
    this.#serveShortages(quota);
  }

  forget(waiter: QuotaWaiter): void {
    this.#needs.forget(waiter);
  }

  #serveShortages(quota: HeldQuota): void {
    if (this.#stopped || this.#serving.has(quota.name) || !firstShortage(quota)) return;
    this.#serving.set(quota.name, quota);
    void this.#serve(quota);
  }

  /** Somebody else is short of a bucket: gives back what is neither in use nor needed here. */
  async release(shortage: QuotaShortage): Promise<void> {
    await this.#locks.run(quotaName(shortage), () => this.#giveBack(shortage));
    const known = this.#known(shortage);
    if (known) this.#serveShortages(known);
  }

  async #giveBack({ scope, bucket, by }: QuotaShortage): Promise<void> {
    const { scopes, instance, written, runtime: { clock } } = this.#options;
    const known = this.#known({ scope, bucket });
    const kept = known ? keepForNeeds(known, { goesFirst: instance < by, now: clock.monotonic() }) : 0;
    if (known !== undefined && known.granted <= usedAmount(known.bound) + kept) return;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const found = await this.#rows.read({ scope, bucket });
      const granted = found.row.grants[instance];
      if (granted === undefined) return;
      const counter = scopes.get(scope);
      await scopes.load(counter);
      const used = this.#retreat(counter, { bucket, kept });
      if (granted <= used) return;
      // What was released in memory only would be charged again, if this instance died now.
      await written();
      if (await this.#setOwn(counter, { bucket, found, used, gives: true })) return;
    }
  }

  /** Others have given back, or may have: in one bucket, or in any. */
  refreshNow(bucket?: LimitBucket): void {
    if (bucket !== undefined) return this.#serving.get(quotaName(bucket))?.pause.wake();
    for (const { pause } of this.#serving.values()) pause.wake();
  }

  /** Says how much more this instance has used than it was granted: the requests of a dead one, begun at `at`. */
  async raise(counter: SpendCounter, at: number): Promise<void> {
    const { scope } = counter;
    await this.#options.scopes.load(counter);
    for (const bucket of Object.values(bucketNamesAt(at))) {
      await this.#locks.run(quotaName({ scope, bucket }), () => this.#raise(counter, bucket));
    }
  }

  async #raise(counter: SpendCounter, bucket: string): Promise<void> {
    const { scope } = counter;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const found = await this.#rows.read({ scope, bucket });
      const used = usedInBucket(counter.bucket(bucket));
      if (found.version === null || (found.row.grants[this.#options.instance] ?? 0) >= used) return;
      if (await this.#setOwn(counter, { bucket, found, used, gives: false })) return;
    }
    throw new StoreError("unavailable", `Cannot raise a quota of ${scope}: others write it all the time`);
  }

  stop(): void {
    this.#stopped = true;
    for (const { pause } of this.#serving.values()) pause.stop();
  }

  #quota(limit: AppliedLimit): HeldQuota {
    const quota = this.#quotas.get(limit.bucket) ?? heldQuotaOf(limit, this.#options.runtime.clock);
    this.#quotas.set(limit.bucket, quota);
    return quota;
  }

  #known({ scope, bucket }: LimitBucket): HeldQuota | undefined {
    const cell = this.#options.scopes.find(scope)?.find(bucket);
    return cell && this.#quotas.get(cell);
  }

  /** Tries, and waits for others to give back, as long as somebody waits here. */
  async #serve(quota: HeldQuota): Promise<void> {
    const served = new Set<QuotaWaiter>();
    for (let first = firstShortage(quota); first && !this.#stopped; first = firstShortage(quota)) {
      const early = quota.yieldedUntil - this.#options.runtime.clock.monotonic();
      quota.pause.reset();
      if (early > 0) {
        await quota.pause.wait(early);
        continue;
      }
      const { bound, amount, waiter } = first;
      quota.bound = bound;
      let pause = POLL_MS;
      try {
        pause = await this.#locks.run(quota.name, () => this.#take(quota, { amount, waiter }));
        served.add(waiter);
        // They look again: at a larger quota, or at what others have settled in the meantime.
        wakeNeeds(quota, waiter);
      } catch (error) {
        // Whether the row was written is not known.
        quota.granted = Infinity;
        this.#options.runtime.log.warn("Cannot acquire instance quota", { error: String(error) });
      }
      const next = firstShortage(quota);
      // One that comes a second time found something that did not stay: that is no reason to hurry.
      if (next !== undefined && served.has(next.waiter)) pause = POLL_MS;
      if (next !== undefined && pause > 0) await quota.pause.wait(pause);
      if (pause > 0) served.clear();
    }
    this.#serving.delete(quota.name);
    if (quota.requested !== undefined) await this.#withdraw(quota);
  }

  /** How long to wait before the next try, should somebody wait here by then. */
  async #take(quota: HeldQuota, { amount, waiter }: QuotaNeed): Promise<number> {
    const { instance, runtime: { clock }, written } = this.#options;
    const { bound } = quota;
    const { limit, bucket } = bound;
    let found: QuotaObservation | undefined;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const begun = clock.monotonic();
      found = await this.#observer.look(quota, found);
      if (!fitsLimit(quota, bound)) quota.grant = 0;
      const used = usedAmount(bound);
      const { grant } = quota;
      const about = {
        own: instance,
        used,
        settled: used - reservedAmount(limit, bucket),
        grant,
        amount,
        kept: keptForOthers(quota, waiter),
        limit: limit.amount,
      };
      const divided = divideQuota({ ...found, ...about });
      const gives = divided.grant < (found.row.grants[instance] ?? 0);
      // Nothing may be taken in memory on a grant that this commit is about to lower.
      quota.grant = Math.min(Math.max(grant, used), divided.grant);
      if (gives) await written();
      const asks = !divided.isSufficient && clock.monotonic() - (quota.requested ?? -Infinity) >= POLL_MS;
      const row = isSameRow(divided.row, found.row) ? undefined : divided.row;
      if (!await this.#rows.change(quota, { found, row, returned: gives, requests: asks })) continue;
      if (asks) quota.requested = clock.monotonic();
      this.#taken(quota, { ...divided, limit });
      // All others go first: anyone who has won would be back before those who have to read again.
      const turn = (clock.monotonic() - begun) * (found.live.size - 1);
      return divided.isSufficient ? Math.min(POLL_MS, turn) : POLL_MS;
    }
    return POLL_MS;
  }

  /** The limit is the one that was computed with: others may have come with another one meanwhile. */
  #taken(
    quota: HeldQuota,
    { grant, isSufficient, limit: { amount, includeByok } }: QuotaGrant,
  ): void {
    this.any = true;
    quota.grant = grant;
    quota.granted = grant;
    quota.limit = amount;
    quota.includeByok = includeByok;
    if (!isSufficient) this.#observer.forgetLive();
  }

  /** Keeps to what is in use and so much more, from now on; how much that is. */
  #retreat(
    counter: SpendCounter,
    { bucket, kept }: { readonly bucket: string; readonly kept: number },
  ): number {
    const quota = this.#quotas.get(counter.bucket(bucket));
    if (!quota) return usedInBucket(counter.bucket(bucket));
    const used = usedAmount(quota.bound);
    quota.grant = Math.min(quota.grant, used + kept);
    return Math.max(used, quota.grant);
  }

  async #setOwn(counter: SpendCounter, { bucket, found, used, gives }: Setting): Promise<boolean> {
    const { scope } = counter;
    const quota = this.#quotas.get(counter.bucket(bucket));
    const row = { ...found.row, grants: { ...found.row.grants, [this.#options.instance]: used } };
    // Until the answer is there it is not known what the row says.
    if (quota) quota.granted = Infinity;
    const change = { found, row, returned: gives, requests: false };
    const changed = await this.#rows.change({ scope, bucket }, change);
    if (quota && changed) quota.granted = used;
    return changed;
  }

  async #withdraw(quota: HeldQuota): Promise<void> {
    quota.requested = undefined;
    try {
      await this.#rows.cancelRequest(quota);
    } catch (error) {
      this.#options.runtime.log.warn("Cannot cancel quota request", { error: String(error) });
    }
  }
}

type QuotaGrant = QuotaDivision & Pick<AppliedLimit, "limit">;

interface Setting {
  readonly bucket: string;
  readonly found: StoredQuota;
  readonly used: number;
  readonly gives: boolean;
}

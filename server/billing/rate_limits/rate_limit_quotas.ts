/**
 * Limits over several processes that share a store: each takes its quota of what nobody else has taken, once a
 * second for every scope in use and off the way of requests. The record of a scope changes by compare-and-set,
 * so all quotas together are never more than the limit; beyond its quota a process lets one request pass when
 * it has none in its window, so that all of them together stay within the limit plus one each.
 */

import { eachRateLimit, rateLimitNames } from "../../../shared/rate_limits.ts";
import { Collection } from "../../storage/stores/collection.ts";
import { pauseBefore, type PauseRuntime } from "../../storage/stores/pause.ts";
import type { CommitResult, Store } from "../../storage/stores/store.ts";
import type { Cancel, Runtime } from "../../runtime.ts";
import type { RateAmounts, RateLimitScope } from "./rate_limit_scope.ts";
import {
  type InstanceHolding,
  isIdleDemand,
  rateQuotaFor,
  type RateQuotaRow,
  rateQuotaRowSchema,
} from "./rate_quota_division.ts";
import { InstanceLiveness } from "./instance_liveness.ts";

interface RateLimitQuotasOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "id" | "log"> & PauseRuntime;
}

const EACH_MS = 1_000;
/** A quota that stays as it is is confirmed this often. */
const RENEW_MS = 3_000;
/** Without a confirmation for so long a process no longer uses its quota: others may be about to take it. */
const RATE_QUOTA_LEASE_MS = 10_000;
/** How long a request waits for the first quota of its scope. */
const JOIN_MS = 1_000;
const TRIES = 5;
/** Kept for scopes that are not in use; without its witness a scope waits again for those who are gone. */
const MAX_WITNESSES = 10_000;
/** Scopes looked at side by side. */
const ABREAST = 16;

/** A scope in use, as this process knows it. */
interface ScopeQuota {
  readonly scope: RateLimitScope;
  readonly witness: InstanceLiveness;
  /** Monotonic ms. */
  confirmedAt: number;
  lapsesAt: number;
  /** Halved with every look, so that it tells of the last seconds. */
  requested: RateAmounts;
  /** Work that is being done with the store; one thing at a time. */
  running: Promise<void>;
}

export class RateLimitQuotas {
  readonly #options: RateLimitQuotasOptions;
  readonly #store: Store;
  readonly #rows: Collection<typeof rateQuotaRowSchema>;
  readonly #id: string;
  readonly #members = new Map<string, ScopeQuota>();
  /** Instances that were seen in scopes that are not in use. */
  readonly #witnesses = new Map<string, InstanceLiveness>();
  #beat = 0;
  #cancel: Cancel | undefined;
  #closed = false;

  constructor(options: RateLimitQuotasOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#rows = new Collection({ store: options.store, name: "rate", schema: rateQuotaRowSchema });
    this.#id = options.runtime.id();
  }

  /** Something to wait for when a scope has no quota yet; its quota is lost when it was not confirmed in time. */
  addScope(scopes: readonly RateLimitScope[]): Promise<unknown> | undefined {
    const now = this.#options.runtime.clock.monotonic();
    const joining: Promise<void>[] = [];
    for (const scope of scopes) {
      const member = this.#members.get(scope.id);
      if (member && now >= member.lapsesAt) scope.setQuotas(() => 0);
      if (scope.lacksQuota && !this.#closed) joining.push(this.#run(member ?? this.#newMember(scope)));
    }
    if (joining.length === 0) return undefined;
    this.#plan();
    return this.#within(Promise.all(joining));
  }

  hasQuota({ id }: RateLimitScope): boolean {
    return this.#members.has(id);
  }

  /** Leaves the others what was not used. To be called when no more requests come. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#each([...this.#members.values()], (member) => this.#run(member));
    this.#members.clear();
  }

  #newMember(scope: RateLimitScope): ScopeQuota {
    const now = this.#options.runtime.clock.monotonic();
    const member: ScopeQuota = {
      scope,
      witness: this.#witnesses.get(scope.id) ?? new InstanceLiveness(),
      confirmedAt: now,
      lapsesAt: Infinity,
      requested: eachRateLimit(() => 0),
      running: Promise.resolve(),
    };
    this.#members.set(scope.id, member);
    return member;
  }

  #plan(): void {
    if (this.#cancel !== undefined || this.#closed || this.#members.size === 0) return;
    this.#cancel = this.#options.runtime.clock.after(EACH_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    await this.#each([...this.#members.values()], (member) => this.#run(member));
    this.#cancel = undefined;
    this.#plan();
  }

  async #each(members: readonly ScopeQuota[], act: (member: ScopeQuota) => Promise<void>): Promise<void> {
    for (let first = 0; first < members.length; first += ABREAST) {
      await Promise.all(members.slice(first, first + ABREAST).map(act));
    }
  }

  /** Never rejects: without the store the quota lapses, and a scope without one has what is left to everybody. */
  #run(member: ScopeQuota): Promise<void> {
    const ran = member.running.then(() => this.#balance(member)).catch((error) => {
      member.scope.setQuotas((_, before) => before);
      if (member.lapsesAt === Infinity) member.lapsesAt = this.#options.runtime.clock.monotonic();
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.runtime.log.warn("Cannot update rate limit quota: store unavailable", { reason });
    });
    member.running = ran;
    return ran;
  }

  async #balance(member: ScopeQuota): Promise<void> {
    const { runtime } = this.#options;
    const { clock } = runtime;
    member.requested = eachRateLimit((name) => Math.floor(member.requested[name] / 2));
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) await pauseBefore(attempt, runtime);
      const found = await this.#rows.get(member.scope.id);
      const began = clock.monotonic();
      const others = this.#others(member, found?.record);
      const leaving = this.#isLeaving(member, began);
      const own = leaving ? undefined : this.#ownOf(member, others);
      if (own && this.#isWritten(member, { own, row: found?.record, began })) return;
      const result = await this.#write(member.scope.id, { own, others, version: found?.version ?? null });
      if (result.type === "conflict") continue;
      if (own === undefined) return this.#forget(member);
      member.confirmedAt = began;
      member.lapsesAt = began + RATE_QUOTA_LEASE_MS;
      return member.scope.setQuotas((name) => own.held[name]);
    }
    throw new Error("others write its record all the time");
  }

  #others({ witness }: ScopeQuota, row: RateQuotaRow | undefined): RateQuotaRow["holders"] {
    const { [this.#id]: _, ...holders } = row?.holders ?? {};
    return witness.living(holders, this.#options.runtime.clock.monotonic());
  }

  /** Nothing is in use and nobody asked for anything lately: the quota goes back before the others are told. */
  #isLeaving(member: ScopeQuota, now: number): boolean {
    const { scope, requested } = member;
    if (scope.isWanted || !scope.isIdle(now) || !isIdleDemand(requested)) return false;
    scope.giveUpQuota();
    return true;
  }

  /**
   * Computes what this process holds from now on. What is given back is not used any more before anybody can take it.
   */
  #ownOf(member: ScopeQuota, others: RateQuotaRow["holders"]): InstanceHolding {
    const { clock } = this.#options.runtime;
    const { limits, used, requested: more } = member.scope.report(clock.monotonic());
    const requested = eachRateLimit((name) => member.requested[name] + more[name]);
    member.requested = requested;
    const held = this.#closed ? used : rateQuotaFor({ id: this.#id, limits, used, requested }, others);
    member.scope.setLess(held);
    return { beat: ++this.#beat, held, asked: this.#closed ? null : requested };
  }

  /** The record says all that already, and others have heard of us lately. */
  #isWritten({ confirmedAt, scope }: ScopeQuota, { own, row, began }: Looked): boolean {
    const before = row?.holders[this.#id];
    if (before === undefined || began - confirmedAt >= RENEW_MS || scope.lacksQuota) return false;
    return rateLimitNames.every((name) =>
      before.held[name] === own.held[name] && before.asked?.[name] === own.asked?.[name]
    );
  }

  #write(id: string, { own, others, version }: Written): Promise<CommitResult> {
    const holders = own === undefined ? others : { ...others, [this.#id]: own };
    const checks = [this.#rows.check([id], version)];
    if (Object.keys(holders).length === 0) {
      return this.#store.commit({ checks, deletes: [this.#rows.key([id])], small: true });
    }
    return this.#store.commit({ checks, puts: [this.#rows.put([id], { holders })], small: true });
  }

  /** Unless somebody has come in between. */
  #forget(member: ScopeQuota): void {
    const { id, inFlight } = member.scope;
    if (inFlight > 0) return;
    this.#members.delete(id);
    this.#witnesses.delete(id);
    if (member.witness.isIdle) return;
    if (this.#witnesses.size >= MAX_WITNESSES) this.#witnesses.clear();
    this.#witnesses.set(id, member.witness);
  }

  #within(joined: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve) => {
      const cancel = this.#options.runtime.clock.after(JOIN_MS, () => resolve(undefined));
      joined.then(() => {
        cancel();
        resolve(undefined);
      });
    });
  }
}

interface Looked {
  readonly own: InstanceHolding;
  readonly row: RateQuotaRow | undefined;
  /** Monotonic ms. */
  readonly began: number;
}

interface Written {
  /** Undefined: this process holds nothing any more. */
  readonly own: InstanceHolding | undefined;
  readonly others: RateQuotaRow["holders"];
  /** Version of the record that this one follows. */
  readonly version: string | null;
}

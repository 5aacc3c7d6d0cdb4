/** One request in the ledger: its calls in memory, and what the journal has to say of it. */

import { startOf } from "../../../shared/util/start_of.ts";
import type { Place } from "../../../shared/util/linked_list.ts";
import { type NanoUsd, toNanoUsd } from "../../../shared/money.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { timestampOf } from "../../../shared/util/timestamps.ts";
import type { Log } from "../../runtime.ts";
import type { Bound } from "./applied_limit.ts";
import type { Buckets } from "./bucket_names.ts";
import { type Amounts, type CellSet, type Counter, hold as holdIn, spend } from "./spend_counter.ts";
import type { CloseEntry, Entry, OpenEntry } from "../journal/journal_batch.ts";
import { type HoldOwner, LedgerHold, MANY_HOLDS, statesOf } from "./reservation.ts";
import { Journaled } from "../journal/journaled_request.ts";
import type { Hold, Limit, Order, Payer, Settlement, Tab, TabOptions } from "./ledger.ts";
import type { Refused, RefusedReceipts } from "./rejected_receipts.ts";
import { isUnpriced, unavailable, unpriced } from "./ledger_errors.ts";
import type { Scopes } from "./counter_cache.ts";
import { Growth, type Placed, Reservation, type Reserving } from "./reservation_attempt.ts";
import { limitsFor } from "./reservation_sizing.ts";
import { TransactionScopes } from "./transaction_scopes.ts";
import type { Waiting } from "./reservation_queue.ts";

/** What tabs share. */
export interface TabWorld {
  readonly scopes: Scopes;
  readonly waiting: Waiting;
  readonly log: Log;
  /** Writes it with the next group. `lazy`: with whatever is written next, or a moment later. */
  readonly journal: (tab: LedgerTab, lazy?: boolean) => void;
  /** Resolves when its calls stand in the journal; writes at once what is not there yet. */
  readonly durable: (tab: LedgerTab) => Promise<void>;
  readonly refused: RefusedReceipts<LedgerTab>;
  /** Throws a Refusal 503 while nothing may be admitted. */
  readonly assertAdmitting: () => void;
}

const MAX_MODEL_CHARS = 200;
/** A call under no limit needs no more said of it; sums of holds stay exact. */
const MOST_SHOWN = 1_000_000_000_000;

export class LedgerTab extends Journaled implements Tab, HoldOwner, Reserving, Refused {
  readonly options: TabOptions;
  /** True once a call of it was made under a limit. */
  limited = false;
  /** Where it stands among the requests under limits that are not closed. */
  owned: Place<LedgerTab> | undefined;
  toldIn: string | undefined;
  readonly #world: TabWorld;
  readonly #scopes: TransactionScopes;
  readonly #holds: LedgerHold[] = [];
  #receipt: Receipt | undefined;
  #closed: Promise<void> | undefined;
  #cost = 0;
  #byok = 0;
  #held = 0;
  #mostHeld = 0;
  #overrun = 0;

  constructor(
    options: TabOptions,
    { world, buckets }: { readonly world: TabWorld; readonly buckets: Buckets },
  ) {
    super();
    this.options = options;
    this.#world = world;
    this.#scopes = new TransactionScopes({ scopes: world.scopes, buckets, at: options.at }, options.payer);
  }

  get counters(): readonly Counter[] {
    return this.#scopes.counters;
  }

  get settled(): Settlement {
    return { cost: toNanoUsd(this.#cost), byok: toNanoUsd(this.#byok) };
  }

  get reserved(): NanoUsd {
    return toNanoUsd(this.#mostHeld);
  }

  get overrun(): NanoUsd {
    return toNanoUsd(this.#overrun);
  }

  get receipt(): Receipt | undefined {
    return this.#receipt;
  }

  get sets(): readonly CellSet[] {
    return this.#scopes.sets;
  }

  /** The payer with its limits as they are now, under whose scopes the request is counted from then on. */
  payer(): Payer | Promise<Payer> {
    const { currentPayer, payer } = this.options;
    const current = currentPayer?.() ?? payer;
    return current instanceof Promise ? current.then((one) => this.#counted(one)) : this.#counted(current);
  }

  #counted(payer: Payer): Payer {
    if (payer === this.#scopes.payer || this.closing) return payer;
    const reserved = { cost: 0, byok: 0 };
    for (const { done, ownKey, amount } of this.#holds) {
      if (!done) reserved[ownKey ? "byok" : "cost"] += amount;
    }
    this.#scopes.include(payer, { settled: this.settled, reserved });
    return payer;
  }

  async reserve(order: Order): Promise<Hold> {
    this.#world.assertAdmitting();
    const limits = await this.#limitsNow(order);
    const { worst, askedCap, usualCap } = order;
    const [first] = limits;
    if (first && isUnpriced(order)) throw unpriced(order, first);
    if (worst === undefined || !first) {
      const amount = Math.min(worst?.total(askedCap ?? usualCap) ?? 0, MOST_SHOWN);
      return this.setAside(order, { size: { amount, cap: askedCap }, bounds: [] });
    }
    const reservation = new Reservation(this, { order, bounds: this.#scopes.boundsOf(limits) });
    const taken = this.#world.waiting.acquire(reservation);
    if (taken instanceof Promise) await taken;
    if (reservation.hold) return reservation.hold;
    throw unavailable("the reservation came to nothing");
  }

  async boundsNow(call: Pick<Order, "byok">): Promise<readonly Bound[]> {
    return this.#scopes.boundsOf(await this.#limitsNow(call));
  }

  /** The limits that a call falls under now; the counters know their rows where there is one. */
  async #limitsNow(call: Pick<Order, "byok">): Promise<readonly Limit[]> {
    for (;;) {
      const payer = this.payer();
      const limits = limitsFor(payer instanceof Promise ? await payer : payer, call);
      // All of them: a receipt that waits for a counter must not be told after those that spend what it left.
      if (limits.length === 0 || this.countable) return limits;
      await this.#read();
    }
  }

  durable(): Promise<void> {
    return this.#world.durable(this);
  }

  moved(): void {
    this.change("progress");
    this.#world.journal(this);
  }

  async grow(hold: LedgerHold, more: NanoUsd): Promise<void> {
    this.#world.assertAdmitting();
    const bounds = await this.boundsNow({ byok: hold.ownKey });
    if (!hold.done) await this.#world.waiting.acquire(new Growth(this, { hold, more, bounds }));
  }

  settle(hold: LedgerHold, { cost, byok }: Settlement): void {
    hold.done = true;
    hold.cost = cost;
    hold.byok = byok;
    this.#cost += cost;
    this.#byok += byok;
    this.#held -= hold.amount;
    const over = hold.ownKey ? byok - hold.amount : cost - hold.amount;
    if (hold.bounds.length > 0 && over > 0) this.#overrun += over;
    const freed = amountsOf(hold, -hold.amount);
    for (const set of this.#scopes.sets) {
      holdIn(set, freed);
      spend(set, hold);
    }
    this.change("progress");
    this.#world.journal(this, true);
    for (const counter of this.counters) if (counter.queue.length > 0) this.#world.waiting.wake(counter);
  }

  close(receipt: Receipt): Promise<void> {
    if (this.#closed) return this.#closed;
    for (const hold of this.#holds) hold.release();
    this.#receipt = this.#agreed(receipt);
    const called = receipt.status !== "refused" || this.#holds.length > 0;
    const teller = called ? undefined : this.#world.refused.keep(this);
    this.#closed = teller === undefined ? this.#write() : Promise.resolve();
    this.toldIn = (teller ?? this).options.id;
    return this.#closed;
  }

  get keyHash(): string {
    return this.options.keyHash;
  }

  standFor(count: number, now: number): void {
    this.replace((receipt) => ({ ...receipt, stands_for: count, ended_at: timestampOf(now) }));
    void this.#write();
  }

  #write(): Promise<void> {
    this.change("close");
    const written = this.written();
    this.#world.journal(this);
    return written;
  }

  replace(change: (receipt: Receipt) => Receipt): void {
    if (this.#receipt) this.#receipt = change(this.#receipt);
  }

  entry(): Entry {
    if (this.#receipt) return this.closeEntry(this.#receipt);
    const brief = this.pendingChange === "progress" && this.#holds.length <= MANY_HOLDS;
    return brief ? this.#progressEntry() : this.openEntry();
  }

  openEntry(): OpenEntry {
    const { id, at, requestId, keyHash, workspaceId, api, streamed, requestedModel } = this.options;
    return {
      type: "open",
      id,
      at,
      scopes: this.#scopes.names,
      about: {
        request_id: requestId,
        key_hash: keyHash,
        workspace_id: workspaceId,
        api: api ?? "responses",
        streamed: streamed ?? false,
        requested_model: requestedModel ? startOf(requestedModel, MAX_MODEL_CHARS) : null,
      },
      holds: statesOf(this.#holds),
    };
  }

  closeEntry(receipt: Receipt): CloseEntry {
    const { at } = this.options;
    return { type: "close", at, scopes: this.#scopes.names, cost: this.#cost, byok: this.#byok, receipt };
  }

  #progressEntry(): Entry {
    const holds = this.#holds.map(({ n, amount, cost, byok, done }) =>
      [n, amount, cost, byok, done ? 1 : 0] satisfies [number, number, number, number, 0 | 1]
    );
    return { type: "progress", id: this.options.id, holds };
  }

  async #read(): Promise<void> {
    await this.#world.scopes.loadAll(this.counters);
    this.#world.assertAdmitting();
    if (this.gone) throw unavailable("the request has ended");
  }

  setAside(order: Order, { size, bounds }: Placed): LedgerHold {
    const lowered = size.cap !== undefined && size.cap < (order.askedCap ?? order.usualCap);
    const hold = new LedgerHold({ owner: this, n: this.#holds.length, order, size, lowered, bounds });
    this.#holds.push(hold);
    if (bounds.length > 0) this.limited = true;
    this.#add(hold, size.amount);
    this.change("open");
    // An answer that is whole at once needs no commit before the one of its receipt.
    this.#world.journal(this, true);
    return hold;
  }

  enlarge(hold: LedgerHold, more: NanoUsd): void {
    hold.amount += more;
    this.#add(hold, more);
    this.moved();
  }

  #add(hold: LedgerHold, amount: number): void {
    const amounts = amountsOf(hold, amount);
    for (const set of this.#scopes.sets) holdIn(set, amounts);
    this.#held += amount;
    this.#mostHeld = Math.max(this.#mostHeld, this.#held);
  }

  get gone(): boolean {
    return this.closing || (this.options.gone?.() ?? false);
  }

  /** A receipt says what is counted. One that says otherwise comes of a mistake of ours, which is logged. */
  #agreed(receipt: Receipt): Receipt {
    if (receipt.cost === this.#cost) return receipt;
    this.#world.log.error("A receipt does not say what was settled", { generation: receipt.id });
    return { ...receipt, cost: this.#cost };
  }
}

function amountsOf({ ownKey }: LedgerHold, amount: number): Amounts {
  return ownKey ? { cost: 0, byok: amount } : { cost: amount, byok: 0 };
}

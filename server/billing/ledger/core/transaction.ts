/** One request in the ledger: its calls in memory, and what the journal has to say of it. */

import type { ListNode } from "../../../../shared/util/linked_list.ts";
import { type NanoUsd, toNanoUsd } from "../../../../shared/money.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { BucketNames } from "./counters/bucket_names.ts";
import {
  addReserved,
  addSettled,
  type AppliedLimit,
  spendAmounts,
  type SpendBuckets,
  type SpendCounter,
} from "./counters/spend_counter.ts";
import type { CloseEntry, JournalEntry, OpenEntry } from "../journal/journal_batch.ts";
import {
  LedgerReservation,
  MAX_LISTED_RESERVATIONS,
  type ReservationOwner,
  reservationStates,
} from "./reservation.ts";
import { JournaledRequest } from "../journal/journaled_request.ts";
import type {
  BillingContext,
  LedgerTransaction,
  Reservation,
  ReservationRequest,
  Settlement,
  SpendingLimit,
  TransactionOptions,
} from "./ledger.ts";
import type { RejectedRequest } from "./rejected_receipts.ts";
import { isUnpriced, ledgerUnavailable, unpricedError } from "./ledger_errors.ts";
import {
  applicableLimits,
  type AttemptOwner,
  CallReservationAttempt,
  Growth,
  type ReservedSize,
} from "./reservation_attempt.ts";
import { TransactionScopes } from "./transaction_scopes.ts";
import { requestSummary, type TransactionDeps } from "./transaction_deps.ts";

/** Bounds what a call under no limit records; sums stay exact. */
const MAX_UNLIMITED_AMOUNT = 1_000_000_000_000;

export class JournaledTransaction extends JournaledRequest
  implements LedgerTransaction, ReservationOwner, AttemptOwner, RejectedRequest {
  readonly options: TransactionOptions;
  /** True once a call of it was made under a limit. */
  limited = false;
  /** Where it stands among the requests under limits that are not closed. */
  openPosition: ListNode<JournaledTransaction> | undefined;
  receiptId: string | undefined;
  readonly #deps: TransactionDeps<JournaledTransaction>;
  readonly #scopes: TransactionScopes;
  readonly #reservations: LedgerReservation[] = [];
  #receipt: Receipt | undefined;
  // deno-lint-ignore tollgate/kept-promises -- a request is closed once
  #closed: Promise<void> | undefined;
  #cost = 0;
  #byok = 0;
  #held = 0;
  #mostHeld = 0;
  #overrun = 0;

  constructor(
    options: TransactionOptions,
    { runtime, buckets }: {
      readonly runtime: TransactionDeps<JournaledTransaction>;
      readonly buckets: BucketNames;
    },
  ) {
    super();
    this.options = options;
    this.#deps = runtime;
    this.#scopes = new TransactionScopes(
      { scopes: runtime.counters, buckets, at: options.at },
      options.billing,
    );
  }

  get counters(): readonly SpendCounter[] {
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

  get bucketSets(): readonly SpendBuckets[] {
    return this.#scopes.sets;
  }

  /** The billing context with its limits as they are now; the request counts under its scopes from then on. */
  billing(): BillingContext | Promise<BillingContext> {
    const { currentBilling, billing } = this.options;
    const current = currentBilling?.() ?? billing;
    return current instanceof Promise ? current.then((one) => this.#counted(one)) : this.#counted(current);
  }

  #counted(billing: BillingContext): BillingContext {
    if (billing === this.#scopes.billing || this.closing) return billing;
    const reserved = { cost: 0, byok: 0 };
    for (const { isFinal, ownKey, amount } of this.#reservations) {
      if (!isFinal) reserved[ownKey ? "byok" : "cost"] += amount;
    }
    this.#scopes.include(billing, { settled: this.settled, reserved });
    return billing;
  }

  async reserve(request: ReservationRequest): Promise<Reservation> {
    this.#deps.assertAdmitting();
    const limits = await this.#limitsNow(request);
    const { costBound, requestedMaxTokens, defaultMaxTokens } = request;
    const [first] = limits;
    if (first && isUnpriced(request)) throw unpricedError(request, first);
    if (costBound === undefined || !first) {
      const amount = Math.min(
        costBound?.total(requestedMaxTokens ?? defaultMaxTokens) ?? 0,
        MAX_UNLIMITED_AMOUNT,
      );
      return this.reserveAmount(request, {
        size: { amount, maxOutputTokens: requestedMaxTokens },
        appliedLimits: [],
      });
    }
    const bounds = this.#scopes.appliedLimitsOf(limits);
    const reservation = new CallReservationAttempt(this, { request, bounds });
    const taken = this.#deps.queue.reserve(reservation);
    // Ends with the time that a reservation waits at most.
    if (taken instanceof Promise) await taken;
    if (reservation.reservation) return reservation.reservation;
    throw ledgerUnavailable("the reservation was not made");
  }

  async appliedLimitsNow(call: Pick<ReservationRequest, "byok">): Promise<readonly AppliedLimit[]> {
    return this.#scopes.appliedLimitsOf(await this.#limitsNow(call));
  }

  /** The limits that a call falls under now; the counters know their rows where there is one. */
  async #limitsNow(call: Pick<ReservationRequest, "byok">): Promise<readonly SpendingLimit[]> {
    for (;;) {
      const billing = this.billing();
      // Ends with the deadlines of the store, from which limits are read.
      const limits = applicableLimits(billing instanceof Promise ? await billing : billing, call);
      // All of them: a receipt that waits for a counter must not be told after those that spend what it left.
      if (limits.length === 0 || this.countable) return limits;
      await this.#read();
    }
  }

  durable(): Promise<void> {
    return this.#deps.whenDurable(this);
  }

  onProgress(): void {
    this.change("progress");
    this.#deps.journal(this);
  }

  async extend(reservation: LedgerReservation, more: NanoUsd): Promise<void> {
    this.#deps.assertAdmitting();
    const appliedLimits = await this.appliedLimitsNow({ byok: reservation.ownKey });
    if (!reservation.isFinal) {
      await this.#deps.queue.reserve(new Growth(this, { reservation, more, bounds: appliedLimits }));
    }
  }

  settle(reservation: LedgerReservation, { cost, byok }: Settlement): void {
    reservation.isFinal = true;
    reservation.cost = cost;
    reservation.byok = byok;
    this.#cost += cost;
    this.#byok += byok;
    this.#held -= reservation.amount;
    const over = reservation.ownKey ? byok - reservation.amount : cost - reservation.amount;
    if (reservation.appliedLimits.length > 0 && over > 0) this.#overrun += over;
    const freed = spendAmounts(reservation, -reservation.amount);
    for (const set of this.#scopes.sets) {
      addReserved(set, freed);
      addSettled(set, reservation);
    }
    this.change("progress");
    this.#deps.journal(this, true);
    for (const counter of this.counters) if (counter.queue.length > 0) this.#deps.queue.wake(counter);
  }

  close(receipt: Receipt): Promise<void> {
    if (this.#closed) return this.#closed;
    for (const reservation of this.#reservations) reservation.release();
    this.#receipt = this.#agreed(receipt);
    const called = receipt.status !== "refused" || this.#reservations.length > 0;
    const teller = called ? undefined : this.#deps.rejectedReceipts.keep(this);
    this.#closed = teller === undefined ? this.#write() : Promise.resolve();
    this.receiptId = (teller ?? this).options.id;
    return this.#closed;
  }

  get keyHash(): string {
    return this.options.keyHash;
  }

  countFor(count: number, now: number): void {
    this.replace((receipt) => ({ ...receipt, stands_for: count, ended_at: new Date(now).toISOString() }));
    void this.#write();
  }

  #write(): Promise<void> {
    this.change("close");
    const written = this.written();
    this.#deps.journal(this);
    return written;
  }

  replace(change: (receipt: Receipt) => Receipt): void {
    if (this.#receipt) this.#receipt = change(this.#receipt);
  }

  entry(): JournalEntry {
    if (this.#receipt) return this.closeEntry(this.#receipt);
    const brief = this.pendingChange === "progress" && this.#reservations.length <= MAX_LISTED_RESERVATIONS;
    return brief ? this.#progressEntry() : this.openEntry();
  }

  openEntry(): OpenEntry {
    const { id, at } = this.options;
    const about = requestSummary(this.options);
    const reservations = reservationStates(this.#reservations);
    return { type: "open", id, at, scopes: this.#scopes.names, about, holds: reservations };
  }

  closeEntry(receipt: Receipt): CloseEntry {
    const { at } = this.options;
    return { type: "close", at, scopes: this.#scopes.names, cost: this.#cost, byok: this.#byok, receipt };
  }

  #progressEntry(): JournalEntry {
    const reservations = this.#reservations.map(({ n, amount, cost, byok, isFinal }) =>
      [n, amount, cost, byok, isFinal ? 1 : 0] satisfies [number, number, number, number, 0 | 1]
    );
    return { type: "progress", id: this.options.id, holds: reservations };
  }

  async #read(): Promise<void> {
    await this.#deps.counters.loadAll(this.counters);
    this.#deps.assertAdmitting();
    if (this.isClosed) throw ledgerUnavailable("the request has already ended");
  }

  reserveAmount(request: ReservationRequest, { size, appliedLimits }: ReservedSize): LedgerReservation {
    const lowered = size.maxOutputTokens !== undefined &&
      size.maxOutputTokens < (request.requestedMaxTokens ?? request.defaultMaxTokens);
    const n = this.#reservations.length;
    const reservation = new LedgerReservation({ owner: this, n, request, size, lowered, appliedLimits });
    this.#reservations.push(reservation);
    if (appliedLimits.length > 0) this.limited = true;
    this.#add(reservation, size.amount);
    this.change("open");
    // An answer that is whole at once needs no commit before the one of its receipt.
    this.#deps.journal(this, true);
    return reservation;
  }

  enlarge(reservation: LedgerReservation, more: NanoUsd): void {
    reservation.amount += more;
    this.#add(reservation, more);
    this.onProgress();
  }

  #add(reservation: LedgerReservation, amount: number): void {
    const amounts = spendAmounts(reservation, amount);
    for (const set of this.#scopes.sets) addReserved(set, amounts);
    this.#held += amount;
    this.#mostHeld = Math.max(this.#mostHeld, this.#held);
  }

  get isClosed(): boolean {
    return this.closing || (this.options.isDisconnected?.() ?? false);
  }

  /** A receipt says what is counted. One that says otherwise comes of a mistake of ours, which is logged. */
  #agreed(receipt: Receipt): Receipt {
    if (receipt.cost === this.#cost) return receipt;
    this.#deps.log.error("Receipt cost differs from settled amount", { generation: receipt.id });
    return { ...receipt, cost: this.#cost };
  }
}

/**
 * The ledger of one process: it alone decides here, in memory, what may be spent, and writes down what it has
 * decided (promises M1–M5). Before it admits anything, it closes what an earlier run has left open.
 */

import type { ApiError } from "../../../../shared/errors.ts";
import { LinkedList } from "../../../../shared/util/linked_list.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { assertLedgerAdmits, assertPayable } from "./admission.ts";
import { fullQuota } from "./applied_limit.ts";
import { BatchBuilder } from "../journal/batch_builder.ts";
import { bucketNamesAt } from "./counters/bucket_names.ts";
import { BatchCommitLoop } from "../journal/group_commit.ts";
import { readSpendOf } from "./counters/spend_counter.ts";
import type { CloseEntry, OpenEntry } from "../journal/journal_batch.ts";
import { Projector } from "../projection/projector.ts";
import { ProjectionBuilder } from "../projection/projection.ts";
import type { JournaledRequest } from "../journal/journaled_request.ts";
import type {
  BillingContext,
  Ledger,
  LedgerTransaction,
  ReservationPreview,
  ReservationRequest,
  SpendByPeriod,
  TransactionOptions,
  UnwrittenReceipts,
} from "./ledger.ts";
import { endStep, writeRest } from "./ledger_close.ts";
import { closeEntriesOf, withoutStoredReceipts } from "../journal/recovery/recovered_requests.ts";
import { type InstanceState, type LedgerOptions, withDefaultLimits } from "./ledger_options.ts";
import { InterruptedRequest } from "../journal/recovery/interrupted_request.ts";
import { previewReservation } from "./reservation_preview.ts";
import { RejectedReceipts } from "./rejected_receipts.ts";
import { ledgerUnavailable, receiptsUnreadable } from "./ledger_errors.ts";
import { CounterCache } from "./counters/counter_cache.ts";
import { InstanceMembership } from "../quota/instance_membership.ts";
import { applicableLimits } from "./reservation_attempt.ts";
import type { SpoolFile } from "../journal/receipt_spool.ts";
import { JournaledTransaction } from "./transaction.ts";
import type { TransactionDeps } from "./transaction_deps.ts";
import { ReservationQueue } from "./reservation_queue.ts";

export class LedgerInstance implements Ledger {
  readonly #scopes: CounterCache;
  readonly #waiting: ReservationQueue;
  readonly #loop: BatchCommitLoop;
  readonly #transactionRuntime: TransactionDeps<JournaledTransaction>;
  readonly #refused: RejectedReceipts<JournaledTransaction>;
  readonly #clock: Runtime["clock"];
  readonly #log: Runtime["log"];
  readonly #store: Store;
  readonly #builder: BatchBuilder;
  /** Undefined on a shared store: others have to see there what is projected as soon as it is written. */
  readonly #projector: Projector | undefined;
  /** Undefined on a store that this process has to itself. */
  readonly #sharing: InstanceMembership | undefined;
  /** Requests under limits that are not closed. */
  readonly #open = new LinkedList<JournaledTransaction>();
  /** Requests of dead instances, whose receipts are in the line. */
  readonly #adopted = new Set<string>();
  readonly #own: InstanceState;
  readonly follow: Ledger["follow"];
  readonly followAll: Ledger["followAll"];

  constructor(options: LedgerOptions, own: InstanceState) {
    const { instance, scopes, followers } = own;
    const { store, runtime, projectionParts } = options;
    const settings = withDefaultLimits(options.limits);
    this.#store = store;
    this.#clock = runtime.clock;
    this.#log = runtime.log;
    this.#scopes = scopes;
    this.#own = own;
    this.follow = (listener) => followers.add(listener);
    this.followAll = (listener) => followers.addToAll(listener);
    const projection = { instance, scopes, parts: projectionParts };
    if (!options.isShared) this.#projector = new Projector({ ...projection, ...settings, store, runtime });
    const draft = options.isShared ? new ProjectionBuilder({ ...projection, log: runtime.log }) : undefined;
    if (options.isShared) this.#sharing = this.#quotaWith(options, instance);
    const quota = this.#sharing?.quotas ?? fullQuota;
    this.#waiting = new ReservationQueue({
      clock: runtime.clock,
      quota,
      ...settings,
      reread: options.isShared,
    });
    const builder = new BatchBuilder({ instance, scopes, draft, runtime, ...settings });
    this.#builder = builder;
    this.#loop = new BatchCommitLoop({
      ...options,
      builder,
      ...own,
      ...settings,
      onCommitted: (batch) => {
        this.#projector?.add(batch);
        followers.tell(batch.receipts);
      },
      onClosed: (transaction) => this.#closed(transaction),
      onFenced: () => this.#fenced(),
    });
    const drop = (transaction: JournaledTransaction) => this.#closed(transaction);
    this.#refused = new RejectedReceipts({ ...settings, clock: runtime.clock, drop });
    this.#transactionRuntime = this.#runtimeOf(runtime);
  }

  #runtimeOf({ log }: LedgerOptions["runtime"]): TransactionDeps<JournaledTransaction> {
    return {
      counters: this.#scopes,
      queue: this.#waiting,
      rejectedReceipts: this.#refused,
      log,
      journal: (transaction, lazy) => {
        if (transaction.limited) transaction.openPosition ??= this.#open.add(transaction);
        this.#loop.add(transaction, lazy);
      },
      whenDurable: (transaction) => this.#loop.whenDurable(transaction),
      assertAdmitting: () => this.#assertAdmitting(),
    };
  }

  admit({ limits }: BillingContext): void | Promise<void> {
    const payable = { scopes: this.#scopes, clock: this.#clock };
    if (limits.every(({ scope }) => this.#scopes.get(scope).loaded)) return assertPayable(limits, payable);
    const counters = limits.map(({ scope }) => this.#scopes.get(scope));
    return this.#scopes.loadAll(counters).then(() => assertPayable(limits, payable));
  }

  openTransaction(options: TransactionOptions): LedgerTransaction {
    return new JournaledTransaction(options, {
      runtime: this.#transactionRuntime,
      buckets: bucketNamesAt(options.at),
    });
  }

  async preview(billing: BillingContext, request: ReservationRequest): Promise<ReservationPreview> {
    this.#assertAdmitting();
    const limits = applicableLimits(billing, request);
    await this.#scopes.loadAll(limits.map(({ scope }) => this.#scopes.get(scope)));
    return previewReservation({
      limits,
      request,
      queue: this.#waiting,
      counterOf: (scope) => this.#scopes.get(scope),
      at: this.#clock.now(),
    });
  }

  limitsChanged(keyHash?: string): void {
    void this.#waiting.reread(keyHash);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get unavailableReason(): string | undefined {
    try {
      this.#assertAdmitting();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  get heldUpReason(): string | undefined {
    return this.#loop.heldUpReason;
  }

  async readSpend(scope: string): Promise<SpendByPeriod> {
    const counter = this.#scopes.get(scope);
    await this.#scopes.refresh(counter);
    return readSpendOf(counter.at(bucketNamesAt(this.#clock.now())));
  }

  async flush(): Promise<void> {
    await this.#loop.flush();
    await this.caughtUp();
  }

  async caughtUp(): Promise<void> {
    try {
      if (this.#refused.write()) await this.#loop.whenWritten();
      await this.#projector?.caughtUp();
    } catch (error) {
      throw receiptsUnreadable(error);
    }
  }

  async close(): Promise<UnwrittenReceipts> {
    this.#refused.end();
    const runtime = { clock: this.#clock, log: this.#log };
    const unwritten = await writeRest(this.#loop, runtime);
    const isWritten = unwritten.spooled + unwritten.lost === 0;
    const left = this.#builder.open === 0 && this.#loop.state === "running" && isWritten;
    this.#loop.stop();
    // What is not projected by then is projected at the next start.
    await endStep("projection", { ...runtime, work: this.#projector?.close() });
    this.#end("the gateway is stopping");
    await this.#release(left);
    return unwritten;
  }

  /** Gives back what it holds besides. */
  async #release(left: boolean): Promise<void> {
    await this.#sharing?.stop(left);
    await endStep("spool", { clock: this.#clock, log: this.#log, work: this.#own.spool?.close() });
  }

  /**
   * Closes what earlier runs have left in the journal and in the spool; on a shared store it takes the lease first.
   * Throws a StoreError or an ApiError.
   */
  async start(open: readonly OpenEntry[], files: readonly SpoolFile[]): Promise<void> {
    if (this.#sharing) {
      await this.#sharing.start();
      for (const { instance, entries, ...file } of files) {
        if (await this.#sharing.takeOver(instance, entries)) file.remove();
        else file.close();
      }
      return;
    }
    await this.#projector?.catchUp();
    const spooled = files.flatMap(({ entries }) => entries);
    const { readTagger } = this.#own;
    const left = { open, spooled, now: this.#clock.now(), log: this.#log, readTagger };
    const endings = await withoutStoredReceipts(this.#store, await closeEntriesOf(left));
    if (endings.length > 0) {
      this.#log.warn("Closed requests interrupted by the previous run", { count: endings.length });
    }
    await this.#adopt(endings);
    await this.#projector?.caughtUp();
    for (const file of files) file.remove();
  }

  #quotaWith({ store, runtime, readTagger }: LedgerOptions, instance: string): InstanceMembership {
    return new InstanceMembership({
      store,
      runtime,
      readTagger,
      instance,
      scopes: this.#scopes,
      lost: () => this.#end("the lease was lost"),
      fenced: () => {
        this.#loop.stop("fenced");
        this.#fenced();
      },
      written: () => this.#loop.whenWritten(),
      adopt: (entries) => this.#adopt(entries),
    });
  }

  #fenced(): void {
    this.#refused.end();
    this.#sharing?.halt();
    this.#end("another instance has taken over");
    this.#own.out();
  }

  /** Ends an instance that may not write any more. */
  leave(): Promise<void> {
    return this.#release(false);
  }

  async #adopt(entries: readonly CloseEntry[]): Promise<void> {
    for (const entry of entries) {
      if (this.#adopted.has(entry.receipt.id)) continue;
      this.#adopted.add(entry.receipt.id);
      this.#loop.add(new InterruptedRequest(entry, this.#scopes));
    }
    await this.#loop.flush();
    for (const { receipt } of entries) this.#adopted.delete(receipt.id);
  }

  #assertAdmitting(): void {
    const { lost } = this.#store;
    assertLedgerAdmits({ state: this.#loop.state, held: this.#sharing?.held, lost });
  }

  #closed(transaction: JournaledRequest): void {
    for (const counter of transaction.counters) counter.openTransactions--;
    if (transaction instanceof JournaledTransaction && transaction.openPosition) {
      this.#open.remove(transaction.openPosition);
    }
  }

  /** Nothing more can be written: ends what waits, and calls under limits. */
  #end(reason: string): void {
    const error: ApiError = ledgerUnavailable(reason);
    for (const counter of this.#scopes.all()) this.#waiting.rejectAll(counter, error);
    for (const transaction of this.#open.all()) transaction.options.onAbort?.(reason);
  }
}

/**
 * The ledger of one process: it alone decides here, in memory, what may be spent, and writes down what it has
 * decided (promises M1–M5). Before it admits anything, it closes what an earlier run has left open.
 */

import type { Refusal } from "../../../shared/errors.ts";
import { OpenList } from "../../../shared/util/linked_list.ts";
import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { assertAdmitting, assertPayable } from "./admission.ts";
import { wholeLimit } from "./applied_limit.ts";
import { BlockBuilder } from "../journal/batch_builder.ts";
import { bucketsAt } from "./bucket_names.ts";
import { CommitLoop } from "../journal/group_commit.ts";
import { spentIn } from "./spend_counter.ts";
import type { CloseEntry, OpenEntry } from "../journal/journal_batch.ts";
import { Poster } from "../projection/projector.ts";
import { PostingDraft } from "../projection/projection.ts";
import { liveInstances } from "../quota/instances.ts";
import type { Journaled } from "../journal/journaled_request.ts";
import { OWN } from "../projection/shard_checkpoints.ts";
import type { Forecast, Ledger, Order, Payer, Spend, Tab, TabOptions } from "./ledger.ts";
import { endingsOf, unwrittenOf } from "../journal/recovered_requests.ts";
import { ledgerLimits } from "./ledger_limits.ts";
import type { LedgerOptions } from "./ledger_options.ts";
import { Orphan } from "../journal/interrupted_request.ts";
import { previewOf } from "./reservation_preview.ts";
import { readLeft } from "../journal/recovery.ts";
import { RefusedReceipts } from "./rejected_receipts.ts";
import { rejoining } from "../quota/rejoin.ts";
import { unavailable } from "./ledger_errors.ts";
import { Scopes } from "./counter_cache.ts";
import { Sharing } from "../quota/instance_membership.ts";
import { limitsFor } from "./reservation_sizing.ts";
import { Spool, type SpoolFile } from "../journal/receipt_spool.ts";
import { LedgerTab, type TabWorld } from "./transaction.ts";
import { Waiting } from "./reservation_queue.ts";

/** Throws a StoreError, or a Refusal when what an earlier run has left cannot be written. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  if (!options.shared) return await openOwner(options, () => {});
  return await rejoining({ ...options, join: (parts, out) => openOwner({ ...options, parts }, out) });
}

/** `out` is called when another instance has taken over. */
async function openOwner(options: LedgerOptions, out: () => void): Promise<Owner> {
  const { store, world, shared } = options;
  const instance = shared ? world.id() : OWN;
  const spool = options.spool === undefined ? undefined : new Spool({ folder: options.spool, instance });
  const live = shared ? () => liveInstances(store) : undefined;
  const scopes = new Scopes({ store, instance, live });
  const left = await readLeft(store, instance);
  const owner = new Owner(options, { instance, spool, scopes, seq: left.seq, out });
  const files = spool?.left() ?? [];
  try {
    await owner.start(left.open, files);
  } catch (error) {
    for (const file of files) file.close();
    await owner.close();
    throw error;
  }
  return owner;
}

interface Start {
  readonly instance: string;
  readonly spool: Spool | undefined;
  readonly scopes: Scopes;
  readonly seq: number;
  readonly out: () => void;
}

class Owner implements Ledger {
  readonly #scopes: Scopes;
  readonly #waiting: Waiting;
  readonly #loop: CommitLoop;
  readonly #tabWorld: TabWorld;
  readonly #refused: RefusedReceipts<LedgerTab>;
  readonly #clock: World["clock"];
  readonly #log: World["log"];
  readonly #store: Store;
  readonly #spool: Spool | undefined;
  readonly #builder: BlockBuilder;
  /** Undefined on a shared store: others have to see there what is posted as soon as it is written. */
  readonly #poster: Poster | undefined;
  /** Undefined on a store that this process has to itself. */
  readonly #sharing: Sharing | undefined;
  /** Requests under limits that are not closed. */
  readonly #open = new OpenList<LedgerTab>();
  /** Requests of dead instances, whose receipts are in the line. */
  readonly #adopted = new Set<string>();
  readonly #out: () => void;

  constructor(options: LedgerOptions, { instance, spool, scopes, seq, out }: Start) {
    const { store, world, parts } = options;
    const settings = ledgerLimits(options.limits);
    this.#store = store;
    this.#spool = spool;
    this.#clock = world.clock;
    this.#log = world.log;
    this.#scopes = scopes;
    this.#out = out;
    const posting = { instance, scopes, parts };
    if (!options.shared) this.#poster = new Poster({ ...posting, store, world });
    const draft = options.shared ? new PostingDraft({ ...posting, log: world.log }) : undefined;
    if (options.shared) this.#sharing = this.#shareWith(options, instance);
    const quota = this.#sharing?.shares ?? wholeLimit;
    this.#waiting = new Waiting({ clock: world.clock, quota, ...settings, reread: options.shared });
    const builder = new BlockBuilder({ instance, scopes, draft, world, ...settings });
    this.#builder = builder;
    this.#loop = new CommitLoop({
      store,
      world,
      builder,
      spool,
      seq,
      ...settings,
      landed: (block) => this.#poster?.add(block),
      closed: (tab) => this.#closed(tab),
      fenced: () => this.#fenced(),
    });
    const drop = (tab: LedgerTab) => this.#closed(tab);
    this.#refused = new RefusedReceipts({ ...settings, clock: world.clock, drop });
    this.#tabWorld = this.#worldOf(world);
  }

  #worldOf({ log }: LedgerOptions["world"]): TabWorld {
    return {
      scopes: this.#scopes,
      waiting: this.#waiting,
      refused: this.#refused,
      log,
      journal: (tab, lazy) => {
        if (tab.limited) tab.owned ??= this.#open.enter(tab);
        this.#loop.add(tab, lazy);
      },
      durable: (tab) => this.#loop.durable(tab),
      assertAdmitting: () => this.#assertAdmitting(),
    };
  }

  admit({ limits }: Payer): void | Promise<void> {
    const payable = { scopes: this.#scopes, clock: this.#clock };
    if (limits.every(({ scope }) => this.#scopes.get(scope).loaded)) return assertPayable(limits, payable);
    const counters = limits.map(({ scope }) => this.#scopes.get(scope));
    return this.#scopes.loadAll(counters).then(() => assertPayable(limits, payable));
  }

  open(options: TabOptions): Tab {
    return new LedgerTab(options, { world: this.#tabWorld, buckets: bucketsAt(options.at) });
  }

  async preview(payer: Payer, order: Order): Promise<Forecast> {
    this.#assertAdmitting();
    const limits = limitsFor(payer, order);
    await this.#scopes.loadAll(limits.map(({ scope }) => this.#scopes.get(scope)));
    return previewOf({
      limits,
      order,
      waiting: this.#waiting,
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

  get refuses(): string | undefined {
    try {
      this.#assertAdmitting();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async spendOf(scope: string): Promise<Spend> {
    const counter = this.#scopes.get(scope);
    await this.#scopes.refresh(counter);
    return spentIn(counter.at(bucketsAt(this.#clock.now())));
  }

  async flush(): Promise<void> {
    await this.#loop.flush();
    await this.posted();
  }

  async posted(): Promise<void> {
    try {
      if (this.#refused.write()) await this.#loop.written();
      await this.#poster?.posted();
    } catch (error) {
      throw unavailable("what was written last cannot be read yet", error);
    }
  }

  async close(): Promise<void> {
    this.#refused.end();
    try {
      await this.#loop.flush();
    } catch (error) {
      this.#log.error("The ledger is closed with receipts unwritten", { error: String(error) });
    }
    const left = this.#builder.open === 0 && this.#loop.state === "running";
    this.#loop.stop();
    await this.#poster?.close();
    this.#end("the gateway is stopping");
    await this.#sharing?.stop(left);
    await this.#spool?.close();
  }

  /**
   * Closes what earlier runs have left in the journal and in the spool; on a shared store it takes the lease first.
   * Throws a StoreError or a Refusal.
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
    await this.#poster?.catchUp();
    const spooled = files.flatMap(({ entries }) => entries);
    const endings = await unwrittenOf(this.#store, endingsOf({ open, spooled, now: this.#clock.now() }));
    if (endings.length > 0) {
      this.#log.warn("Requests that an earlier run has left open are closed", { count: endings.length });
    }
    await this.#adopt(endings);
    await this.#poster?.posted();
    for (const file of files) file.remove();
  }

  #shareWith({ store, world }: LedgerOptions, instance: string): Sharing {
    return new Sharing({
      store,
      world,
      instance,
      scopes: this.#scopes,
      lost: () => this.#end("the lease was lost"),
      fenced: () => {
        this.#loop.stop("fenced");
        this.#fenced();
      },
      written: () => this.#loop.written(),
      adopt: (entries) => this.#adopt(entries),
    });
  }

  #fenced(): void {
    this.#refused.end();
    this.#sharing?.halt();
    this.#end("another instance has taken over");
    this.#out();
  }

  /** Of one that may not write any more: gives back what it holds besides. */
  async leave(): Promise<void> {
    await this.#sharing?.stop(false);
    await this.#spool?.close();
  }

  async #adopt(entries: readonly CloseEntry[]): Promise<void> {
    for (const entry of entries) {
      if (this.#adopted.has(entry.receipt.id)) continue;
      this.#adopted.add(entry.receipt.id);
      this.#loop.add(new Orphan(entry, this.#scopes));
    }
    await this.#loop.flush();
    for (const { receipt } of entries) this.#adopted.delete(receipt.id);
  }

  #assertAdmitting(): void {
    const { lost } = this.#store;
    assertAdmitting({ state: this.#loop.state, held: this.#sharing?.held, lost });
  }

  #closed(tab: Journaled): void {
    for (const counter of tab.counters) counter.users--;
    if (tab instanceof LedgerTab && tab.owned) this.#open.leave(tab.owned);
  }

  /** Nothing more can be written: ends what waits, and calls under limits. */
  #end(reason: string): void {
    const refusal: Refusal = unavailable(reason);
    for (const counter of this.#scopes.all()) this.#waiting.refuseAll(counter, refusal);
    for (const tab of this.#open.all()) tab.options.onAbort?.(reason);
  }
}

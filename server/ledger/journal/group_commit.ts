/**
 * One group commit at a time (promises M5): at once when idle, and what comes during a commit is the next group.
 * What is lazy is in none for a moment (`commit_line.ts`): calls that are over by then need nothing but their receipt.
 * A commit checks only that its own block is absent; whether a commit whose reply was lost has happened is read
 * from the block. While the store fails, receipts go to the spool.
 */

import type { Clock, Log } from "../../runtime.ts";
import { type Store, StoreError } from "../../stores/store.ts";
import { CommitLine } from "./commit_queue.ts";
import type { BlockBuilder, GroupCommit } from "./batch_builder.ts";
import { groupOf } from "./journal_batch.ts";
import { type Journaled, neverWritten, newlyWritten, type Written } from "./journaled_request.ts";
import { unavailable } from "../core/ledger_errors.ts";
import type { Spool } from "./receipt_spool.ts";
import { type Overdue, watchOver } from "./commit_timeout.ts";
import { type ClosedBlock, posted } from "../projection/projection.ts";
import { Watch } from "./stall_aware_timer.ts";

export interface CommitLoopOptions {
  readonly store: Store;
  readonly world: { readonly clock: Clock; readonly log: Log };
  readonly builder: BlockBuilder;
  readonly spool: Spool | undefined;
  /** The first block to write. */
  readonly seq: number;
  /** After so many ms without a commit, nothing is admitted and receipts are spooled. */
  readonly failMs: number;
  /** After so many ms a receipt that is neither stored nor spooled is given up. */
  readonly closeMs: number;
  /** A block with receipts is in the store. */
  readonly landed: (block: ClosedBlock) => void;
  /** A receipt is in the store. */
  readonly closed: (tab: Journaled) => void;
  /** Another instance has declared this one dead: nothing can be written any more. */
  readonly fenced: () => void;
}

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;

export type LoopState = "running" | "failing" | "fenced" | "stopped";

/** The commit that is under way. */
interface Flight {
  readonly group: GroupCommit;
  readonly since: number;
  readonly landed: Written;
}

export class CommitLoop {
  readonly #options: CommitLoopOptions;
  readonly #line: CommitLine;
  #state: LoopState = "running";
  #seq: number;
  #busy = false;
  #flight: Flight | undefined;
  readonly #watch: Watch;
  /** The watch's time when a commit was begun last, or at its last look: near enough for who comes meanwhile. */
  #seen = 0;
  #wakeUp: (() => void) | undefined;
  #quiet: PromiseWithResolvers<void> | undefined;
  readonly #overdue: Overdue;

  constructor(options: CommitLoopOptions) {
    this.#options = options;
    this.#line = new CommitLine(options.world.clock, () => this.kick());
    this.#seq = options.seq;
    this.#watch = new Watch(options.world.clock, () => this.#look());
    this.#overdue = watchOver({ ...options, now: () => this.#watch.now });
  }

  get state(): LoopState {
    return this.#state;
  }

  /** The block that comes next. */
  get seq(): number {
    return this.#seq;
  }

  /** Has a request written with the next group. `lazy`: not for a moment, in which it may come to its end. */
  add(tab: Journaled, lazy = false): void {
    if (this.#over) {
      tab.waiting?.reject(unavailable("this instance may not write any more"));
      tab.waiting = undefined;
      return;
    }
    this.#stamp(tab);
    if (lazy) return this.#line.idle(tab);
    this.#line.join(tab);
    this.kick();
  }

  /**
   * Resolves when what there is to say of a request's calls is in the store, and has it written at once. Rejects
   * with a Refusal when that takes too long or cannot be.
   */
  durable(tab: Journaled): Promise<void> {
    if (tab.saidBefore(this.#seq)) return Promise.resolve();
    const at = tab.unsaid ? tab : this.#flight?.group.items.find((item) => item.tab === tab);
    if (!at || this.#over) return neverWritten(unavailable("it cannot be written"));
    if (at === tab) this.#line.join(tab);
    at.waiting ??= newlyWritten();
    this.#stamp(at);
    this.kick();
    return at.waiting.promise;
  }

  /** Writes what is in the line, unless that is under way. */
  kick(): void {
    if (!this.#busy && this.#line.next.length === 0) return;
    this.#watch.start();
    if (this.#busy) return;
    this.#busy = true;
    queueMicrotask(() => this.#drain());
  }

  /** Resolves when nothing is left to be written. Rejects with a Refusal when it cannot be. */
  async flush(): Promise<void> {
    for (this.#line.joinIdle(false); this.#line.next.length > 0 || this.#busy; this.#line.joinIdle(false)) {
      if (this.#state !== "running") throw unavailable("it cannot be written at the moment");
      this.kick();
      this.#quiet ??= Promise.withResolvers();
      await this.#quiet.promise;
    }
  }

  /**
   * Resolves when all is committed that is under way or in the line now: nothing of it can come back. Rejects with
   * a Refusal when that takes too long.
   */
  async written(): Promise<void> {
    this.#line.joinIdle(false);
    const waits = this.#line.next.map((tab) => tab.written());
    for (const tab of this.#line.next) this.#stamp(tab);
    this.kick();
    await Promise.all([...waits, this.#flight?.landed.promise]);
  }

  get #over(): boolean {
    return this.#state === "fenced" || this.#state === "stopped";
  }

  #stamp({ waiting }: Pick<Journaled, "waiting">): void {
    if (waiting && Number.isNaN(waiting.since)) waiting.since = this.#busy ? this.#seen : this.#watch.now;
  }

  /** Ends the loop, whatever is left. */
  stop(state: "fenced" | "stopped" = "stopped"): void {
    this.#state = state;
    this.#watch.stop();
    this.#wakeUp?.();
    const error = unavailable("this instance may not write any more");
    for (const { waiting } of this.#flight?.group.items ?? []) waiting?.reject(error);
    for (const tab of this.#line.end()) tab.waiting?.reject(error);
    this.#rest();
  }

  async #drain(): Promise<void> {
    for (;;) {
      const group = this.#builderTakes();
      if (!group) break;
      this.#seen = this.#watch.now;
      const flight: Flight = { group, since: this.#seen, landed: newlyWritten() };
      this.#flight = flight;
      const landed = await this.#land(group);
      this.#flight = undefined;
      if (!landed) {
        flight.landed.reject(unavailable("this instance may not write any more"));
        return this.#rest();
      }
      flight.landed.resolve();
      this.#landed(group);
    }
    this.#rest();
    this.#read();
  }

  /** What is still in the line waits for counters to be read; a failure is tried again at the next look. */
  #read(): void {
    const stuck = this.#line.next[0];
    if (!stuck) return;
    this.#options.builder.ready(stuck).then(
      () => this.kick(),
      (error: unknown) => {
        this.#options.world.log.warn("Counters cannot be read", { error: String(error) });
      },
    );
  }

  #builderTakes(): GroupCommit | undefined {
    this.#line.joinIdle();
    const { next } = this.#line;
    return next.length === 0 ? undefined : this.#options.builder.take(next, this.#seq);
  }

  /** Nothing can be written at the moment. */
  #rest(): void {
    this.#busy = false;
    if (this.#line.next.length > 0) return;
    this.#watch.stop();
    this.#quiet?.resolve();
    this.#quiet = undefined;
  }

  #landed({ items, block, posting }: GroupCommit): void {
    this.#seq++;
    if (this.#state === "failing") {
      this.#state = "running";
      this.#options.world.log.info("The ledger can write again");
    }
    if (posting) posted(posting);
    if (block) this.#options.landed(block);
    for (const { tab, waiting, closed } of items) {
      waiting?.resolve();
      if (closed) this.#options.closed(tab);
    }
    this.#overdue.landed(items);
  }

  /** Commits the group, for as long as it takes. False when this instance may not write any more. */
  async #land(group: GroupCommit): Promise<boolean> {
    let whole = true;
    for (let pause = FIRST_PAUSE_MS;; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      if (this.#over) return false;
      const outcome = await this.#try(group, whole);
      if (outcome === "landed") return true;
      if (outcome === "fenced") return this.#fence();
      if (outcome === "refused") {
        if (!whole) return this.#fence();
        whole = false;
        continue;
      }
      await this.#pause(pause);
    }
  }

  async #try(group: GroupCommit, whole: boolean): Promise<"landed" | "fenced" | "refused" | "failed"> {
    const { store, world: { log } } = this.#options;
    const puts = whole ? [...group.puts, ...group.extra] : group.puts;
    try {
      const checks = [{ key: group.key, version: null }];
      const result = await store.commit({ checks, puts, small: true });
      return result.type === "ok" ? "landed" : await this.#whose(group);
    } catch (error) {
      const kind = error instanceof StoreError ? error.kind : undefined;
      const ours = kind === "invalid" || kind === "too_large";
      if (!ours) log.warn("The ledger's commit failed", { error: String(error) });
      if (ours) log.error("The ledger's commit was refused by the store", { error: String(error) });
      return ours ? "refused" : "failed";
    }
  }

  /** Whose block stands where ours should: our own, when the reply to its commit was lost. */
  async #whose({ key, id }: GroupCommit): Promise<"landed" | "fenced" | "failed"> {
    const entry = await this.#options.store.get(key);
    if (!entry) return "failed";
    return groupOf(entry) === id ? "landed" : "fenced";
  }

  #fence(): false {
    this.#options.world.log.error(
      "The ledger was taken over by another instance, or is broken: nothing is admitted",
    );
    this.stop("fenced");
    this.#options.fenced();
    return false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.world.clock.after(ms, resolve);
      const wakeUp = () => {
        cancel();
        resolve();
      };
      this.#wakeUp = wakeUp;
    });
  }

  /** Runs now and then while there is something to write. */
  #look(): void {
    const { world: { log }, failMs } = this.#options;
    const since = this.#flight?.since;
    this.#seen = this.#watch.now;
    if (this.#state === "running" && since !== undefined && this.#seen - since >= failMs) {
      this.#state = "failing";
      this.#quiet?.resolve();
      this.#quiet = undefined;
      log.error("The ledger cannot write: nothing is admitted until it can");
    }
    this.#overdue.look({ flying: this.#flight?.group.items ?? [], line: this.#line.next });
    if (this.#line.next.length > 0 || this.#busy) this.kick();
  }
}

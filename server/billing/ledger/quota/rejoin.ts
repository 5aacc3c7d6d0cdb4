/**
 * An instance that others have declared dead, and that was only held still, comes back by itself: under another
 * name, with nothing of what it knew. What it had open is closed by anyone who took over (promises M2).
 */

import { endStep } from "../core/ledger_close.ts";
import type { ReceiptFollowers, ReceiptListener } from "../core/receipt_followers.ts";
import type { Cancel, Runtime } from "../../../runtime.ts";
import type { ProjectionPart } from "../projection/projection_part.ts";
import type {
  BillingContext,
  Ledger,
  LedgerTransaction,
  ReservationPreview,
  ReservationRequest,
  SpendByPeriod,
  SpendScope,
  TransactionOptions,
  UnwrittenReceipts,
} from "../core/ledger.ts";

/** The ledger under one name. */
interface JoinedLedger extends Ledger {
  /** Gives back what it holds, once it may not write any more. */
  leave(): Promise<void>;
}

interface RejoinOptions {
  readonly runtime: Pick<Runtime, "clock" | "log">;
  readonly projectionParts: readonly ProjectionPart[];
  /** Followers of the process: they stay through all its names. */
  readonly followers: ReceiptFollowers;
  /**
   * Begins under a name of its own. `out` is called when another instance has taken over. Throws a StoreError or an
   * ApiError.
   */
  readonly join: (parts: readonly ProjectionPart[], out: () => void) => Promise<JoinedLedger>;
}

/** Until the next try to come back. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** Throws what `join` throws; later failures are tried again until the ledger is closed. */
export async function openRejoiningLedger(options: RejoinOptions): Promise<Ledger> {
  const ledger = new RejoiningLedger(options);
  await ledger.begin();
  return ledger;
}

class RejoiningLedger implements Ledger {
  readonly #options: RejoinOptions;
  #parts: readonly ProjectionPart[];
  #member: JoinedLedger | undefined;
  #pause = FIRST_PAUSE_MS;
  #timer: Cancel | undefined;
  // deno-lint-ignore tollgate/kept-promises -- the try under way, which the end waits for
  #joining: Promise<void> | undefined;
  #closed = false;

  constructor(options: RejoinOptions) {
    this.#options = options;
    this.#parts = options.projectionParts;
  }

  async begin(): Promise<void> {
    const state = { joined: false, lost: false };
    const member = await this.#options.join(this.#parts, () => {
      state.lost = true;
      if (state.joined) this.#again();
    });
    if (this.#closed) return void await member.close();
    this.#member = member;
    state.joined = true;
    if (state.lost) this.#again();
  }

  admit(billing: BillingContext): void | Promise<void> {
    return this.#now.admit(billing);
  }

  openTransaction(options: TransactionOptions): LedgerTransaction {
    return this.#now.openTransaction(options);
  }

  preview(billing: BillingContext, request: ReservationRequest): Promise<ReservationPreview> {
    return this.#now.preview(billing, request);
  }

  limitsChanged(keyHash?: string): void {
    this.#now.limitsChanged(keyHash);
  }

  get waiting(): number {
    return this.#now.waiting;
  }

  get heldUpReason(): string | undefined {
    return this.#now.heldUpReason;
  }

  get unavailableReason(): string | undefined {
    return this.#now.unavailableReason;
  }

  readSpend(scope: SpendScope): Promise<SpendByPeriod> {
    return this.#now.readSpend(scope);
  }

  flush(): Promise<void> {
    return this.#now.flush();
  }

  caughtUp(): Promise<void> {
    return this.#now.caughtUp();
  }

  follow(listener: ReceiptListener): () => void {
    return this.#options.followers.add(listener);
  }

  followAll(listener: ReceiptListener): () => void {
    return this.#options.followers.addToAll(listener);
  }

  async close(): Promise<UnwrittenReceipts> {
    this.#closed = true;
    this.#timer?.();
    const { clock, log } = this.#options.runtime;
    // One that joins all the same leaves by itself.
    await endStep("joining", { clock, log, work: this.#joining });
    return await this.#member?.close() ?? { spooled: 0, lost: 0 };
  }

  /** The one that is over refuses everything until another one is there. */
  get #now(): JoinedLedger {
    if (this.#member) return this.#member;
    throw new Error("Cannot account: the ledger has not begun");
  }

  #again(): void {
    if (this.#closed) return;
    this.#timer = this.#options.runtime.clock.after(this.#pause, () => this.#joining = this.#rejoin());
    this.#pause = Math.min(this.#pause * 2, MAX_PAUSE_MS);
  }

  async #rejoin(): Promise<void> {
    const { log } = this.#options.runtime;
    try {
      await this.#member?.leave();
      this.#parts = this.#parts.map((part) => part.renewed?.() ?? part);
      await this.begin();
      if (this.#closed) return;
      this.#pause = FIRST_PAUSE_MS;
      log.info("Ledger rejoined under a new instance id");
    } catch (error) {
      log.warn("Ledger cannot rejoin yet", { error: String(error) });
      this.#again();
    }
  }
}

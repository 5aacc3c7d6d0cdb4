/**
 * An instance that others have declared dead, and that was only held still, comes back by itself: under another name,
 * with nothing of what it knew. What it had open is closed by whoever took over (promises M2).
 */

import type { Cancel, World } from "../../runtime.ts";
import type { PostingPart } from "../projection/projection_part.ts";
import type { Forecast, Ledger, Order, Payer, ScopeId, Spend, Tab, TabOptions } from "../core/ledger.ts";

/** The ledger under one name. */
export interface Member extends Ledger {
  /** Gives back what it holds, once it may not write any more. */
  leave(): Promise<void>;
}

export interface RejoiningOptions {
  readonly world: Pick<World, "clock" | "log">;
  readonly parts: readonly PostingPart[];
  /** Begins under a name of its own. `out` is called when another instance has taken over. Throws a StoreError or Refusal. */
  readonly join: (parts: readonly PostingPart[], out: () => void) => Promise<Member>;
}

/** Until the next try to come back. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** Throws what `join` throws; later failures are tried again until the ledger is closed. */
export async function rejoining(options: RejoiningOptions): Promise<Ledger> {
  const ledger = new Rejoining(options);
  await ledger.begin();
  return ledger;
}

class Rejoining implements Ledger {
  readonly #options: RejoiningOptions;
  #parts: readonly PostingPart[];
  #member: Member | undefined;
  #pause = FIRST_PAUSE_MS;
  #timer: Cancel | undefined;
  #joining: Promise<void> | undefined;
  #closed = false;

  constructor(options: RejoiningOptions) {
    this.#options = options;
    this.#parts = options.parts;
  }

  async begin(): Promise<void> {
    const state = { joined: false, lost: false };
    this.#member = await this.#options.join(this.#parts, () => {
      state.lost = true;
      if (state.joined) this.#again();
    });
    state.joined = true;
    if (state.lost) this.#again();
  }

  admit(payer: Payer): void | Promise<void> {
    return this.#now.admit(payer);
  }

  open(options: TabOptions): Tab {
    return this.#now.open(options);
  }

  preview(payer: Payer, order: Order): Promise<Forecast> {
    return this.#now.preview(payer, order);
  }

  limitsChanged(keyHash?: string): void {
    this.#now.limitsChanged(keyHash);
  }

  get waiting(): number {
    return this.#now.waiting;
  }

  get refuses(): string | undefined {
    return this.#now.refuses;
  }

  spendOf(scope: ScopeId): Promise<Spend> {
    return this.#now.spendOf(scope);
  }

  flush(): Promise<void> {
    return this.#now.flush();
  }

  posted(): Promise<void> {
    return this.#now.posted();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.();
    await this.#joining;
    await this.#member?.close();
  }

  /** The one that is over refuses everything until another one is there. */
  get #now(): Member {
    if (this.#member) return this.#member;
    throw new Error("Cannot account: the ledger has not begun");
  }

  #again(): void {
    if (this.#closed) return;
    this.#timer = this.#options.world.clock.after(this.#pause, () => this.#joining = this.#rejoin());
    this.#pause = Math.min(this.#pause * 2, MAX_PAUSE_MS);
  }

  async #rejoin(): Promise<void> {
    const { log } = this.#options.world;
    try {
      await this.#member?.leave();
      this.#parts = this.#parts.map((part) => part.renewed?.() ?? part);
      await this.begin();
      this.#pause = FIRST_PAUSE_MS;
      log.info("The ledger goes on under another name");
    } catch (error) {
      log.warn("The ledger cannot come back yet", { error: String(error) });
      this.#again();
    }
  }
}

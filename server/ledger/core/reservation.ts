/** Money set aside for one call of a request. */

import { toNanoUsd } from "../../../shared/money.ts";
import type { NanoUsd } from "../../../shared/money.ts";
import type { Bound } from "./applied_limit.ts";
import type { HoldState } from "../journal/journal_batch.ts";
import type { Hold, Order, Settlement } from "./ledger.ts";
import type { Size } from "./reservation_queue.ts";

/** The tab, as its holds see it. */
export interface HoldOwner {
  /** How far a call is has changed. */
  moved(hold: LedgerHold): void;
  grow(hold: LedgerHold, more: NanoUsd): Promise<void>;
  settle(hold: LedgerHold, final: Settlement): void;
  /** Resolves when its calls stand in the journal. */
  durable(): Promise<void>;
}

export interface HoldOptions {
  readonly owner: HoldOwner;
  readonly n: number;
  readonly order: Order;
  readonly size: Size;
  readonly lowered: boolean;
  /** The limits that it counts against. */
  readonly bounds: readonly Bound[];
}

export class LedgerHold implements Hold {
  readonly n: number;
  readonly outputCap: number | undefined;
  readonly lowered: boolean;
  readonly bounds: readonly Bound[];
  readonly ownKey: boolean;
  amount: number;
  cost = 0;
  byok = 0;
  done = false;
  readonly #owner: HoldOwner;
  /** What the input is estimated to cost is asked of it when the journal wants to know. */
  #worst: Order["worst"];
  #input = 0;
  readonly #endpoint: Order["endpoint"];

  constructor({ owner, n, order, size, lowered, bounds }: HoldOptions) {
    this.#owner = owner;
    this.n = n;
    this.outputCap = size.cap;
    this.lowered = lowered;
    this.bounds = bounds;
    this.ownKey = order.byok;
    this.amount = size.amount;
    this.#worst = order.worst;
    this.#endpoint = order.endpoint;
  }

  get limited(): boolean {
    return this.bounds.length > 0;
  }

  get reserved(): NanoUsd {
    return toNanoUsd(this.amount);
  }

  durable(): Promise<void> {
    return this.#owner.durable();
  }

  progress({ cost, byok }: Settlement): void {
    if (this.done) return;
    this.cost = cost;
    this.byok = byok;
    this.#owner.moved(this);
  }

  grow(more: NanoUsd): Promise<void> {
    return this.done ? Promise.resolve() : this.#owner.grow(this, more);
  }

  settle(final: Settlement): void {
    if (!this.done) this.#owner.settle(this, final);
  }

  release(): void {
    this.settle(NOTHING);
  }

  /** Once it is known, the request that it was worked out from may go. */
  #estimate(): number {
    if (this.#worst === undefined) return this.#input;
    this.#input = this.#worst.input;
    this.#worst = undefined;
    return this.#input;
  }

  state(): HoldState {
    const { n, amount: reserved, cost, byok, done } = this;
    const { id, model, provider } = this.#endpoint;
    return {
      n,
      reserved,
      cost,
      byok,
      done,
      input: this.#estimate(),
      own_key: this.ownKey,
      endpoint: { id, model, provider },
    };
  }
}

const NOTHING: Settlement = { cost: toNanoUsd(0), byok: toNanoUsd(0) };

/** Calls of one request from which on those that are over are told as one: a block has to hold them. */
export const MANY_HOLDS = 20;

/** The states of a request's calls; of many, those that are over are added up in the last of them. */
export function statesOf(holds: readonly LedgerHold[]): HoldState[] {
  const states = holds.map((hold) => hold.state());
  if (states.length <= MANY_HOLDS) return states;
  const last = states.findLast(({ done }) => done);
  if (!last) return states;
  const over = states.filter(({ done }) => done);
  const sumOf = (field: "reserved" | "cost" | "byok") => over.reduce((sum, state) => sum + state[field], 0);
  const sum = { ...last, reserved: sumOf("reserved"), cost: sumOf("cost"), byok: sumOf("byok") };
  return [sum, ...states.filter(({ done }) => !done)];
}

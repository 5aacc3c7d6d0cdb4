/**
 * The keys that spent most this month, kept in memory from the sums that are written with receipts. Days that are long
 * over are read once, in the background; the last days again when somebody asks and half a minute has passed. Several
 * instances each keep their own, which differ by what was charged in that time.
 */

import { SharedWork } from "../../../../shared/util/memo.ts";
import { queryUsage } from "../../../billing/ledger/usage/usage_query.ts";
import type { ManagementDeps } from "../../core/management_deps.ts";

const DAY_MS = 86_400_000;
/** A request counts where it began, so days are settled a while after their end. */
const OPEN_DAYS = 2;
const FRESH_MS = 30_000;
const MOST = 1_000;
/** Combinations that one reading takes: 100,000 keys of a month. */
const MOST_ROWS = 5_000_000;

interface Spender {
  readonly hash: string;
  readonly workspaceId: string;
}

interface Spenders {
  /** Spenders, largest spend first. */
  readonly top: readonly Spender[];
  /** Nano-USD of this month by hash. */
  readonly spent: ReadonlyMap<string, number>;
  /** Null until they were counted for the first time. */
  readonly asOf: string | null;
}

interface Counted {
  readonly workspaceId: string;
  cost: number;
}

type Sums = Map<string, Counted>;

const copy = (sums: Sums): Sums => new Map([...sums].map(([hash, one]) => [hash, { ...one }]));

export class TopSpenders {
  readonly #deps: Pick<ManagementDeps, "store" | "runtime" | "ledger">;
  #past: { readonly month: number; readonly until: number; readonly sums: Sums } = {
    month: 0,
    until: 0,
    sums: new Map(),
  };
  #current: Spenders = { top: [], spent: new Map(), asOf: null };
  #readAt = -Infinity;
  readonly #counts = new SharedWork<"all", void>();

  constructor(deps: Pick<ManagementDeps, "store" | "runtime" | "ledger">) {
    this.#deps = deps;
  }

  /** As they were counted last; the first time waits until they are. */
  async read(): Promise<Spenders> {
    const { clock } = this.#deps.runtime;
    if (clock.monotonic() - this.#readAt < FRESH_MS) return this.#current;
    await this.#counts.run("all", () => this.#count());
    return this.#current;
  }

  async #count(): Promise<void> {
    const { runtime: { clock }, ledger } = this.#deps;
    await ledger.caughtUp();
    const now = clock.now();
    const date = new Date(now);
    const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    if (this.#past.month !== month) this.#past = { month, until: month, sums: new Map() };
    const settled = Math.max(month, (Math.floor(now / DAY_MS) - OPEN_DAYS) * DAY_MS);
    if (settled > this.#past.until) {
      const sums = copy(this.#past.sums);
      await this.#add(sums, { from: this.#past.until, to: settled });
      this.#past = { month, until: settled, sums };
    }
    const sums = copy(this.#past.sums);
    await this.#add(sums, { from: this.#past.until, to: now + DAY_MS });
    const top = [...sums].filter(([, { cost }]) => cost > 0).sort(([, a], [, b]) => b.cost - a.cost).slice(
      0,
      MOST,
    );
    this.#current = {
      top: top.map(([hash, { workspaceId }]) => ({ hash, workspaceId })),
      spent: new Map([...sums].map(([hash, { cost }]) => [hash, cost])),
      asOf: new Date(now).toISOString(),
    };
    this.#readAt = clock.monotonic();
  }

  async #add(sums: Sums, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
    const query = { from, to, grain: "day", by: ["key", "workspace"], maxRows: MOST_ROWS } as const;
    const { groups } = await queryUsage(this.#deps.store, query);
    for (const { values: [hash = "", workspaceId = ""], totals } of groups) {
      const known = sums.get(hash);
      if (known === undefined) sums.set(hash, { workspaceId, cost: totals.cost });
      else known.cost += totals.cost;
    }
  }
}

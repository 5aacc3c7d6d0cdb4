/**
 * When each key was used last, kept in memory from the sums that are written with receipts. They are read once; the
 * last hours again when somebody asks and half a minute has passed. Several instances each keep their own.
 */

import { SharedWork } from "../../../../shared/util/memo.ts";
import { queryUsage } from "../../../billing/ledger/usage/usage_query.ts";
import type { ManagementDeps } from "../../core/management_deps.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days of which hours are told apart. */
const HOURLY_DAYS = 31;
/** A request counts where it began, and its receipt is written when it ends. */
const OPEN_HOURS = 6;
const FRESH_MS = 30_000;

interface KeyUse {
  readonly workspaceId: string;
  /** Start of the hour, or of the day, in ms since the epoch. */
  readonly at: number;
}

interface RankedUse extends KeyUse {
  readonly hash: string;
}

/** By hash; a key that is not among them was never used. */
export type KeyUses = ReadonlyMap<string, KeyUse>;

interface UseRange {
  readonly from: number;
  readonly to: number;
  readonly grain: "hour" | "day";
}

export class LastUse {
  readonly #deps: Pick<ManagementDeps, "store" | "runtime" | "ledger">;
  readonly #uses = new Map<string, KeyUse>();
  /** Hashes with their workspaces, those used last first; undefined where it has to be sorted anew. */
  #ranked: readonly RankedUse[] | undefined;
  /** Start of the first hour that has to be read again; undefined before the first reading. */
  #open: number | undefined;
  #readAt = -Infinity;
  readonly #reads = new SharedWork<"all", void>();

  constructor(deps: Pick<ManagementDeps, "store" | "runtime" | "ledger">) {
    this.#deps = deps;
  }

  /** As they were read last, at most half a minute ago; the first time waits until they are. */
  async read(): Promise<KeyUses> {
    const { clock } = this.#deps.runtime;
    if (clock.monotonic() - this.#readAt >= FRESH_MS) await this.#reads.run("all", () => this.#read());
    return this.#uses;
  }

  /** All keys that were ever used, those used last first. */
  async ranked(): Promise<readonly RankedUse[]> {
    const uses = await this.read();
    this.#ranked ??= [...uses].map(([hash, use]) => ({ hash, ...use }))
      .sort((a, b) => b.at - a.at || (a.hash < b.hash ? -1 : 1));
    return this.#ranked;
  }

  /** As `read`, without waiting; undefined while they are read for the first time, which this begins. */
  async readSoon(): Promise<KeyUses | undefined> {
    if (this.#open !== undefined) return await this.read();
    this.read().catch((error: unknown) => {
      this.#deps.runtime.log.warn("Cannot read last use of keys", { error: String(error) });
    });
    return undefined;
  }

  async #read(): Promise<void> {
    const { runtime: { clock }, ledger } = this.#deps;
    await ledger.caughtUp();
    const began = clock.monotonic();
    const now = clock.now();
    const hourly = (Math.floor(now / DAY_MS) - HOURLY_DAYS) * DAY_MS;
    await this.#add({ from: this.#open ?? hourly, to: now + DAY_MS, grain: "hour" });
    if (this.#open === undefined) await this.#add({ from: 0, to: hourly, grain: "day" });
    this.#open = (Math.floor(now / HOUR_MS) - OPEN_HOURS) * HOUR_MS;
    this.#readAt = began;
    this.#ranked = undefined;
  }

  async #add(range: UseRange): Promise<void> {
    const query = { ...range, by: ["key", "workspace"], maxRows: Infinity } as const;
    const { groups } = await queryUsage(this.#deps.store, query);
    for (const { values: [hash = "", workspaceId = ""], newest } of groups) {
      const known = this.#uses.get(hash);
      if (known === undefined || known.at < newest) this.#uses.set(hash, { workspaceId, at: newest });
    }
  }
}

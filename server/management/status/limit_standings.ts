/**
 * Compares every limit of keys and workspaces with what is spent. A gateway may have 100,000 keys, so the work
 * pauses between slices, and what took long is answered from memory for a while: it takes a twentieth of the time at
 * most.
 */

import { nanoToUsd, usdFromNumber } from "../../../shared/money.ts";
import { budgetIntervals } from "../../../shared/budget_intervals.ts";
import type {
  AttentionBudget,
  AttentionKey,
  LimitStanding,
  WorkspaceStanding,
} from "../../../shared/management/attention.ts";
import { EXPIRING_DAYS, limitStanding } from "../../../shared/management/lists/key_sorts.ts";
import { SharedWork } from "../../../shared/util/memo.ts";
import { workspaceScope } from "../budgets/limit_resolver.ts";
import { budgetCollection } from "../budgets/budget_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { iterateRecords } from "../core/pages.ts";
import { serializeLimit, zeroSpend } from "../keys/key_record.ts";
import { keyCollection, type KeyRow, keyScope, MAX_COUNTED_USD } from "../keys/key_rows.ts";
import { type NamedLimit, NearestLimits } from "./nearest_limits.ts";
import { workspaceCollection } from "../workspaces/workspace_rows.ts";

const DAY_MS = 86_400_000;
const EXPIRING_MS = EXPIRING_DAYS * DAY_MS;
/** Keys between two pauses. */
const SLICE = 100;
/** Lists are made again after this many times the time that it took. */
const REST = 20;
/** Readers wait for lists that take as long as this; else they get those before. */
const WAIT_MS = 500;

interface Deps extends Pick<ManagementDeps, "store" | "ledger" | "runtime" | "pause"> {
  /** Limits that `nearest` has at most; none by default. */
  readonly mostNearest?: number;
  /** Which limits are in `kept`; none by default. */
  readonly keeps?: (limit: NamedLimit) => boolean;
}

interface StandingLists {
  /** When limits began to be compared, and when that was over: milliseconds since the epoch. */
  readonly at: number;
  readonly until: number;
  readonly keys: { readonly [S in LimitStanding | "expiring"]: readonly AttentionKey[] };
  readonly budgets: { readonly [S in LimitStanding]: readonly AttentionBudget[] };
  readonly workspaces: readonly WorkspaceStanding[];
  /** The limits of which the least is left. */
  readonly nearest: ReturnType<NearestLimits["list"]>;
  readonly kept: readonly NamedLimit[];
}

/** Number of active keys by workspace. */
type KeyCounts = Map<string, number>;

interface FoundOnTheWay {
  readonly counts: KeyCounts;
  readonly note: (limit: NamedLimit) => void;
}

/** Lists by standing while they are collected. */
type Found<Item, Group extends string> = { readonly [G in Group]: Item[] };

interface KnownLists {
  readonly lists: StandingLists;
  /** Monotonic ms from when on they are made again. */
  readonly staleAt: number;
  readonly tookMs: number;
}

export class LimitStandings {
  readonly #deps: Deps;
  readonly #work = new SharedWork<"all", StandingLists>();
  #known: KnownLists | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async read(): Promise<StandingLists> {
    const known = this.#known;
    if (this.#isFresh) return known?.lists ?? await this.#next();
    const next = this.#next();
    if (known === undefined || known.tookMs < WAIT_MS) return await next;
    this.#logFailure(next);
    return known.lists;
  }

  /** Gives the lists that were made last, without waiting, and has them made anew where they are old. */
  latest(): StandingLists | undefined {
    if (!this.#isFresh) this.#logFailure(this.#next());
    return this.#known?.lists;
  }

  get #isFresh(): boolean {
    return this.#known !== undefined && this.#deps.runtime.clock.monotonic() < this.#known.staleAt;
  }

  #next(): Promise<StandingLists> {
    return this.#work.run("all", () => this.#compare());
  }

  #logFailure(work: Promise<StandingLists>): void {
    const { log } = this.#deps.runtime;
    work.catch((error) => log.error("Cannot compare limits with what is spent", { error: String(error) }));
  }

  async #compare(): Promise<StandingLists> {
    const { ledger, runtime: { clock } } = this.#deps;
    const began = clock.monotonic();
    await ledger.caughtUp();
    const at = clock.now();
    const nearest = new NearestLimits(this.#deps.mostNearest ?? 0);
    const kept: NamedLimit[] = [];
    const note = (limit: NamedLimit) => {
      nearest.add(limit);
      if (this.#deps.keeps?.(limit)) kept.push(limit);
    };
    const found = { counts: new Map(), note };
    const keys = await this.#keys(at, found);
    const workspaces = await this.#workspaces(found);
    const lists = { at, until: clock.now(), keys, ...workspaces, nearest: nearest.list(), kept };
    const tookMs = clock.monotonic() - began;
    this.#known = { lists, tookMs, staleAt: began + tookMs * (1 + REST) };
    return lists;
  }

  /** Counts the active keys and notes their limits on the way. */
  async #keys(now: number, { counts, note }: FoundOnTheWay): Promise<StandingLists["keys"]> {
    const { store, ledger, pause } = this.#deps;
    const found: Found<AttentionKey, LimitStanding | "expiring"> = { reached: [], nearly: [], expiring: [] };
    let seen = 0;
    for await (const { record } of iterateRecords(keyCollection(store))) {
      if (++seen % SLICE === 0) await pause();
      const leftMs = record.expires_at === null ? Infinity : Date.parse(record.expires_at) - now;
      if (record.kind !== "api" || record.disabled || leftMs <= 0) continue;
      counts.set(record.workspace_id, (counts.get(record.workspace_id) ?? 0) + 1);
      const spend = record.limit === null ? zeroSpend : await ledger.readSpend(keyScope(record));
      const key = toAttentionKey(record, serializeLimit(record, spend));
      if (leftMs <= EXPIRING_MS) found.expiring.push(key);
      if (key.limit === null || key.limit_remaining === null) continue;
      const { hash: id, name, workspace_id: workspaceId, limit, limit_remaining: left } = key;
      const interval = record.limit_reset ?? "lifetime";
      note({ subject: "key", id, name, workspaceId, scope: keyScope(record), interval, limit, left });
      const standing = limitStanding(limit, left);
      if (standing !== undefined) found[standing].push(key);
    }
    const byExpiry = (a: AttentionKey, b: AttentionKey) =>
      (a.expires_at ?? "").localeCompare(b.expires_at ?? "");
    return {
      reached: found.reached.sort(byLimit),
      nearly: found.nearly.sort(byLimit),
      expiring: found.expiring.sort(byExpiry),
    };
  }

  async #workspaces(
    { counts, note }: FoundOnTheWay,
  ): Promise<Pick<StandingLists, "budgets" | "workspaces">> {
    const { store, ledger } = this.#deps;
    const found: Found<AttentionBudget, LimitStanding> = { reached: [], nearly: [] };
    const workspaces: WorkspaceStanding[] = [];
    const budgets = budgetCollection(store);
    for await (const { record: workspace } of iterateRecords(workspaceCollection(store))) {
      if (workspace.state === "deleting") continue;
      const own: WorkspaceStanding["budgets"][number][] = [];
      const active_keys = counts.get(workspace.id) ?? 0;
      workspaces.push({ workspace_id: workspace.id, active_keys, budgets: own });
      const rows = (await budgets.get(workspace.id))?.record;
      if (rows === undefined) continue;
      const spend = await ledger.readSpend(workspaceScope(workspace.id));
      for (const interval of budgetIntervals) {
        const limit = rows[interval]?.limit_usd;
        if (limit === undefined) continue;
        const { cost, byok } = spend[interval];
        const spent = cost + (workspace.include_byok_in_budgets ? byok : 0);
        own.push({ interval, limit, spent: nanoToUsd(BigInt(spent)) });
        const left = Math.max(0, usdFromNumber(Math.min(limit, MAX_COUNTED_USD)) - spent);
        const budget = {
          workspace_id: workspace.id,
          interval,
          limit,
          limit_remaining: nanoToUsd(BigInt(left)),
        };
        const { limit_remaining: remaining } = budget;
        const { id, name } = workspace;
        const named = { id, name, workspaceId: id, scope: workspaceScope(id), interval };
        note({ subject: "workspace", ...named, limit, left: remaining });
        const standing = limitStanding(limit, remaining);
        if (standing !== undefined) found[standing].push(budget);
      }
    }
    const sorted = { reached: found.reached.sort(byLimit), nearly: found.nearly.sort(byLimit) };
    return { budgets: sorted, workspaces };
  }
}

const byLimit = (a: { readonly limit: number | null }, b: { readonly limit: number | null }): number =>
  (b.limit ?? 0) - (a.limit ?? 0);

function toAttentionKey(
  { hash, name, workspace_id, expires_at }: KeyRow,
  { limit, limit_remaining }: Pick<AttentionKey, "limit" | "limit_remaining">,
): AttentionKey {
  return { hash, name, workspace_id, limit, limit_remaining, expires_at };
}

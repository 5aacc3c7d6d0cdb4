/** The Overview: spend, requests, latency and tokens over a period, and what needs attention. */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { KeyRecord } from "../../shared/keys.ts";
import { type SingleGrouping, singleGroupings } from "../../shared/management/lists/receipt_groupings.ts";
import { type ConsoleApi, operation, type OperationBody } from "../api.ts";
import type { Clock } from "../clock.ts";
import { createResource } from "../resource.ts";
import type { Router } from "../router.ts";
import { overviewText } from "../text/overview.ts";
import { readKeyNames } from "./keys/key_names.ts";
import { numberOf, type Row, textOf, timeOf, type Totals, totalsOf } from "./overview_totals.ts";
import { comparisonOf } from "./overview/comparison.ts";
import { FORECAST_DAYS, monthForecast } from "./overview/forecast.ts";
import { type OverviewPeriod, periodOf } from "./overview/period.ts";
import { isSingleGrouping, NO_NAME, readReceiptGroups } from "./overview/receipt_groups.ts";
import { largest, type Point, type RangeId, seriesOf } from "./series.ts";
import { periodStarts } from "./workspace_spend.ts";

const queryAnalytics = operation<"analytics.query">("POST", "/analytics/query");
const listKeys = operation<"keys.list">("GET", "/keys");
const readAttention = operation<"attention.get">("GET", "/attention");
const readCredits = operation<"credits.get">("GET", "/credits");
const listBudgets = operation<"budgets.list">("GET", "/workspaces/:id/budgets");

type Query = OperationBody<"analytics.query">;

/** Dimensions of the sums, and what only receipts know. */
export const dimensions = ["model", "provider", "api_key_id", "workspace", ...singleGroupings] as const;
export type Dimension = (typeof dimensions)[number];

const DAY_MS = 86_400_000;
const TOP = 10;

interface OverviewDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Clock;
  readonly router: Pick<Router, "query" | "setQuery">;
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

interface GroupInput<By> {
  readonly by: By;
  readonly signal: AbortSignal;
}

const timeRange = (start: number, end: number) => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
});

interface PeriodSpend {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  /** USD of this month at its end, if it goes on as in the last days; undefined before the first full day. */
  readonly monthForecast: number | undefined;
  /** USD; null where there is none. */
  readonly budgets: {
    readonly daily: number | null;
    readonly weekly: number | null;
    readonly monthly: number | null;
  };
}

export class OverviewModel {
  readonly #deps: OverviewDeps;
  readonly spend = createResource((abort) => this.#readSpend(abort));
  readonly totals = createResource((abort) => this.#readTotals(abort));
  readonly comparison = createResource((abort) => this.#readComparison(abort));
  readonly periods = createResource((abort) => this.#readPeriods(abort));
  readonly topKeys = createResource((abort) => this.#readTopKeys(abort));
  readonly attention = createResource(async (signal) => {
    const query = { workspace_id: this.#deps.workspaceId.value ?? "all" };
    return (await this.#deps.api.call(readAttention, { query, signal })).data;
  });
  readonly credits = createResource(async (signal) =>
    (await this.#deps.api.call(readCredits, { signal })).data
  );

  constructor(deps: OverviewDeps) {
    this.#deps = deps;
  }

  /** The period as it is now: it moves on with the clock. */
  get period() {
    return periodOf(this.#deps.router.query.value, this.#deps.clock.now());
  }
  readonly by = computed((): Dimension => {
    const text = this.#deps.router.query.value.get("by");
    return dimensions.find((one) => one === text) ?? "model";
  });
  readonly asTable = computed(() => this.#deps.router.query.value.get("show") === "table");
  /** Choices that decide which figures are shown. */
  readonly filter = computed(() =>
    JSON.stringify([
      ...["range", "since", "until"].map((name) => this.#deps.router.query.value.get(name)),
      this.by.value,
      this.#deps.workspaceId.value,
    ])
  );
  /** Each bar has the spend of all before it, too. */
  readonly isCumulative = computed(() => this.#deps.router.query.value.get("sum") === "running");
  /** Why the figures could not be read. */
  readonly failure = computed(() =>
    this.spend.failure.value ?? this.totals.failure.value ?? this.comparison.failure.value ??
      this.periods.failure.value ??
      this.topKeys.failure.value ?? this.attention.failure.value ?? this.credits.failure.value
  );

  setRange(range: RangeId): void {
    const changes = { range: range === "24h" ? undefined : range, since: undefined, until: undefined };
    this.#deps.router.setQuery(changes);
  }

  /** Moments as the address has them. */
  setSpan(span: { readonly since: string; readonly until: string | undefined }): void {
    this.#deps.router.setQuery(span);
  }

  showCumulative(on: boolean): void {
    this.#deps.router.setQuery({ sum: on ? "running" : undefined });
  }

  setBy(by: Dimension): void {
    this.#deps.router.setQuery({ by: by === "model" ? undefined : by });
  }

  showTable(shown: boolean): void {
    this.#deps.router.setQuery({ show: shown ? "table" : undefined });
  }

  async load(): Promise<void> {
    const { spend, totals, comparison, periods, topKeys, attention, credits } = this;
    const all = [spend, totals, comparison, periods, topKeys, attention, credits];
    await Promise.all(all.map((resource) => resource.load()));
  }

  /** The largest groups of the chosen dimension, of the whole period. */
  readonly top = computed(() => {
    const sums = largest(this.spend.data.value?.points ?? []);
    const all = sums.reduce((sum, [, value]) => sum + value, 0);
    return sums.filter(([, usd]) => usd > 0).slice(0, TOP)
      .map(([name, usd]) => ({ name, usd, share: usd / all }));
  });

  /** Narrows a query to the chosen workspace. */
  #ofWorkspace(query: Query): Query {
    const workspaceId = this.#deps.workspaceId.value;
    const own = query.filters ?? [];
    const filters = workspaceId === undefined
      ? own
      : [...own, { field: "workspace", operator: "eq" as const, value: workspaceId }];
    return { ...query, filters };
  }

  async #query(query: Query, signal: AbortSignal): Promise<readonly Row[]> {
    const { data } = await this.#deps.api.call(queryAnalytics, { body: this.#ofWorkspace(query), signal });
    return data.data;
  }

  /**
   * Query of all figures of the period by what the spend is shown by, and by key or model besides: who spent most,
   * first, over the whole period or, dated, over each of its parts.
   */
  exportQuery({ dated }: { readonly dated: boolean }): Query {
    const by = isSingleGrouping(this.by.value) ? "model" : this.by.value;
    const { granularity, time_range } = this.#timesOf(this.period);
    return this.#ofWorkspace({
      metrics: ["total_usage", "request_count", "error_count", "tokens_prompt", "tokens_completion"],
      dimensions: [by, by === "api_key_id" ? "model" : "api_key_id"],
      time_range,
      ...(dated ? { granularity } : {}),
    });
  }

  #timesOf({ buckets, granularity }: OverviewPeriod) {
    const [start, end] = [buckets[0]?.from ?? 0, buckets.at(-1)?.to ?? 0];
    return { granularity, time_range: timeRange(start, end) };
  }

  /** Reads the period and the one before it. */
  async #readComparison(signal: AbortSignal) {
    const { period } = this;
    const [start, end] = [period.buckets[0]?.from ?? 0, period.buckets.at(-1)?.to ?? 0];
    const rows = await this.#query({
      metrics: ["total_usage", "request_count", "tokens_prompt", "tokens_completion"],
      granularity: period.granularity,
      time_range: timeRange(Math.max(0, 2 * start - end), end),
    }, signal);
    return { period, figures: comparisonOf(rows, period) };
  }

  async #readSpend(signal: AbortSignal) {
    const [period, by] = [this.period, this.by.value];
    const { buckets } = period;
    const { points: all, scannedUntil } = isSingleGrouping(by)
      ? await this.#readGroups(period, { by, signal })
      : await this.#readSums(period, { by, signal });
    const points = all.filter(({ value }) => value > 0);
    const values = new Set(points.map(({ name }) => name));
    const hashes = by === "api_key_id" ? largest(points).slice(0, TOP).map(([hash]) => hash) : [];
    return {
      period,
      points,
      scannedUntil,
      by,
      values,
      keyNames: await readKeyNames(this.#deps.api, { hashes, signal }),
      series: seriesOf(points, { buckets, others: (count) => overviewText.others(count, by) }),
    };
  }

  async #readSums(period: OverviewPeriod, { by, signal }: GroupInput<Dimension>) {
    const rows = await this.#query({
      metrics: ["total_usage"],
      dimensions: [by],
      ...this.#timesOf(period),
      limit: 10_000,
    }, signal);
    const points = rows.map((row): Point => ({
      name: textOf(row, by) || NO_NAME,
      at: timeOf(row),
      value: numberOf(row, "total_usage"),
    }));
    return { points, scannedUntil: null };
  }

  #readGroups(period: OverviewPeriod, { by, signal }: GroupInput<SingleGrouping>) {
    const { api, workspaceId } = this.#deps;
    return readReceiptGroups({ api, by, period, workspaceId: workspaceId.value, signal });
  }

  async #readTotals(signal: AbortSignal): Promise<Totals> {
    const { period } = this;
    const times = this.#timesOf(period);
    const rows = await this.#query({
      metrics: [
        "request_count",
        "error_count",
        "latency_p50",
        "latency_p95",
        "latency_p99",
        "tokens_prompt",
        "tokens_completion",
      ],
      ...times,
    }, signal);
    const statuses = await this.#query({
      metrics: ["request_count"],
      dimensions: ["status"],
      ...times,
      filters: [{ field: "status", operator: "eq", value: "refused" }],
    }, signal);
    return totalsOf({ rows, refused: statuses }, period);
  }

  async #readPeriods(signal: AbortSignal): Promise<PeriodSpend> {
    const now = this.#deps.clock.now();
    const { day, week, month } = periodStarts(now);
    const recent = day - FORECAST_DAYS * DAY_MS;
    const range = timeRange(Math.min(week, month, recent), day + DAY_MS);
    const [rows, budgets] = await Promise.all([
      this.#query({ metrics: ["total_usage"], granularity: "day", time_range: range }, signal),
      this.#readBudgets(signal),
    ]);
    const since = (from: number) =>
      rows.filter((row) => timeOf(row) >= from).reduce((sum, row) => sum + numberOf(row, "total_usage"), 0);
    const [daily, monthly] = [since(day), since(month)];
    const first = Math.min(...rows.filter((row) => numberOf(row, "total_usage") > 0).map(timeOf));
    const days = Math.min(FORECAST_DAYS, Math.max(0, (day - first) / DAY_MS));
    const forecast = monthForecast({ spent: monthly, recent: since(recent) - daily, days }, now);
    return { daily, weekly: since(week), monthly, monthForecast: forecast, budgets };
  }

  /** Reads the budgets of the chosen workspace: those of several have no common sum. */
  async #readBudgets(signal: AbortSignal): Promise<PeriodSpend["budgets"]> {
    const id = this.#deps.workspaceId.value;
    const { data } = id === undefined
      ? { data: [] }
      : await this.#deps.api.call(listBudgets, { params: { id }, signal });
    const limit = (interval: "daily" | "weekly" | "monthly") =>
      data.find(({ reset_interval }) => reset_interval === interval)?.limit_usd ?? null;
    return { daily: limit("daily"), weekly: limit("weekly"), monthly: limit("monthly") };
  }

  async #readTopKeys(signal: AbortSignal): Promise<readonly KeyRecord[]> {
    const query = {
      sort: "usage_monthly",
      limit: TOP,
      workspace_id: this.#deps.workspaceId.value ?? "all",
    } as const;
    const { data } = await this.#deps.api.call(listKeys, { query, signal });
    return data.filter(({ usage_monthly }) => usage_monthly > 0);
  }
}

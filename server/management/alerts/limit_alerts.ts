/** Finds the limits of which so much is spent that there is an alert. */

import { alertThresholds } from "../../../shared/management/alerts.ts";
import { nanoToUsd, toExactNano, toNanoUsd, toUsdNumber } from "../../../shared/money.ts";
import { bucketEndsAt, bucketNamesAt } from "../../billing/ledger/core/counters/bucket_names.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { findCreditLimit } from "../budgets/credit_rows.ts";
import { ACCOUNT_SCOPE } from "../budgets/limit_resolver.ts";
import type { AttentionKey } from "../../../shared/management/attention.ts";
import { GenerationalCache } from "../core/generational_cache.ts";
import { LimitStandings } from "../status/limit_standings.ts";
import type { NamedLimit } from "../status/nearest_limits.ts";
import type { AlertOccasion } from "./alert_book.ts";
import type { AlertSource } from "./alert_watch.ts";

type ComparedLimit = Pick<NamedLimit, "scope" | "interval" | "limit" | "left">;

const nano = (usd: number): bigint => toExactNano(usd) ?? BigInt(Math.round(usd * 1e9));

/** The thresholds that are crossed; none of a limit of 0, of which nothing can be spent. */
function crossedBy({ limit, left }: ComparedLimit): readonly (typeof alertThresholds)[number][] {
  const [all, spent] = [nano(limit), nano(limit) - nano(left)];
  return all === 0n ? [] : alertThresholds.filter((threshold) => spent * 100n >= all * BigInt(threshold));
}

/** Whether anything of a limit is to be told. */
const isCrossed = (limit: ComparedLimit): boolean => crossedBy(limit).length > 0;

/** The period within which a threshold is told of once: a bucket of the ledger, or a lifetime under one limit. */
const periodOf = ({ interval, limit }: ComparedLimit, now: number): string =>
  interval === "lifetime" ? `lifetime ${limit}` : bucketNamesAt(now)[interval];

/** Limits between two pauses. */
const SLICE = 200;
/** Limits of which it is remembered what was told of them. */
const TOLD = 100_000;

interface OccasionInput {
  /** Ms since the epoch. */
  readonly now: number;
  readonly alertOf: (crossing: CrossingData) => AlertOccasion["alert"];
}

/**
 * Makes the alerts of a limit at a moment. A limit that never resets and is changed is another one, of which the
 * thresholds are told anew.
 */
function occasionsOf(limit: ComparedLimit, { now, alertOf }: OccasionInput): readonly AlertOccasion[] {
  const { interval } = limit;
  const period = interval === "lifetime" ? interval : bucketNamesAt(now)[interval].slice(1);
  const spent = nanoToUsd(nano(limit.limit) - nano(limit.left));
  return crossedBy(limit).map((threshold) => ({
    alert: alertOf({ threshold, interval, period, limit: limit.limit, spent }),
    about: [limit.scope, periodOf(limit, now), String(threshold)],
    endsAt: bucketEndsAt(interval, now),
  }));
}

interface CrossingData {
  readonly threshold: (typeof alertThresholds)[number];
  readonly interval: NamedLimit["interval"];
  readonly period: string;
  readonly limit: number;
  readonly spent: number;
}

/** Alerts of a limit of a key or workspace. */
function limitOccasions(limit: NamedLimit, now: number): readonly AlertOccasion[] {
  const { subject, id, name, workspaceId } = limit;
  const timestamp = new Date(now).toISOString();
  const ofKey = { key_hash: id, key_name: name, workspace_id: workspaceId };
  const ofWorkspace = { workspace_id: id, workspace_name: name };
  const alertOf = (crossing: CrossingData): AlertOccasion["alert"] =>
    subject === "key"
      ? { type: "key_limit", timestamp, data: { ...ofKey, ...crossing } }
      : { type: "workspace_budget", timestamp, data: { ...ofWorkspace, ...crossing } };
  return occasionsOf(limit, { now, alertOf });
}

/** Alerts of the account's credits. */
async function creditOccasions(
  { store, ledger }: Pick<ManagementDeps, "store" | "ledger">,
  now: number,
): Promise<readonly AlertOccasion[]> {
  const total = await findCreditLimit(store);
  if (total === undefined || total <= 0) return [];
  const { lifetime } = await ledger.readSpend(ACCOUNT_SCOPE);
  const limit = toUsdNumber(toNanoUsd(total));
  const left = toUsdNumber(toNanoUsd(Math.max(0, total - lifetime.cost)));
  const timestamp = new Date(now).toISOString();
  const alertOf = (data: CrossingData) => ({ type: "credits" as const, timestamp, data });
  return occasionsOf({ scope: ACCOUNT_SCOPE, interval: "lifetime", limit, left }, { now, alertOf });
}

/** The alert of a key that expires soon. */
function expiryOccasions(
  { hash, name, workspace_id, expires_at }: AttentionKey,
  now: number,
): readonly AlertOccasion[] {
  if (expires_at === null) return [];
  const data = { key_hash: hash, key_name: name, workspace_id, expires_at };
  return [{
    alert: { type: "key_expiring", timestamp: new Date(now).toISOString(), data },
    about: [hash, expires_at],
    endsAt: Date.parse(expires_at),
  }];
}

/** Tells of limits of keys, workspaces and the account, and of keys that expire soon. */
export function limitAlerts(
  deps: Pick<ManagementDeps, "store" | "ledger" | "runtime" | "pause">,
): AlertSource {
  const standings = new LimitStandings({ ...deps, keeps: isCrossed });
  /** The highest threshold of each limit and period that was given and raised. */
  const told = new GenerationalCache<number>(TOLD);
  return async function* (now) {
    const { keys, kept, at, until } = await standings.read();
    // What was read around midnight may be of either day: the next look tells which.
    const isOneDay = bucketNamesAt(at).daily === bucketNamesAt(until).daily;
    let seen = 0;
    for (const limit of isOneDay ? kept : []) {
      if (++seen % SLICE === 0) await deps.pause();
      const name = `${limit.scope} ${periodOf(limit, at)}`;
      const highest = crossedBy(limit).at(-1) ?? 0;
      if (told.get(name) === highest) continue;
      yield* limitOccasions(limit, at);
      told.set(name, highest);
    }
    yield* await creditOccasions(deps, now);
    for (const key of keys.expiring) yield* expiryOccasions(key, now);
  };
}

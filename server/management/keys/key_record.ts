/** A key as the key operations show it (specification, API key record). */

import { nanoToUsd, toUsdNumber, ZERO } from "../../../shared/money.ts";
import type { LimitPeriod, SpendByPeriod } from "../../billing/ledger/core/ledger.ts";
import { decodeLimit, keyCollection, type KeyRow, keyScope } from "./key_rows.ts";
import type { KeyRecord } from "../../../shared/keys.ts";
import type { ManagementDeps } from "../core/management_deps.ts";

/** The eight sums of USD that records carry. */
export function serializeSpend({ lifetime, daily, weekly, monthly }: SpendByPeriod) {
  return {
    usage: toUsdNumber(lifetime.cost),
    usage_daily: toUsdNumber(daily.cost),
    usage_weekly: toUsdNumber(weekly.cost),
    usage_monthly: toUsdNumber(monthly.cost),
    byok_usage: toUsdNumber(lifetime.byok),
    byok_usage_daily: toUsdNumber(daily.byok),
    byok_usage_weekly: toUsdNumber(weekly.byok),
    byok_usage_monthly: toUsdNumber(monthly.byok),
  };
}

/** The limit and what is left of it: settled spend of the running bucket counts, open reservations do not. */
export function serializeLimit(row: KeyRow, spend: SpendByPeriod) {
  const { limit_reset, include_byok_in_limit } = row;
  const limit = decodeLimit(row);
  return {
    limit: limit === null ? null : nanoToUsd(limit),
    limit_remaining: limit === null ? null : nanoToUsd(remaining(limit, { row, spend })),
    limit_reset,
    include_byok_in_limit,
  };
}

function remaining(
  limit: bigint,
  { row, spend }: { readonly row: KeyRow; readonly spend: SpendByPeriod },
): bigint {
  const period: LimitPeriod = row.limit_reset ?? "lifetime";
  const { cost, byok } = spend[period];
  const left = limit - BigInt(cost) - (row.include_byok_in_limit ? BigInt(byok) : 0n);
  return left > 0n ? left : 0n;
}

const nothing = { cost: ZERO, byok: ZERO } as const;

/** Spend of a key that nothing was charged to. */
export const zeroSpend: SpendByPeriod = {
  daily: nothing,
  weekly: nothing,
  monthly: nothing,
  lifetime: nothing,
};

export function serializeKey(row: KeyRow, spend: SpendByPeriod): KeyRecord {
  const { hash, name, label, disabled, created_at, updated_at, expires_at } = row;
  const { creator_user_id, workspace_id, external_user, cache_enabled, cache_ttl_seconds } = row;
  return {
    hash,
    name,
    label,
    disabled,
    ...serializeLimit(row, spend),
    ...serializeSpend(spend),
    created_at,
    updated_at,
    expires_at,
    creator_user_id,
    workspace_id,
    external_user,
    cache_enabled,
    cache_ttl_seconds,
    ...(row.self_test ? { self_test: true } : {}),
  };
}

/** A key as the audit log keeps it: all that can be changed, nothing that is counted. */
export function serializeAuditedKey(row: KeyRow) {
  const { hash, kind, name, label, disabled, expires_at, creator_user_id, workspace_id } = row;
  const { external_user, client_id, limit_reset, include_byok_in_limit, read_only, rate_limits } = row;
  const limit = decodeLimit(row);
  return {
    hash,
    kind,
    name,
    label,
    disabled,
    limit: limit === null ? null : nanoToUsd(limit),
    limit_reset,
    include_byok_in_limit,
    expires_at,
    creator_user_id,
    workspace_id,
    external_user,
    client_id,
    ledger_id: row.ledger_id,
    read_only,
    self_test: row.self_test,
    rate_limits,
    cache_enabled: row.cache_enabled,
    cache_ttl_seconds: row.cache_ttl_seconds,
  };
}

/** Their records, in this order; those that were removed a moment ago are left out. */
export async function readKeyRecords(
  deps: Pick<ManagementDeps, "store" | "ledger">,
  hashes: readonly string[],
): Promise<KeyRecord[]> {
  const rows = keyCollection(deps.store);
  const found = await Promise.all(hashes.map((hash) => rows.get(hash)));
  return await Promise.all(found.flatMap((one) => one ? [readKeyRecord(deps, one.record)] : []));
}

export async function readKeyRecord(
  { ledger }: Pick<ManagementDeps, "ledger">,
  row: KeyRow,
): Promise<KeyRecord> {
  return serializeKey(row, await ledger.readSpend(keyScope(row)));
}

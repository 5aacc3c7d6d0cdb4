/** A key as the key operations show it (gateway-api.md, API key record). */

import type { KeyRecord } from "../../../shared/keys.ts";
import { toUsdNumber, usdOfNano, ZERO } from "../../../shared/money.ts";
import type { Period, Spend } from "../../ledger/core/ledger.ts";
import { type KeyRow, limitOf } from "./key_rows.ts";

/** The eight sums of USD that records carry. */
export function shownSpend({ lifetime, daily, weekly, monthly }: Spend) {
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

/** The limit and what is left of it: settled spend of the running bucket counts, open holds do not. */
export function shownLimit(row: KeyRow, spend: Spend) {
  const { limit_reset, include_byok_in_limit } = row;
  const limit = limitOf(row);
  return {
    limit: limit === null ? null : usdOfNano(limit),
    limit_remaining: limit === null ? null : usdOfNano(remaining(limit, { row, spend })),
    limit_reset,
    include_byok_in_limit,
  };
}

function remaining(limit: bigint, { row, spend }: { readonly row: KeyRow; readonly spend: Spend }): bigint {
  const period: Period = row.limit_reset ?? "lifetime";
  const { cost, byok } = spend[period];
  const left = limit - BigInt(cost) - (row.include_byok_in_limit ? BigInt(byok) : 0n);
  return left > 0n ? left : 0n;
}

const nothing = { cost: ZERO, byok: ZERO } as const;

/** Of a key of which nothing was charged. */
export const noSpend: Spend = { daily: nothing, weekly: nothing, monthly: nothing, lifetime: nothing };

export function keyRecord(row: KeyRow, spend: Spend): KeyRecord {
  const { hash, name, label, disabled, created_at, updated_at, expires_at } = row;
  const { creator_user_id, workspace_id, external_user } = row;
  return {
    hash,
    name,
    label,
    disabled,
    ...shownLimit(row, spend),
    ...shownSpend(spend),
    created_at,
    updated_at,
    expires_at,
    creator_user_id,
    workspace_id,
    external_user,
    ...(row.self_test ? { self_test: true } : {}),
  };
}

/** A key as the audit log keeps it: all that can be changed, nothing that is counted. */
export function auditedKey(row: KeyRow) {
  const { hash, kind, name, label, disabled, expires_at, creator_user_id, workspace_id } = row;
  const { external_user, client_id, limit_reset, include_byok_in_limit, read_only, rate_limits } = row;
  const limit = limitOf(row);
  return {
    hash,
    kind,
    name,
    label,
    disabled,
    limit: limit === null ? null : usdOfNano(limit),
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
  };
}

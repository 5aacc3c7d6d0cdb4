/** Describes a key to itself (GET /key, specification, Keys). */

import { ApiError } from "../../../shared/errors.ts";
import type { DataRegion } from "../../../shared/guardrails.ts";
import type { Caller, KeyDetails } from "../../../shared/keys.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Ledger, SpendByPeriod } from "../../billing/ledger/core/ledger.ts";
import { allowedDataRegions, applicableGuardrails } from "../guardrails/guardrail_policy.ts";
import { serializeLimit, serializeSpend } from "./key_record.ts";
import { keyCollection, type KeyRow, keyScope } from "./key_rows.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";

interface DescribeKeyDeps {
  readonly store: Store;
  readonly ledger: Pick<Ledger, "readSpend">;
}

/** Answers for the key that a caller came with. Throws an ApiError when it is gone, or the store is. */
export function createKeyDescriber(
  { store, ledger }: DescribeKeyDeps,
): (caller: Caller) => Promise<KeyDetails> {
  const rows = keyCollection(store);
  return async ({ keyHash }) => {
    const found = await rows.get(keyHash).catch(throwStoreUnavailable);
    if (!found) throw new ApiError("unauthorized", "The key was removed a moment ago.");
    const { record } = found;
    const [spend, guardrails] = await Promise.all([
      ledger.readSpend(keyScope(record)).catch(throwStoreUnavailable),
      record.kind === "api" ? applicableGuardrails(store, record) : [],
    ]);
    return toAnswer(record, { spend, regions: allowedDataRegions(guardrails) });
  };
}

interface DescribedKey {
  readonly spend: SpendByPeriod;
  readonly regions: readonly DataRegion[];
}

function toAnswer(row: KeyRow, { spend, regions }: DescribedKey): KeyDetails {
  const { kind, label, creator_user_id, expires_at, workspace_id, cache_enabled, cache_ttl_seconds } = row;
  const manages = kind === "management";
  return {
    label,
    ...serializeLimit(row, spend),
    ...serializeSpend(spend),
    cache_enabled,
    cache_ttl_seconds,
    is_free_tier: false,
    is_management_key: manages,
    is_provisioning_key: manages,
    rate_limit: { interval: "10s", note: "This field is deprecated and means nothing", requests: -1 },
    creator_user_id,
    expires_at,
    allowed_data_regions: [...regions],
    free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
    organization_id: null,
    workspace_id,
  };
}

/** What a key may know about itself (GET /key, wire-reference §9.1). */

import { Refusal } from "../../../shared/errors.ts";
import type { DataRegion } from "../../../shared/guardrails.ts";
import type { Caller, KeyAnswer } from "../../../shared/keys.ts";
import type { Store } from "../../stores/store.ts";
import type { Ledger, Spend } from "../../ledger/core/ledger.ts";
import { dataRegionsOf, guardrailsOf } from "../guardrails/guardrail_policy.ts";
import { shownLimit, shownSpend } from "./key_record.ts";
import { type KeyRow, keyRows, scopeOfKey } from "./key_rows.ts";
import { refuseForStore } from "../core/store_errors.ts";

export interface DescribeDeps {
  readonly store: Store;
  readonly ledger: Pick<Ledger, "spendOf">;
}

/** Answers for the key that a caller came with. Throws a Refusal when it is gone, or the store is. */
export function keyDescriber({ store, ledger }: DescribeDeps): (caller: Caller) => Promise<KeyAnswer> {
  const rows = keyRows(store);
  return async ({ keyHash }) => {
    const found = await rows.get(keyHash).catch(refuseForStore);
    if (!found) throw new Refusal("unauthorized", "The key was removed a moment ago.");
    const { record } = found;
    const [spend, guardrails] = await Promise.all([
      ledger.spendOf(scopeOfKey(record)).catch(refuseForStore),
      record.kind === "api" ? guardrailsOf(store, record) : [],
    ]);
    return toAnswer(record, { spend, regions: dataRegionsOf(guardrails) });
  };
}

interface Known {
  readonly spend: Spend;
  readonly regions: readonly DataRegion[];
}

function toAnswer(row: KeyRow, { spend, regions }: Known): KeyAnswer {
  const { kind, label, creator_user_id, expires_at, workspace_id } = row;
  const manages = kind === "management";
  return {
    label,
    ...shownLimit(row, spend),
    ...shownSpend(spend),
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

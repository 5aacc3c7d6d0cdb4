/** What a key may know about itself (GET /key, wire-reference §9.1). */

import { Refusal } from "../../shared/errors.ts";
import type { Caller, KeyAnswer } from "../../shared/keys.ts";
import type { Store } from "../stores/store.ts";
import { refuseForStore } from "./refuse_for_store.ts";
import { type KeyRow, keyRows } from "./key_rows.ts";

/** Spend of a key of which nothing was charged. */
const noSpend = {
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
} as const;

/** Answers for the key that a caller came with. Throws a Refusal when it is gone, or the store is. */
export function keyDescriber(store: Store): (caller: Caller) => Promise<KeyAnswer> {
  const rows = keyRows(store);
  return async ({ keyHash }) => {
    const found = await rows.get(keyHash).catch(refuseForStore);
    if (!found) throw new Refusal("unauthorized", "The key was removed a moment ago.");
    return toAnswer(found.record);
  };
}

function toAnswer({ kind, label, creator_user_id, expires_at, workspace_id }: KeyRow): KeyAnswer {
  const manages = kind === "management";
  return {
    label,
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    include_byok_in_limit: false,
    ...noSpend,
    is_free_tier: false,
    is_management_key: manages,
    is_provisioning_key: manages,
    rate_limit: { interval: "10s", note: "This field is deprecated and means nothing", requests: -1 },
    creator_user_id,
    expires_at,
    allowed_data_regions: ["global"],
    free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
    organization_id: null,
    workspace_id,
  };
}

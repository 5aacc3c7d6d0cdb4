/** The settings of a key, for a new one like it. */

import { type ConsoleApi, operation } from "../../api.ts";
import { usdText } from "../money_input.ts";
import { secondsText } from "./cache_seconds.ts";
import { resetOf } from "./key_edit.ts";

const getKey = operation<"keys.get">("GET", "/keys/:hash");
const getLimits = operation<"keys.rate_limits.get">("GET", "/keys/:hash/rate-limits");
const listAssignments = operation<"guardrails.assignments.keys.all">("GET", "/guardrails/assignments/keys");

const countText = (count: number | null) => count === null ? "" : String(count);

/** Everything that the form for a new key has, but name and expiry. Throws what the gateway refuses. */
export async function draftLike(hash: string, api: Pick<ConsoleApi, "call">) {
  const params = { hash };
  const [{ data: key }, { data: rates }, { data: [assignment] }] = await Promise.all([
    api.call(getKey, { params }),
    api.call(getLimits, { params }),
    api.call(listAssignments, { query: { key_hash: hash } }),
  ]);
  return {
    likeName: key.name,
    draft: {
      workspaceId: key.workspace_id,
      limit: usdText(key.limit),
      reset: key.limit === null ? "monthly" as const : resetOf(key),
      byok: key.include_byok_in_limit,
      cache: key.cache_enabled,
      cacheSeconds: secondsText(key.cache_ttl_seconds),
      guardrailId: assignment?.guardrail_id ?? "",
      rates: {
        requests_per_minute: countText(rates.requests_per_minute),
        tokens_per_minute: countText(rates.tokens_per_minute),
        concurrent_streams: countText(rates.concurrent_streams),
      },
    },
  };
}

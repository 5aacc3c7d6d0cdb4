/** What the guardrails of a key come to together: limits for the ledger, and a policy for routing (wire-reference §9.7). */

import { type DataRegion, dataRegions } from "../../../shared/guardrails.ts";
import { joined } from "../../../shared/util/text.ts";
import { usdFromNumber } from "../../../shared/money.ts";
import type { Limit } from "../../ledger/core/ledger.ts";
import type { Policy, ZdrGroup } from "../../pipeline/caller_rules.ts";
import type { Store } from "../../stores/store.ts";
import { guardrailMembers, type GuardrailRow, guardrailRows } from "./guardrail_rows.ts";
import { COUNTED_USD, type KeyRow } from "../keys/key_rows.ts";
import { type LimitSource, nameOfLimit } from "../budgets/limit_resolver.ts";
import { refuseForStore } from "../core/store_errors.ts";
import { defaultGuardrailId } from "../workspaces/workspace_rows.ts";

type Holder = Pick<KeyRow, "hash" | "ledger_id" | "workspace_id" | "guardrail" | "creator_user_id">;

/**
 * The guardrails that hold for a key: its workspace's default one, its own, and that of the member who made it. One that
 * is of another workspace does not. Rejects with a Refusal when the store does not answer.
 */
export async function guardrailsOf(store: Store, key: Holder): Promise<readonly GuardrailRow[]> {
  const ids = new Set([defaultGuardrailId(key.workspace_id)]);
  if (key.guardrail !== null) ids.add(key.guardrail.guardrail_id);
  const user = key.creator_user_id;
  const member = user && user.isWellFormed() && user.length <= MAX_USER_CHARS
    ? await guardrailMembers(store).get(user).catch(refuseForStore)
    : undefined;
  if (member) ids.add(member.record.guardrail_id);
  const rows = guardrailRows(store);
  const found = await Promise.all([...ids].map((id) => rows.get(id))).catch(refuseForStore);
  return found.flatMap((one) => one && holdsFor(one.record, key) ? [one.record] : []);
}

/** Longer names are no members. */
const MAX_USER_CHARS = 256;

const holdsFor = ({ deleting, workspace_id }: GuardrailRow, key: Holder): boolean =>
  !deleting && (workspace_id === null || workspace_id === key.workspace_id);

/** A guardrail's limit stands over each key for itself. */
export function guardrailLimits(store: Store): LimitSource {
  return {
    limitsOf: async (key) => (await guardrailsOf(store, key)).flatMap((row) => limitOf(row, key) ?? []),
  };
}

function limitOf(row: GuardrailRow, { hash, ledger_id }: Holder): Limit | undefined {
  const { id, limit_usd, reset_interval: period } = row;
  if (limit_usd === null || period === null) return undefined;
  return {
    source: "guardrail",
    name: nameOfLimit("The guardrail", period),
    id,
    scope: joined("guardrail:", id, ":", ledger_id ?? hash),
    period,
    amount: usdFromNumber(Math.min(limit_usd, COUNTED_USD)),
    includeByok: row.include_byok_in_budgets,
  };
}

/** Undefined when none of them asks anything of routing. */
export function policyFrom(rows: readonly GuardrailRow[]): Policy | undefined {
  const lists = (pick: (row: GuardrailRow) => readonly string[] | null) =>
    rows.flatMap((row) => [pick(row) ?? []]);
  const set = (all: readonly (readonly string[])[]) => all.filter((list) => list.length > 0);
  const policy: Policy = {
    allowedModels: set(lists((row) => row.allowed_models)),
    ignoredModels: lists((row) => row.ignored_models).flat(),
    allowedProviders: set(lists((row) => row.allowed_providers)),
    ignoredProviders: lists((row) => row.ignored_providers).flat(),
    zdr: new Set(rows.flatMap(zdrOf)),
    noPaidTraining: rows.some((row) => row.enable_paid_model_training === false),
    noFreeTraining: rows.some((row) => row.enable_free_model_training === false),
    regions: rows.flatMap(({ allowed_data_regions: all }) =>
      all === null || all.includes("global") ? [] : [all]
    ),
  };
  const { zdr, noPaidTraining, noFreeTraining, ...names } = policy;
  const asks = zdr.size > 0 || noPaidTraining || noFreeTraining ||
    Object.values(names).some((list) => list.length > 0);
  return asks ? policy : undefined;
}

/** Where calls may be served; the whole world where no guardrail says otherwise. */
export function dataRegionsOf(rows: readonly GuardrailRow[]): readonly DataRegion[] {
  const lists = policyFrom(rows)?.regions ?? [];
  if (lists.length === 0) return ["global"];
  return dataRegions.filter((region) => lists.every((list) => list.includes(region)));
}

/** What is said of one author's models goes before what is said of all. */
function zdrOf(row: GuardrailRow): readonly ZdrGroup[] {
  const flags = {
    anthropic: row.enforce_zdr_anthropic,
    openai: row.enforce_zdr_openai,
    google: row.enforce_zdr_google,
    xai: row.enforce_zdr_xai,
    other: row.enforce_zdr_other,
  } as const satisfies Record<ZdrGroup, boolean | null>;
  const groups: readonly ZdrGroup[] = ["anthropic", "openai", "google", "xai", "other"];
  return groups.filter((group) => flags[group] ?? row.enforce_zdr ?? false);
}

/** Joins the guardrails of a key: limits for the ledger, and a policy for routing (specification, Guardrails). */

import { type DataRegion, dataRegions } from "../../../shared/guardrails.ts";
import { joinStrings } from "../../../shared/util/text.ts";
import { usdFromNumber } from "../../../shared/money.ts";
import type { FilterSource, GuardrailScope } from "../../pipeline/guardrails/content_filters.ts";
import type { SpendingLimit } from "../../billing/ledger/core/ledger.ts";
import type { GuardrailPolicy, ZdrGroup } from "../../pipeline/caller_rules.ts";
import type { Store } from "../../storage/stores/store.ts";
import { guardrailCollection, guardrailMembers, type GuardrailRow } from "./guardrail_rows.ts";
import { type KeyRow, MAX_COUNTED_USD } from "../keys/key_rows.ts";
import { limitName, type LimitSource } from "../budgets/limit_resolver.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { defaultGuardrailId } from "../workspaces/workspace_rows.ts";

type GuardrailSubject = Pick<KeyRow, "hash" | "ledger_id" | "workspace_id" | "guardrail" | "creator_user_id">;

/**
 * The guardrails that hold for a key: its workspace's default one, its own, and that of the member who made it. One that
 * is of another workspace does not. Rejects with an ApiError when the store does not answer.
 */
export async function applicableGuardrails(
  store: Store,
  key: GuardrailSubject,
): Promise<readonly GuardrailRow[]> {
  const ids = new Set([defaultGuardrailId(key.workspace_id)]);
  if (key.guardrail !== null) ids.add(key.guardrail.guardrail_id);
  const user = key.creator_user_id;
  const member = user && user.isWellFormed() && user.length <= MAX_USER_CHARS
    ? await guardrailMembers(store).get(user).catch(throwStoreUnavailable)
    : undefined;
  if (member) ids.add(member.record.guardrail_id);
  const rows = guardrailCollection(store);
  const found = await Promise.all([...ids].map((id) => rows.get(id))).catch(throwStoreUnavailable);
  return found.flatMap((one) => one && holdsFor(one.record, key) ? [one.record] : []);
}

/** Longer names are no members. */
const MAX_USER_CHARS = 256;

const holdsFor = ({ deleting, workspace_id }: GuardrailRow, key: GuardrailSubject): boolean =>
  !deleting && (workspace_id === null || workspace_id === key.workspace_id);

/** A guardrail's limit stands over each key for itself. */
export function guardrailLimitSource(store: Store): LimitSource {
  return {
    limitsOf: async (key) =>
      (await applicableGuardrails(store, key)).flatMap((row) => limitOf(row, key) ?? []),
  };
}

function limitOf(row: GuardrailRow, { hash, ledger_id }: GuardrailSubject): SpendingLimit | undefined {
  const { id, limit_usd, reset_interval: period } = row;
  if (limit_usd === null || period === null) return undefined;
  return {
    source: "guardrail",
    name: limitName("The guardrail", period),
    id,
    scope: joinStrings("guardrail:", id, ":", ledger_id ?? hash),
    period,
    amount: usdFromNumber(Math.min(limit_usd, MAX_COUNTED_USD)),
    includeByok: row.include_byok_in_budgets,
  };
}

/** Undefined when none of them asks anything of routing. */
export function combinePolicies(rows: readonly GuardrailRow[]): GuardrailPolicy | undefined {
  const lists = (pick: (row: GuardrailRow) => readonly string[] | null) =>
    rows.flatMap((row) => [pick(row) ?? []]);
  const set = (all: readonly (readonly string[])[]) => all.filter((list) => list.length > 0);
  const policy: GuardrailPolicy = {
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

/** Their content filters, each with whom the guardrail was assigned to. */
export function filterSources(
  rows: readonly GuardrailRow[],
  { workspace_id, guardrail }: GuardrailSubject,
): readonly FilterSource[] {
  const scopeOf = ({ id }: GuardrailRow): GuardrailScope => {
    if (id === guardrail?.guardrail_id) return "api-key";
    return id === defaultGuardrailId(workspace_id) ? "workspace" : "member";
  };
  return rows.map((row) => ({ ...row, scope: scopeOf(row) }));
}

/** Where calls may be served; the whole world where no guardrail says otherwise. */
export function allowedDataRegions(rows: readonly GuardrailRow[]): readonly DataRegion[] {
  const lists = combinePolicies(rows)?.regions ?? [];
  if (lists.length === 0) return ["global"];
  return dataRegions.filter((region) => lists.every((list) => list.includes(region)));
}

/** Groups of models with zero data retention: a setting for one author's models goes before the setting for all. */
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

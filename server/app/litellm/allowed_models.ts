/** Lists of models of LiteLLM's keys and teams → what a guardrail allows. */

import type { Store, StorePut } from "../../storage/stores/store.ts";
import {
  emptyGuardrailSettings,
  guardrailCollection,
  type GuardrailRow,
} from "../../management/guardrails/guardrail_rows.ts";
import type { ImportReport } from "./import_report.ts";
import type { ModelGroups } from "./model_groups.ts";

/** Words there that stand for every model. */
const EVERY: ReadonlySet<string> = new Set(["all-proxy-models", "*"]);
/** Stands in a key's list for what its team may use. */
const TEAMS = "all-team-models";

/** `none`: a list that names nothing which is here, so that nothing may be used. */
type AllowedModels =
  | { readonly type: "all" }
  | { readonly type: "none" }
  | { readonly type: "some"; readonly ids: readonly string[] };

interface AllowedInput {
  readonly groups: ModelGroups;
  readonly report: ImportReport;
  /** The key or team, for the report. */
  readonly place: string;
  /** Whether it belongs to a team, whose list holds besides. */
  readonly hasTeam: boolean;
}

export function allowedModels(
  names: readonly string[] | null | undefined,
  { groups, report, place, hasTeam }: AllowedInput,
): AllowedModels {
  const list = names ?? [];
  if (list.length === 0 || list.some((name) => EVERY.has(name) || (hasTeam && name === TEAMS))) {
    return { type: "all" };
  }
  const found = list.map((name) => ({ name, ids: groups.allowed(name) }));
  const unknown = found.filter(({ ids }) => ids.length === 0).map(({ name }) => name);
  if (unknown.length > 0) report.changed.push(`${place}: models that are not here: ${unknown.join(", ")}`);
  const ids = [...new Set(found.flatMap((one) => one.ids))];
  return ids.length === 0 ? { type: "none" } : { type: "some", ids };
}

interface NewGuardrail extends Pick<GuardrailRow, "id" | "name" | "created_at"> {
  readonly workspaceId: string;
  /** Null: all. */
  readonly models: readonly string[] | null;
}

/** A guardrail that asks for nothing but models. */
export const guardrailPut = (
  store: Store,
  { id, name, created_at, workspaceId, models }: NewGuardrail,
): StorePut =>
  guardrailCollection(store).put([id], {
    ...emptyGuardrailSettings,
    id,
    name,
    workspace_id: workspaceId,
    created_at,
    updated_at: null,
    allowed_models: models === null ? null : [...models],
    filters_enforced: true,
  });

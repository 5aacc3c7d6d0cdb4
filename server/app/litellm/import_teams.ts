/** Teams of a running LiteLLM, from its `/team/list`: each becomes a workspace with the team's budget, rates and models. */

import * as z from "zod";
import { ownValue } from "../../../shared/util/own_value.ts";
import { cutWhole } from "../../../shared/util/text.ts";
import { DEFAULT_WORKSPACE_SLUG } from "../../../shared/workspaces.ts";
import { ConfigError } from "../../config/config_error.ts";
import type { AuditWriter } from "../../management/audit/audit_log.ts";
import { budgetCollection } from "../../management/budgets/budget_rows.ts";
import { isUuid } from "../../management/workspaces/workspace_lookup.ts";
import {
  defaultGuardrailId,
  serializeWorkspace,
  toUuid,
  workspaceCollection,
  type WorkspaceRow,
  workspaceSlugs,
} from "../../management/workspaces/workspace_rows.ts";
import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";
import { allowedModels, guardrailPut } from "./allowed_models.ts";
import { type ImportReport, recordFault } from "./import_report.ts";
import { budgetOf, limitShape, rateLimitsOf } from "./limit_fields.ts";
import type { ModelGroups } from "./model_groups.ts";

const teamSchema = z.looseObject({
  team_id: z.string().min(1),
  team_alias: z.string().nullish(),
  members_with_roles: z.array(z.unknown()).nullish().catch(undefined),
  ...limitShape,
});
type LitellmTeam = z.output<typeof teamSchema>;

const listSchema = z.union([
  z.array(z.unknown()),
  z.looseObject({ teams: z.array(z.unknown()) }).transform(({ teams }) => teams),
]);

/** Shared by the imports of teams and of keys. */
export interface ImportDeps {
  readonly store: Store;
  readonly audit: AuditWriter;
  readonly runtime: Pick<Runtime, "clock" | "id">;
  readonly report: ImportReport;
  readonly groups: ModelGroups;
}

/** A team's workspace. */
export interface TeamHome {
  readonly workspaceId: string;
  /** Why none of its keys may be used; undefined where they may. */
  readonly closed: string | undefined;
}

/** Fields of teams that nothing here stands for, where they are not empty. */
const leftFields: ReadonlyMap<string, string> = new Map([
  ["organization_id", "an organization has no counterpart: budgets are those of workspaces"],
  ["soft_budget", "alerts tell of budgets that are nearly used up (docs/alerts.md)"],
  ["model_max_budget", "a budget of one model has no counterpart"],
  ["budget_limits", "several budgets of one team were not taken: set those of the workspace"],
  ["tpd_limit", "tokens a day have no limit here"],
  ["members_with_roles", "its members were not taken: its keys are those of the workspace"],
  ["router_settings", "it has no counterpart"],
  ["object_permission", "it has no counterpart"],
  ["model_aliases", "aliases are those of the configuration file"],
]);

const kind = { id: "team_id", lack: "it has no team_id" };

/** Makes the workspaces that are not there yet, and tells those of all teams by the ids of the teams. */
export async function importTeams(
  list: readonly unknown[],
  deps: ImportDeps,
): Promise<ReadonlyMap<string, TeamHome>> {
  const homes = new Map<string, TeamHome>();
  for (const [at, one] of list.entries()) {
    const { data: team, error } = teamSchema.safeParse(one);
    if (team === undefined) deps.report.impossible(`teams[${at}]: ${recordFault(error, kind)}`);
    else homes.set(team.team_id, await importTeam(team, deps));
  }
  return homes;
}

/** Reads the file of `--teams`. Throws a ConfigError for a text that is no such list. */
export function parseTeamList(text: string): readonly unknown[] {
  try {
    return listSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError("The teams are no answer of /team/list", { cause });
  }
}

/** Tells the team's workspace from others of the same name, when the command is run once more. */
const markOf = ({ team_id: id }: LitellmTeam): string => `LiteLLM team ${id}`.slice(0, 500);

async function importTeam(team: LitellmTeam, deps: ImportDeps): Promise<TeamHome> {
  const { report, groups } = deps;
  const name = cutWhole(team.team_alias?.trim() || team.team_id, 100);
  const place = `team ${name}`;
  const allowed = allowedModels(team.models, { groups, report, place, hasTeam: false });
  const budget = budgetOf(team, { place, report });
  const closed = team.blocked === true
    ? "its team is blocked"
    : allowed.type === "none"
    ? "none of its team's models is here"
    : budget !== undefined && budget.usd <= 0
    ? "nothing is left of its team's budget"
    : undefined;
  const { slug, known } = await freeSlug(team, { name, store: deps.store });
  if (known !== undefined) {
    report.impossible(`${place}: the workspace ${slug} is here already, and was left as it is`);
    return { workspaceId: known, closed };
  }
  const at = new Date(deps.runtime.clock.now()).toISOString();
  const id = toUuid(deps.runtime.id());
  const row = newRow(team, { id, name, slug, at, rates: rateLimitsOf(team, { place, report }) });
  await commit(deps, {
    row,
    models: allowed.type === "some" ? allowed.ids : null,
    budget: budget === undefined || budget.usd <= 0 ? undefined : budget,
  });
  report.done.push(`${place}: the workspace ${slug}${describeBudget(budget)}`);
  leaveFields(team, { fields: leftFields, place, report });
  return { workspaceId: id, closed };
}

const describeBudget = (budget: ReturnType<typeof budgetOf>): string =>
  budget === undefined ? "" : `, ${budget.usd} USD ${budget.interval}`;

interface LeaveInput {
  /** Name of a field → why it is not taken. */
  readonly fields: ReadonlyMap<string, string>;
  readonly place: string;
  readonly report: ImportReport;
}

/** Reports the fields of a key or a team that say something and are not taken. */
export function leaveFields(
  record: Readonly<Record<string, unknown>>,
  { fields, place, report }: LeaveInput,
): void {
  for (const [field, why] of fields) if (isSet(ownValue(record, field))) report.leave(field, { place, why });
}

/** The user of keys that nobody's name was given for. */
const NOBODY = "default_user_id";

function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === NOBODY) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

interface SlugInput {
  readonly name: string;
  readonly store: Store;
}

/** The first slug that nobody has, or that the same team has got before. */
async function freeSlug(
  team: LitellmTeam,
  { name, store }: SlugInput,
): Promise<{ readonly slug: string; readonly known?: string }> {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "").slice(0, 40);
  const plain = words.replace(/-$/, "");
  const base = plain === "" || plain === DEFAULT_WORKSPACE_SLUG || isUuid(plain)
    ? `team-${plain}`.slice(0, 40)
    : plain;
  const first = base.replace(/-$/, "");
  for (let at = 1;; at++) {
    const slug = at === 1 ? first : `${first}-${at}`;
    const found = await workspaceSlugs(store).get(slug);
    if (found === undefined) return { slug };
    const workspace = await workspaceCollection(store).get(found.record.id);
    if (workspace?.record.description === markOf(team)) return { slug, known: found.record.id };
  }
}

interface NewWorkspace {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly at: string;
  readonly rates: WorkspaceRow["rate_limits"];
}

function newRow(team: LitellmTeam, { id, name, slug, at, rates }: NewWorkspace): WorkspaceRow {
  return {
    id,
    name,
    slug,
    description: markOf(team),
    default_text_model: null,
    default_image_model: null,
    default_provider_sort: null,
    is_data_discount_logging_enabled: false,
    is_observability_broadcast_enabled: false,
    is_observability_io_logging_enabled: false,
    io_logging_sampling_rate: 1,
    io_logging_api_key_ids: null,
    include_byok_in_budgets: false,
    disabled_server_tools: null,
    default_plugins: null,
    created_by: "litellm",
    created_at: at,
    updated_at: null,
    rate_limits: rates,
    state: "active",
  };
}

interface TeamRows {
  readonly row: WorkspaceRow;
  /** Null: all. */
  readonly models: readonly string[] | null;
  readonly budget: ReturnType<typeof budgetOf>;
}

/** All of a team at once, so that no key ever comes into a workspace without its limits. */
async function commit(
  { store, audit, runtime }: ImportDeps,
  { row, models, budget }: TeamRows,
): Promise<void> {
  const { id, slug, created_at } = row;
  const slugs = workspaceSlugs(store);
  const change = { operation: "workspaces.create", subject: { type: "workspace", id }, before: null };
  const { type } = await store.commit({
    checks: [slugs.check([slug], null)],
    puts: [
      workspaceCollection(store).put([id], row),
      slugs.put([slug], { id }),
      guardrailPut(store, {
        id: defaultGuardrailId(id),
        name: "Default",
        workspaceId: id,
        models,
        created_at,
      }),
      ...(budget === undefined ? [] : [
        budgetCollection(store).put([id], {
          [budget.interval]: {
            id: toUuid(runtime.id()),
            limit_usd: budget.usd,
            created_at,
            updated_at: created_at,
          },
        }),
      ]),
      audit.put({
        ...change,
        after: { ...serializeWorkspace(row), rate_limits: row.rate_limits, budget, models },
      }),
    ],
  });
  if (type === "conflict") {
    throw new ConfigError(`The workspace ${slug} was made by somebody else a moment ago`);
  }
}

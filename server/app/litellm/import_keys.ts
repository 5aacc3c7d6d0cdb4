/**
 * Keys of a running LiteLLM, from its `/key/list?return_full_object=true`: it names them by the SHA-256 of their texts,
 * as this gateway does, so that they go on working and nobody has to know them.
 */

import * as z from "zod";
import { keyHashSchema } from "../../../shared/keys.ts";
import { cutWhole } from "../../../shared/util/text.ts";
import { ConfigError } from "../../config/config_error.ts";
import { encodeLimit, keyCollection, type KeyRow, newKeyRow } from "../../management/keys/key_rows.ts";
import { keyPuts } from "../../management/keys/lists/key_index.ts";
import { serializeAuditedKey } from "../../management/keys/key_record.ts";
import { toUuid } from "../../management/workspaces/workspace_rows.ts";
import { allowedModels, guardrailPut } from "./allowed_models.ts";
import { recordFault } from "./import_report.ts";
import { type ImportDeps, leaveFields, type TeamHome } from "./import_teams.ts";
import { budgetOf, limitShape, rateLimitsOf } from "./limit_fields.ts";

/** Marks a key that was imported. */
const MARK = "litellm";

const keySchema = z.looseObject({
  token: keyHashSchema,
  key_name: z.string().nullish(),
  key_alias: z.string().nullish(),
  team_id: z.string().nullish(),
  user_id: z.string().nullish(),
  expires: z.string().nullish(),
  allowed_routes: z.array(z.string()).nullish().catch(undefined),
  ...limitShape,
});
type LitellmKey = z.output<typeof keySchema>;

const pageSchema = z.looseObject({ keys: z.array(z.unknown()) });
/** One page, or a list of all. */
const listSchema = z.union([pageSchema.transform((page) => [page]), z.array(pageSchema)]);

/** Fields of keys that nothing here stands for, where they are not empty. */
const leftFields: ReadonlyMap<string, string> = new Map([
  ["user_id", "what its user may spend in all stands in no list of keys, and is not taken"],
  ["organization_id", "an organization has no counterpart: budgets are those of workspaces"],
  ["soft_budget", "alerts tell of keys that are nearly used up (docs/alerts.md)"],
  ["model_max_budget", "a budget of one model has no counterpart"],
  ["budget_limits", "several budgets of one key were not taken: set its limit"],
  ["tpd_limit", "tokens a day have no limit here"],
  ["aliases", "aliases are those of the configuration file"],
  ["permissions", "it has no counterpart"],
  ["object_permission", "it has no counterpart"],
  ["router_settings", "it has no counterpart"],
  ["config", "it has no counterpart"],
]);

interface ImportKeysDeps extends ImportDeps {
  /** The workspace of keys without a team. */
  readonly workspaceId: string;
  readonly teams: ReadonlyMap<string, TeamHome>;
}

const kind = { id: "token", lack: "it has no SHA-256 as its token" };

/** Writes the keys that are not there yet. */
export async function importKeys(list: readonly unknown[], deps: ImportKeysDeps): Promise<void> {
  const guardrails = new Map<string, string>();
  for (const [at, one] of list.entries()) {
    const { data: key, error } = keySchema.safeParse(one);
    if (key === undefined) deps.report.impossible(`keys[${at}]: ${recordFault(error, kind)}`);
    else await importKey(key, { ...deps, guardrails });
  }
}

/** Reads the file of `--keys`. Throws a ConfigError for a text that is no such list. */
export function parseKeyList(text: string): readonly unknown[] {
  try {
    return listSchema.parse(JSON.parse(text)).flatMap(({ keys }) => keys);
  } catch (cause) {
    throw new ConfigError("The keys are no answer of /key/list?return_full_object=true", { cause });
  }
}

interface ImportKeyDeps extends ImportKeysDeps {
  /** Guardrails that were made for lists of models, by workspace and list. */
  readonly guardrails: Map<string, string>;
}

async function importKey(key: LitellmKey, deps: ImportKeyDeps): Promise<void> {
  const { store, audit, report } = deps;
  const name = key.key_alias ?? `LiteLLM ${key.token.slice(0, 8)}`;
  const place = `key ${name}`;
  const home = key.team_id
    ? deps.teams.get(key.team_id)
    : { workspaceId: deps.workspaceId, closed: undefined };
  if (home === undefined) {
    return report.impossible(`${place}: its team ${key.team_id} is not among --teams: import both at once`);
  }
  const rows = keyCollection(store);
  if (await rows.get(key.token)) {
    return report.impossible(`${place}: a key with this text is here already`);
  }
  const row = await rowOf(key, { ...deps, name, home });
  const change = { operation: "keys.create", subject: { type: "key", id: row.hash }, before: null };
  const { type } = await store.commit({
    checks: [rows.check([row.hash], null)],
    puts: [...keyPuts(store, row), audit.put({ ...change, after: serializeAuditedKey(row) })],
    small: true,
  });
  if (type === "conflict") return report.impossible(`${place}: a key with this text is here already`);
  report.done.push(`${place}: imported${row.disabled ? ", disabled" : ", and its text goes on working"}`);
  leaveFields(key, { fields: leftFields, place, report });
}

interface KeyRowDeps extends ImportKeyDeps {
  readonly name: string;
  readonly home: TeamHome;
}

async function rowOf(key: LitellmKey, deps: KeyRowDeps): Promise<KeyRow> {
  const { name, home: { workspaceId, closed }, report, groups } = deps;
  const now = deps.runtime.clock.now();
  const place = `key ${name}`;
  const allowed = allowedModels(key.models, { groups, report, place, hasTeam: Boolean(key.team_id) });
  const expiry = expiryOf(key);
  const why = closed ?? (allowed.type === "none" ? "none of its models is here" : undefined) ??
    routesFault(key) ??
    (expiry === undefined ? "its expires is no moment" : undefined);
  if (why !== undefined) report.changed.push(`${place}: disabled: ${why}`);
  const budget = budgetOf(key, { place, report });
  return {
    // Its text is unknown: the hash is LiteLLM's.
    ...newKeyRow({ kind: "api", token: key.token, name, workspaceId }, now),
    hash: key.token,
    label: key.key_name ?? "...",
    creator_user_id: MARK,
    disabled: key.blocked === true || why !== undefined,
    expires_at: expiry ?? null,
    ...encodeLimit(budget?.usd ?? null),
    limit_reset: budget === undefined || budget.interval === "lifetime" ? null : budget.interval,
    rate_limits: rateLimitsOf(key, { place, report }),
    guardrail: allowed.type === "some" ? await guardrailOf(allowed.ids, deps) : null,
  };
}

/** Null: never. Undefined for what cannot be read, which must not become a key that never expires. */
function expiryOf({ expires }: LitellmKey): string | null | undefined {
  if (!expires) return null;
  const at = Date.parse(expires);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** A key here calls every route that models have, and manages nothing. */
function routesFault({ allowed_routes: routes }: LitellmKey): string | undefined {
  if (!routes || routes.length === 0 || routes.includes("llm_api_routes")) return undefined;
  return `it was for some routes alone: ${routes.join(", ")}`;
}

/** The guardrail of a list of models, one for all keys of a workspace that have the same list. It is there first. */
async function guardrailOf(
  models: readonly string[],
  { store, audit, runtime, home: { workspaceId }, guardrails }: KeyRowDeps,
): Promise<KeyRow["guardrail"]> {
  const slot = JSON.stringify([workspaceId, models.toSorted()]);
  const known = guardrails.get(slot);
  const id = known ?? toUuid(runtime.id());
  const created_at = new Date(runtime.clock.now()).toISOString();
  if (known === undefined) {
    const name = cutWhole(`LiteLLM: ${models.join(", ")}`, 100);
    const change = { operation: "guardrails.create", subject: { type: "guardrail", id }, before: null };
    await store.commit({
      puts: [
        guardrailPut(store, { id, name, workspaceId, models, created_at }),
        audit.put({ ...change, after: { name, workspace_id: workspaceId, allowed_models: models } }),
      ],
    });
    guardrails.set(slot, id);
  }
  return { id: toUuid(runtime.id()), guardrail_id: id, assigned_by: null, created_at };
}

/** Operations on tag rules. */

import { ApiError } from "../../../shared/errors.ts";
import type { classifierApi } from "../../../shared/management/gateway/classifiers.ts";
import { MOST_RULES, type TagRuleRecord } from "../../../shared/observability/tag_rules.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { VersionCheck } from "../../storage/stores/store.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { compareByAge, paginate, readAllRecords } from "../core/pages.ts";
import { commitRecord, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { isUuid } from "../workspaces/workspace_lookup.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { conditionsFault } from "./compile_rules.ts";
import { tagRuleCollection } from "./tag_rule_rows.ts";

type Api = typeof classifierApi;
type OperationDeps = Pick<ManagementDeps, "store" | "runtime" | "cacheVersions" | "audit">;
type Shown = { readonly data: TagRuleRecord };

export function classifierOperations(deps: OperationDeps): OperationHandlers<Api> {
  const { store, runtime } = deps;
  return {
    "classifiers.list": async ({ query }) => {
      const { workspace_id: of } = query;
      const rows = await readAllRecords(tagRuleCollection(store));
      return paginate(
        rows.filter((row) => of === undefined || row.workspace_id === of).sort(compareByAge),
        query,
      );
    },
    "classifiers.create": (input) => retryOnConflict(runtime, () => create(deps, input)),
    "classifiers.get": async (input) => ({
      data: (await find(deps, { ...input, verb: "show tag rule" })).record,
    }),
    "classifiers.update": (input) => retryOnConflict(runtime, () => update(deps, input)),
    "classifiers.delete": (input) => retryOnConflict(runtime, () => remove(deps, input)),
  };
}

interface Named extends Pick<OperationInput, "params"> {
  readonly verb: string;
}

/** Throws an ApiError: 400 for what is no UUID, 404 for one that names nothing. */
async function find(
  { store }: Pick<OperationDeps, "store">,
  named: Named,
): Promise<StoredRecord<TagRuleRecord>> {
  const id = pathParameter(named, "id");
  if (!isUuid(id)) {
    throw refused(named.verb, { path: "id", fault: `is ${formatValue(id)}; a UUID is needed` });
  }
  const found = await tagRuleCollection(store).get(id.toLowerCase());
  if (found) return found;
  throw new ApiError("not_found", `There is no tag rule ${formatValue(id)}.`);
}

interface Fault {
  readonly path: string;
  /** The rest of a sentence that begins with the path. */
  readonly fault: string;
}

const refused = (verb: string, { path, fault }: Fault): ApiError =>
  new ApiError("invalid_request", `Cannot ${verb}: ${path} ${fault}`, { metadata: { path } });

/** Throws an ApiError (400) for conditions that mean nothing. */
function check({ conditions }: Pick<TagRuleRecord, "conditions">, verb: string): void {
  const fault = conditionsFault(conditions);
  if (fault !== undefined) throw refused(verb, fault);
}

/** How the audit log names and shows a rule, and what a change drops from caches. */
const inAudit = {
  subject: "classifier",
  topic: "classifiers",
  describe: (row: TagRuleRecord) => row,
} as const;

async function create(
  deps: OperationDeps,
  input: OperationInput<Api["classifiers.create"]>,
): Promise<Shown | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const { workspace_id: of, ...settings } = input.body;
  const verb = "create tag rule";
  const home = await findTargetWorkspace(store, { id: of?.toLowerCase(), verb });
  check(settings, verb);
  const at = new Date(runtime.clock.now()).toISOString();
  const placed = { id: toUuid(runtime.id()), workspace_id: home.id };
  const row: TagRuleRecord = { ...placed, ...settings, created_at: at, updated_at: at };
  const unchanged = await checkPlace(deps, row);
  const done = await commitRecord(deps, {
    ...inAudit,
    rows: tagRuleCollection(store),
    id: row.id,
    after: row,
    checks: [home.check, unchanged],
    input,
    operation: "classifiers.create",
  });
  return done ? { data: row } : WRITE_CONFLICT;
}

/** Belongs into the commit: no rule has changed since they were counted. Throws an ApiError (409). */
async function checkPlace(
  { store, cacheVersions }: OperationDeps,
  { workspace_id }: Pick<TagRuleRecord, "workspace_id">,
): Promise<VersionCheck> {
  const { key } = cacheVersions.put(inAudit.topic);
  const counted = await store.get(key);
  const rows = await readAllRecords(tagRuleCollection(store));
  const others = rows.filter((row) => row.workspace_id === workspace_id);
  if (others.length < MOST_RULES) return { key, version: counted?.version ?? null };
  throw new ApiError(
    "conflict",
    `Cannot create tag rule: the workspace has ${MOST_RULES} already, which is the most`,
    { metadata: { limit: MOST_RULES } },
  );
}

async function update(
  deps: OperationDeps,
  input: OperationInput<Api["classifiers.update"]>,
): Promise<Shown | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const verb = "update tag rule";
  const found = await find(deps, { ...input, verb });
  const before = found.record;
  const next: TagRuleRecord = { ...before, ...omitUndefined(input.body) };
  check(next, verb);
  if (JSON.stringify(next) === JSON.stringify(before)) return { data: before };
  const isNew = next.enabled && !before.enabled;
  const home = isNew ? await findTargetWorkspace(store, { id: next.workspace_id, verb }) : undefined;
  const after = { ...next, updated_at: new Date(runtime.clock.now()).toISOString() };
  const done = await commitRecord(deps, {
    ...inAudit,
    rows: tagRuleCollection(store),
    id: after.id,
    before: found,
    after,
    checks: home ? [home.check] : [],
    input,
    operation: "classifiers.update",
  });
  return done ? { data: after } : WRITE_CONFLICT;
}

async function remove(
  deps: OperationDeps,
  input: OperationInput<Api["classifiers.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const before = await find(deps, { ...input, verb: "delete tag rule" });
  const done = await commitRecord(deps, {
    ...inAudit,
    rows: tagRuleCollection(deps.store),
    id: before.record.id,
    before,
    input,
    operation: "classifiers.delete",
  });
  return done ? { deleted: true } : WRITE_CONFLICT;
}

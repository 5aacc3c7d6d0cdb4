/** Operations on broadcast destinations. */

import { ApiError } from "../../../shared/errors.ts";
import type { destinationApi } from "../../../shared/management/gateway/destinations.ts";
import type { OperationOutput } from "../../../shared/management/operation.ts";
import { MOST_OF_TYPE } from "../../../shared/observability/records.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { VersionCheck } from "../../storage/stores/store.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { compareByAge, paginate, readAllRecords } from "../core/pages.ts";
import { auditCaller, commitRecord, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { keyCollection } from "../keys/key_rows.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { isUuid } from "../workspaces/workspace_lookup.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import {
  type DestinationConfig,
  maskConfig,
  mergeConfig,
  parseConfig,
  writeConfig,
} from "./destination_config.ts";
import { calledUrl } from "./destination_message.ts";
import {
  configContext,
  describeDestination,
  destinationCollection,
  type DestinationRow,
  type DestinationState,
  destinationStates,
  showDestination,
  stateFrom,
} from "./destination_rows.ts";
import { testDestination } from "./test_call.ts";
import { openConfig } from "./sealed_config.ts";
import { rulesFault } from "./receipt_filter.ts";

type Api = typeof destinationApi;
type Shown = OperationOutput<Api["destinations.get"]>;

export function destinationOperations(deps: ManagementDeps): OperationHandlers<Api> {
  const { store, runtime } = deps;
  const show = async (row: DestinationRow) => showDestination(row, await stateOf(deps, row));
  return {
    "destinations.list": async ({ query }) => {
      const { workspace_id: of } = query;
      const rows = await readAllRecords(destinationCollection(store));
      const some = rows.filter((row) => of === undefined || row.workspace_id === of).sort(compareByAge);
      const { data, ...rest } = paginate(some, query);
      return { data: await Promise.all(data.map(show)), ...rest };
    },
    "destinations.create": (input) => retryOnConflict(runtime, () => create(deps, input)),
    "destinations.get": async (input) => ({
      data: await show((await find(deps, { ...input, verb: "show destination" })).record),
    }),
    "destinations.update": (input) => retryOnConflict(runtime, () => update(deps, input)),
    "destinations.test": (input) => test(deps, input),
    "destinations.delete": (input) => retryOnConflict(runtime, () => remove(deps, input)),
  };
}

async function stateOf(
  { store }: ManagementDeps,
  { id }: Pick<DestinationRow, "id">,
): Promise<DestinationState> {
  return (await destinationStates(store).get(id))?.record ?? stateFrom(0);
}

interface Named extends Pick<OperationInput, "params"> {
  readonly verb: string;
}

/** Throws an ApiError: 400 for what is no UUID, 404 for one that names nothing. */
async function find({ store }: ManagementDeps, named: Named): Promise<StoredRecord<DestinationRow>> {
  const id = pathParameter(named, "id");
  if (!isUuid(id)) {
    throw refused(named.verb, { path: "id", fault: `is ${formatValue(id)}; a UUID is needed` });
  }
  const found = await destinationCollection(store).get(id.toLowerCase());
  if (found) return found;
  throw new ApiError("not_found", `There is no destination ${formatValue(id)}.`);
}

interface Fault {
  readonly path: string;
  /** The rest of a sentence that begins with the path. */
  readonly fault: string;
}

const refused = (verb: string, { path, fault }: Fault): ApiError =>
  new ApiError("invalid_request", `Cannot ${verb}: ${path} ${fault}`, { metadata: { path } });

const defaults = {
  enabled: true,
  api_key_hashes: null,
  filter_rules: null,
  privacy_mode: false,
  sampling_rate: 1,
  broadcast_generation_cost: false,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
} as const;

interface Checked {
  readonly row: DestinationRow;
  readonly verb: string;
  /** Before a change. What it leaves as it is was checked then: a key may be gone meanwhile. */
  readonly before?: DestinationRow;
}

/** Checks what the schema cannot judge field by field. Throws an ApiError (400). */
async function check({ store }: ManagementDeps, { row, verb, before }: Checked): Promise<void> {
  const isSameFilter = row.filter_rules === before?.filter_rules;
  const fault = isSameFilter ? undefined : rulesFault(row.filter_rules);
  if (fault !== undefined) throw refused(verb, fault);
  for (const hash of row.api_key_hashes ?? []) {
    if (before?.api_key_hashes?.includes(hash)) continue;
    const found = await keyCollection(store).get(hash);
    if (found?.record.kind === "api" && found.record.workspace_id === row.workspace_id) continue;
    throw refused(verb, {
      path: "api_key_hashes",
      fault: `has ${hash}, which is no API key of the workspace`,
    });
  }
}

/** Throws an ApiError (400) for an address that may not be called. */
function checkAddress(
  { fetchFault }: ManagementDeps,
  config: DestinationConfig,
  { verb }: Pick<Checked, "verb">,
) {
  const fault = fetchFault(calledUrl(config));
  const field = config.type === "webhook" ? "url" : "endpoint";
  if (fault !== undefined) throw refused(verb, { path: `config.${field}`, fault });
}

/** How the audit log names and shows a destination, and what a change drops from caches. */
const inAudit = { subject: "destination", topic: "destinations", describe: describeDestination } as const;

async function create(
  deps: ManagementDeps,
  input: OperationInput<Api["destinations.create"]>,
): Promise<Shown | typeof WRITE_CONFLICT> {
  const { store, runtime, vault } = deps;
  const { config: fields, workspace_id: of, type, name, ...settings } = input.body;
  const verb = "create destination";
  const home = await findTargetWorkspace(store, { id: of?.toLowerCase(), verb });
  const config = parseConfig({ type, config: fields, verb });
  checkAddress(deps, config, { verb });
  const placed = { id: toUuid(runtime.id()), workspace_id: home.id, config_version: 1 };
  const now = runtime.clock.now();
  const at = new Date(now).toISOString();
  const row: DestinationRow = {
    ...defaults,
    regions: ["global"],
    ...omitUndefined(settings),
    ...placed,
    type,
    name,
    config: maskConfig(config),
    created_at: at,
    updated_at: at,
    sealed: await vault.encrypt(writeConfig(config), configContext(placed)),
  };
  await check(deps, { row, verb });
  const unchanged = await checkPlace(deps, row);
  const state = stateFrom(now);
  const done = await commitRecord(deps, {
    ...inAudit,
    rows: destinationCollection(store),
    id: row.id,
    after: row,
    checks: [home.check, unchanged],
    puts: [destinationStates(store).put([row.id], state)],
    input,
    operation: "destinations.create",
  });
  return done ? { data: showDestination(row, state) } : WRITE_CONFLICT;
}

/** Belongs into the commit: no destination has changed since they were counted. Throws an ApiError (409). */
async function checkPlace(
  { store, cacheVersions }: ManagementDeps,
  { type, workspace_id }: DestinationRow,
): Promise<VersionCheck> {
  const { key } = cacheVersions.put(inAudit.topic);
  const counted = await store.get(key);
  const rows = await readAllRecords(destinationCollection(store));
  const others = rows.filter((row) => row.type === type && row.workspace_id === workspace_id);
  if (others.length < MOST_OF_TYPE) return { key, version: counted?.version ?? null };
  throw new ApiError(
    "conflict",
    `Cannot create destination: the workspace has ${MOST_OF_TYPE} of type ${type} already, which is the most`,
    { metadata: { limit: MOST_OF_TYPE } },
  );
}

async function update(
  deps: ManagementDeps,
  input: OperationInput<Api["destinations.update"]>,
): Promise<Shown | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const verb = "update destination";
  const found = await find(deps, { ...input, verb });
  const before = found.record;
  const { config: change, ...settings } = input.body;
  const configured = change === undefined ? {} : await reconfigured(deps, { row: before, change, verb });
  const next: DestinationRow = { ...before, ...omitUndefined(settings), ...configured };
  await check(deps, { row: next, verb, before });
  const states = destinationStates(store);
  const state = await states.get(before.id);
  const old = state?.record ?? stateFrom(0);
  if (JSON.stringify(next) === JSON.stringify(before)) return { data: showDestination(before, old) };
  const now = runtime.clock.now();
  const isNew = next.enabled && !before.enabled;
  const home = isNew ? await findTargetWorkspace(store, { id: next.workspace_id, verb }) : undefined;
  const after = { ...next, updated_at: new Date(now).toISOString() };
  const stateAfter = isNew ? stateFrom(now, old) : { ...old, attempts: 0, next_at: 0 };
  const done = await commitRecord(deps, {
    ...inAudit,
    describe: (row) => ({ ...describeDestination(row), config_version: row.config_version }),
    rows: destinationCollection(store),
    id: after.id,
    before: found,
    after,
    checks: [states.check([after.id], state?.version ?? null), ...(home ? [home.check] : [])],
    puts: [states.put([after.id], stateAfter)],
    input,
    operation: "destinations.update",
  });
  return done ? { data: showDestination(after, stateAfter) } : WRITE_CONFLICT;
}

interface Reconfiguring extends Pick<Checked, "row" | "verb"> {
  readonly change: Readonly<Record<string, unknown>>;
}

/** The fields of the row that hold the configuration, as changed. Throws an ApiError (400). */
async function reconfigured(deps: ManagementDeps, { row, change, verb }: Reconfiguring) {
  const { vault } = deps;
  const { type } = row;
  const before = await openConfig(vault, { row, verb });
  const config = parseConfig({ type, config: mergeConfig({ before, change }), verb });
  if (writeConfig(config) === writeConfig(before)) return {};
  checkAddress(deps, config, { verb });
  const config_version = row.config_version + 1;
  const sealed = await vault.encrypt(writeConfig(config), configContext({ ...row, config_version }));
  return { config: maskConfig(config), config_version, sealed };
}

/** Changes nothing, but sends something away with a secret: the audit log tells who has done so. */
async function test(
  deps: ManagementDeps,
  input: OperationInput<Api["destinations.test"]>,
): Promise<OperationOutput<Api["destinations.test"]>> {
  const { record } = await find(deps, { ...input, verb: "test destination" });
  const result = await testDestination(deps, record);
  const change = {
    ...auditCaller(input),
    operation: "destinations.test",
    subject: { type: inAudit.subject, id: record.id },
    before: null,
    after: { name: record.name, ...result },
  };
  await deps.store.commit({ puts: [deps.audit.put(change)] });
  return { data: result };
}

async function remove(
  deps: ManagementDeps,
  input: OperationInput<Api["destinations.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const before = await find(deps, { ...input, verb: "delete destination" });
  const { id } = before.record;
  const done = await commitRecord(deps, {
    ...inAudit,
    rows: destinationCollection(store),
    id,
    before,
    deletes: [destinationStates(store).key([id])],
    input,
    operation: "destinations.delete",
  });
  return done ? { deleted: true } : WRITE_CONFLICT;
}

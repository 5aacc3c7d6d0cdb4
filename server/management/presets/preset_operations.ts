/** Preset operations. Saving one stands in save_preset.ts. */

import { ApiError } from "../../../shared/errors.ts";
import type { presetApi } from "../../../shared/management/gateway/presets.ts";
import { DEFAULT_PAGE_SIZE, type OperationOutput } from "../../../shared/management/operation.ts";
import type { PresetApi } from "../../../shared/presets/places.ts";
import type { PresetRecord } from "../../../shared/presets/records.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { paginate, readAllRecords } from "../core/pages.ts";
import { commitRecord, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { auditedPreset } from "./audited_preset.ts";
import {
  findVersion,
  lookUpPreset,
  oldestVersion,
  presetCollection,
  presetNotFound,
  presetVersions,
  versionKey,
} from "./preset_rows.ts";
import { type SaveCall, savePreset } from "./save_preset.ts";

type Api = typeof presetApi;
type Shown = OperationOutput<Api["presets.get"]>;
type Addressed = Pick<OperationInput<Api["presets.get"]>, "params" | "query">;

export function presetOperations(deps: ManagementDeps): OperationHandlers<Api> {
  const save = (api: PresetApi) => (input: SaveCall) =>
    retryOnConflict(deps.runtime, () => savePreset(deps, { api, input }));
  return {
    "presets.list": async ({ query }) => {
      const within = query.workspace_id === undefined ? [] : [query.workspace_id];
      const rows = await readAllRecords(presetCollection(deps.store), within);
      return paginate(rows.sort(compareByChange), query);
    },
    "presets.get": async (input) => await show(deps, (await find(deps, input)).record),
    "presets.update": (input) => retryOnConflict(deps.runtime, () => update(deps, input)),
    "presets.delete": (input) => retryOnConflict(deps.runtime, () => remove(deps, input)),
    "presets.save.chat": save("chat"),
    "presets.save.responses": save("responses"),
    "presets.save.messages": save("messages"),
    "presets.versions.list": (input) => listVersions(deps, input),
    "presets.versions.get": async (input) => {
      const row = (await find(deps, input)).record;
      const wanted = pathParameter(input, "version");
      const number = /^[1-9]\d{0,8}$/.test(wanted) ? Number(wanted) : undefined;
      const version = number === undefined
        ? undefined
        : await findVersion(deps.store, { row, version: number });
      if (version !== undefined) return { data: version };
      throw new ApiError("not_found", `Preset ${row.slug} has no version ${formatValue(wanted)}.`);
    },
  };
}

/** Orders presets by their last change, the latest first; those of one moment by their ids, so that pages never overlap. */
function compareByChange(one: PresetRecord, other: PresetRecord): number {
  const [mine, theirs] = [one.updated_at + one.id, other.updated_at + other.id];
  if (mine === theirs) return 0;
  return mine < theirs ? 1 : -1;
}

/** Throws an ApiError (404, or 400 for a workspace that is not there). */
async function find({ store }: ManagementDeps, input: Addressed): Promise<StoredRecord<PresetRecord>> {
  const slug = pathParameter(input, "slug");
  const { id } = await findTargetWorkspace(store, { id: input.query.workspace_id, verb: "find preset" });
  const found = await lookUpPreset(store, { workspaceId: id, slug });
  if (found === undefined) throw presetNotFound(slug);
  return found;
}

async function show({ store }: ManagementDeps, row: PresetRecord): Promise<Shown> {
  const version = await findVersion(store, { row, version: row.version });
  if (version === undefined) throw presetNotFound(row.slug);
  return { data: { ...row, designated_version: version } };
}

async function listVersions(
  deps: ManagementDeps,
  input: OperationInput<Api["presets.versions.list"]>,
): Promise<OperationOutput<Api["presets.versions.list"]>> {
  const row = (await find(deps, input)).record;
  const { offset = 0, limit = DEFAULT_PAGE_SIZE } = input.query;
  const first = oldestVersion(row);
  const total_count = row.version - first + 1;
  const numbers = Array.from({ length: Math.max(0, Math.min(limit, total_count - offset)) });
  const found = await Promise.all(
    numbers.map((_, at) => findVersion(deps.store, { row, version: first + offset + at })),
  );
  return { data: found.filter((version) => version !== undefined), total_count };
}

/** How the audit log names a preset, and what a change drops from caches. */
const inAudit = { subject: "preset", topic: "presets", dropsAll: true } as const;

async function update(
  deps: ManagementDeps,
  input: OperationInput<Api["presets.update"]>,
): Promise<Shown | typeof WRITE_CONFLICT> {
  const found = await find(deps, input);
  const { record: before } = found;
  const next: PresetRecord = { ...before, ...omitUndefined(input.body) };
  if (JSON.stringify(next) === JSON.stringify(before)) return await show(deps, before);
  const now = new Date(deps.runtime.clock.now()).toISOString();
  const statusAt = next.status === before.status ? before.status_updated_at : now;
  const after = { ...next, status_updated_at: statusAt, updated_at: now };
  const done = await commitPreset(deps, { found, after, input, operation: "presets.update" });
  return done ? await show(deps, after) : WRITE_CONFLICT;
}

async function remove(
  deps: ManagementDeps,
  input: OperationInput<Api["presets.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const found = await find(deps, input);
  const done = await commitPreset(deps, { found, input, operation: "presets.delete" });
  return done ? { deleted: true } : WRITE_CONFLICT;
}

interface PresetChange {
  readonly found: StoredRecord<PresetRecord>;
  /** Undefined where it is deleted, which takes the versions too. */
  readonly after?: PresetRecord;
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  readonly operation: string;
}

/** False when somebody has changed it meanwhile. */
async function commitPreset(
  deps: ManagementDeps,
  { found, after, input, operation }: PresetChange,
): Promise<boolean> {
  const { store } = deps;
  const { record, id } = found;
  const [rows, versions] = [presetCollection(store), presetVersions(store)];
  const gone = after === undefined
    ? await findVersion(store, { row: record, version: record.version })
    : undefined;
  const first = oldestVersion(record);
  const kept = Array.from(
    { length: record.version - first + 1 },
    (_, at) => versions.key(versionKey(record, first + at)),
  );
  return await commitRecord(deps, {
    ...inAudit,
    describe: (one: PresetRecord) => auditedPreset(one, gone),
    rows,
    id,
    before: found,
    after,
    deletes: after === undefined ? kept : [],
    input,
    operation,
    small: true,
  });
}

/** Saving a preset from a request's body: the first version, or one more. */

import { ApiError } from "../../../shared/errors.ts";
import type { OperationOutput, OperationQuery } from "../../../shared/management/operation.ts";
import type { presetApi } from "../../../shared/management/gateway/presets.ts";
import { cacheFieldsOf } from "../../../shared/presets/caching.ts";
import { settingsOf } from "../../../shared/presets/fields.ts";
import type { Fields, PresetApi } from "../../../shared/presets/places.ts";
import { type PresetRecord, presetSlugSchema, type PresetVersion } from "../../../shared/presets/records.ts";
import { PRESET_MARK } from "../../../shared/presets/reference.ts";
import { systemTextOf, withoutConversation } from "../../../shared/presets/system_text.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { VersionCheck } from "../../storage/stores/store.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { type OperationInput, pathParameter } from "../core/operation.ts";
import { commitRecord, WRITE_CONFLICT } from "../core/write.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { auditedPreset } from "./audited_preset.ts";
import {
  findVersion,
  lookUpPreset,
  MOST_VERSIONS,
  presetCollection,
  presetVersions,
  versionKey,
} from "./preset_rows.ts";

type Save = (typeof presetApi)["presets.save.chat"];

/** One call of any of the operations that save. */
export interface SaveCall extends Omit<OperationInput, "query" | "body"> {
  readonly query: OperationQuery<Save>;
  readonly body: Fields;
}

interface SaveInput {
  readonly api: PresetApi;
  readonly input: SaveCall;
}

const verb = "save preset";

/** Throws an ApiError (400, 422). What the newest version says already makes no new one. */
export async function savePreset(
  deps: ManagementDeps,
  { api, input }: SaveInput,
): Promise<OperationOutput<Save> | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const slug = pathParameter(input, "slug");
  if (!presetSlugSchema.safeParse(slug).success) {
    const allowed = "up to 64 lower-case letters, digits, _ and -, the first of them a letter or a digit";
    throw refuse("slug", `is ${formatValue(slug)}; ${allowed} are needed`);
  }
  const content = readContent(deps, { api, body: input.body });
  const home = await findTargetWorkspace(store, { id: input.query.workspace_id, verb });
  const found = await lookUpPreset(store, { workspaceId: home.id, slug });
  const newest = found && await findVersion(store, { row: found.record, version: found.record.version });
  if (found && newest && isSame(newest, content)) return shown(found.record, newest);
  const made = makeVersion(deps, {
    slug,
    workspaceId: home.id,
    found,
    content,
    creator: input.caller.keyHash,
  });
  const done = await commitVersion(deps, { made, found, newest, workspace: home.check, input, api });
  return done ? shown(made.row, made.version) : WRITE_CONFLICT;
}

interface VersionCommit {
  readonly made: MadeVersion;
  readonly found: StoredRecord<PresetRecord> | undefined;
  /** The version before. */
  readonly newest: PresetVersion | undefined;
  readonly workspace: VersionCheck;
  readonly input: Pick<SaveCall, "caller" | "requestId">;
  readonly api: PresetApi;
}

/** Keeps the new version, and lets go of the one that is too old. False when somebody else was faster. */
function commitVersion(
  deps: ManagementDeps,
  { made: { row, version }, found, newest, workspace, input, api }: VersionCommit,
): Promise<boolean> {
  const versions = presetVersions(deps.store);
  const dropped = row.version - MOST_VERSIONS;
  return commitRecord(deps, {
    rows: presetCollection(deps.store),
    subject: "preset",
    topic: "presets",
    dropsAll: true,
    describe: (record) => auditedPreset(record, record === row ? version : newest),
    id: [row.workspace_id, row.slug],
    before: found,
    after: row,
    checks: [workspace],
    puts: [versions.put(versionKey(row, row.version), version)],
    deletes: dropped < 1 ? [] : [versions.key(versionKey(row, dropped))],
    input,
    operation: `presets.save.${api}`,
    small: true,
  });
}

const refuse = (path: string, why: string): ApiError =>
  new ApiError("invalid_request", `Cannot ${verb}: ${path} ${why}`, { metadata: { path } });

const shown = (row: PresetRecord, version: PresetVersion): OperationOutput<Save> => ({
  data: { ...row, designated_version: version },
});

type Content = Pick<PresetVersion, "config" | "system_prompt">;

function isSame(newest: PresetVersion, { config, system_prompt }: Content): boolean {
  return newest.system_prompt === system_prompt && JSON.stringify(newest.config) === JSON.stringify(config);
}

/** Below the bytes that a small value may have, together with what else stands in it. */
const MAX_BYTES = 50_000;

interface ContentInput {
  readonly api: PresetApi;
  readonly body: Fields;
}

/** Checks and reads what the preset keeps of the body. Throws an ApiError (400, 422), as for a request. */
function readContent({ checkModelRequest }: ManagementDeps, { api, body }: ContentInput): Content {
  const config = { ...settingsOf(api, body), ...cacheFieldsOf(body) };
  refuseNested(body, config);
  const system_prompt = systemTextOf(api, body) || null;
  if (Object.keys(config).length === 0 && system_prompt === null) {
    throw refuse("body", "has no setting that a preset keeps, and no text that instructs the model");
  }
  const least = api === "messages" && !body.max_tokens ? { max_tokens: 1 } : {};
  const { stream: _, stream_options: _options, ...rest } = body;
  checkModelRequest(api, { ...rest, ...least, ...withoutConversation(api, rest) });
  const bytes = new TextEncoder().encode(JSON.stringify([config, system_prompt])).length;
  if (bytes <= MAX_BYTES) return { config, system_prompt };
  throw refuse("body", `makes a preset of ${bytes} bytes; at most ${MAX_BYTES} are allowed`);
}

/** A preset names no other one: what it means would change without a new version. */
function refuseNested({ preset }: Fields, { model, models }: Fields): void {
  const why = "names a preset; a preset cannot use another one";
  if (preset !== undefined && preset !== null) throw refuse("preset", why);
  const isMarked = (name: unknown) => typeof name === "string" && name.includes(PRESET_MARK);
  if (isMarked(model)) throw refuse("model", why);
  if (Array.isArray(models) && models.some(isMarked)) throw refuse("models", why);
}

interface VersionInput {
  readonly slug: string;
  readonly workspaceId: string;
  readonly found: StoredRecord<PresetRecord> | undefined;
  readonly content: Content;
  readonly creator: string;
}

interface MadeVersion {
  readonly row: PresetRecord;
  readonly version: PresetVersion;
}

function makeVersion(
  { runtime }: ManagementDeps,
  { slug, workspaceId, found, content, creator }: VersionInput,
): MadeVersion {
  const now = new Date(runtime.clock.now()).toISOString();
  const [id, preset_id] = [toUuid(runtime.id()), found?.record.id ?? toUuid(runtime.id())];
  const number = (found?.record.version ?? 0) + 1;
  const newest = { designated_version_id: id, version: number, updated_at: now };
  const row: PresetRecord = found ? { ...found.record, ...newest } : {
    ...newest,
    id: preset_id,
    slug,
    name: slug,
    description: null,
    status: "active",
    status_updated_at: null,
    workspace_id: workspaceId,
    creator_user_id: null,
    created_at: now,
  };
  const times = { created_at: now, updated_at: now };
  return { row, version: { id, preset_id, version: number, ...content, ...times, creator_id: creator } };
}

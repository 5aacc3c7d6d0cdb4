/** Presets as they are stored: a row each by workspace and slug, and a row a version. */

import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import {
  type PresetRecord,
  presetSchema,
  presetSlugSchema,
  type PresetVersion,
  presetVersionSchema,
} from "../../../shared/presets/records.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { Collection, type StoredRecord } from "../../storage/stores/collection.ts";
import type { Store, StoreKey } from "../../storage/stores/store.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { iterateRecords } from "../core/pages.ts";

/** Presets by workspace and slug. */
export function presetCollection(store: Store): Collection<typeof presetSchema> {
  return new Collection({ store, name: "presets", schema: presetSchema });
}

/** Versions by workspace, preset and number. They are never changed. */
export function presetVersions(store: Store): Collection<typeof presetVersionSchema> {
  return new Collection({ store, name: "preset_versions", schema: presetVersionSchema });
}

/** Versions that are kept of a preset; one commit can delete all of them. */
export const MOST_VERSIONS = 500;

type Versioned = Pick<PresetRecord, "workspace_id" | "id">;

export const versionKey = ({ workspace_id, id }: Versioned, version: number): StoreKey => [
  workspace_id,
  id,
  version,
];

/** Number of the oldest version that is kept. */
export const oldestVersion = ({ version }: Pick<PresetRecord, "version">): number =>
  Math.max(1, version - MOST_VERSIONS + 1);

export interface PresetAddress {
  readonly workspaceId: string;
  readonly slug: string;
}

/** Undefined also for what no slug can be. */
export async function lookUpPreset(
  store: Store,
  { workspaceId, slug }: PresetAddress,
): Promise<StoredRecord<PresetRecord> | undefined> {
  if (!presetSlugSchema.safeParse(slug).success) return undefined;
  return await presetCollection(store).get(workspaceId, slug);
}

export const presetNotFound = (slug: string): ApiError =>
  new ApiError("not_found", `There is no preset ${formatValue(slug)} in this workspace.`);

/** One version; undefined where it is not kept, or not there yet. */
export async function findVersion(
  store: Store,
  { row, version }: { readonly row: Versioned; readonly version: number },
): Promise<PresetVersion | undefined> {
  return (await presetVersions(store).get(...versionKey(row, version)))?.record;
}

/** Removes what a workspace has of presets. Called again it goes on. */
export async function removePresets(
  { store, cacheVersions }: { readonly store: Store; readonly cacheVersions: CacheVersions },
  workspaceId: string,
): Promise<void> {
  for (const rows of [presetCollection(store), presetVersions(store)]) {
    for await (const { id } of iterateRecords<z.ZodType>(rows, [workspaceId])) {
      await store.commit({ deletes: [rows.key(id)], puts: [cacheVersions.put("presets")] });
    }
  }
  cacheVersions.changed("presets");
}

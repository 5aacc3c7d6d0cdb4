/** Fills in a request's body from the preset that it names, before anything else reads it (docs/presets.md). */

import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import { type PresetCaching, presetCaching } from "../../../shared/presets/caching.ts";
import { mergePreset } from "../../../shared/presets/merge.ts";
import { type Fields, type PresetApi, presetApis } from "../../../shared/presets/places.ts";
import type { UsedPreset } from "../../../shared/presets/records.ts";
import { presetReference } from "../../../shared/presets/reference.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { UsablePreset } from "../../management/presets/preset_cache.ts";

export interface PresetDeps {
  /** The preset of a workspace under a slug; undefined where there is none. */
  readonly findPreset: (
    address: { readonly workspaceId: string; readonly slug: string },
  ) => UsablePreset | undefined | Promise<UsablePreset | undefined>;
}

interface PresetInput {
  /** The wire on which it came. */
  readonly wire: string;
  readonly body: unknown;
  readonly caller: Pick<Caller, "workspaceId">;
}

/** A body to be read, and where it came from. */
interface FilledBody {
  readonly body: unknown;
  readonly preset?: UsedPreset;
  readonly caching?: PresetCaching;
  /** Characters that the preset may have added. */
  readonly added: number;
}

/** Bodies that name no preset come back as they are. Throws an ApiError (400, 404) that names the preset. */
export function fillFromPreset(
  deps: PresetDeps,
  { wire, body, caller }: PresetInput,
): FilledBody | Promise<FilledBody> {
  const api = presetApis.find((one) => one === wire);
  const named = api === undefined || !isRecord(body) ? undefined : presetReference(body);
  if (named === undefined || api === undefined) return { body, added: 0 };
  const { slug, field, other } = named;
  if (other !== undefined) {
    throw refused("preset", `is ${formatValue(slug)}, and model names the preset ${formatValue(other)}`);
  }
  if (typeof slug !== "string") {
    throw refused(field, `is ${formatValue(slug)}; the slug of a preset is needed`);
  }
  return fill(deps, { api, body: named.body, slug, field, workspaceId: caller.workspaceId });
}

const refused = (path: string, why: string): ApiError =>
  new ApiError("invalid_request", `Cannot use preset: ${path} ${why}`, { metadata: { path } });

interface NamedPreset {
  readonly api: PresetApi;
  readonly body: Fields;
  readonly slug: string;
  readonly field: string;
  readonly workspaceId: string;
}

async function fill(
  { findPreset }: PresetDeps,
  { api, body, slug, field, workspaceId }: NamedPreset,
): Promise<FilledBody> {
  const found = await findPreset({ workspaceId, slug });
  const name = formatValue(slug);
  if (found === undefined) {
    const message = `Cannot use preset: ${field} names ${name}, and the workspace has no such preset`;
    throw new ApiError("not_found", message, { metadata: { path: field } });
  }
  if (found.status !== "active") throw refused(field, `names ${name}, which is ${found.status}`);
  const { id, version } = found;
  const { config, system_prompt } = version;
  return {
    body: mergePreset(api, { body, preset: version }),
    preset: { id, slug: found.slug, version: version.version },
    caching: presetCaching(config),
    added: JSON.stringify([config, system_prompt]).length,
  };
}

/** Says of an error in a filled body where fields may come from that the client has not sent. */
export function parseFilled<T>({ preset }: FilledBody, parse: () => T): T {
  if (preset === undefined) return parse();
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const origin = `The request was filled in from version ${preset.version} of the preset ${preset.slug}.`;
    throw new ApiError(error.kind, `${error.message.replace(/\.?$/, ".")} ${origin}`, {
      ...error.details,
      cause: error,
    });
  }
}

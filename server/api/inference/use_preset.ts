/** Fills in a request's body from the preset that it names, before anything else reads it (docs/presets.md). */

import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import { type PresetCaching, presetCaching } from "../../../shared/presets/caching.ts";
import { mergePreset } from "../../../shared/presets/merge.ts";
import { type Fields, type PresetApi, presetApis } from "../../../shared/presets/places.ts";
import { presetSlugSchema, type UsedPreset } from "../../../shared/presets/records.ts";
import { PRESET_MARK, presetReference } from "../../../shared/presets/reference.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
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

/**
 * Bodies that name no preset come back as they are. Throws an ApiError (400, 404) that names the preset, or the field
 * that cannot name one.
 */
export function fillFromPreset(
  deps: PresetDeps,
  { wire, body, caller }: PresetInput,
): FilledBody | Promise<FilledBody> {
  const api = presetApis.find((one) => one === wire);
  if (api === undefined) return { body: withoutPresets(body, wire), added: 0 };
  const named = isRecord(body) ? presetReference(body) : undefined;
  refuseInModels(body, "a preset goes into model or preset");
  if (named === undefined) return { body, added: 0 };
  const { slug, field, other } = named;
  if (other !== undefined) {
    throw refused("preset", `is ${formatValue(slug)}, and model names the preset ${formatValue(other)}`);
  }
  if (typeof slug !== "string") {
    throw refused(field, `is ${formatValue(slug)}; the slug of a preset is needed`);
  }
  const second = slug.indexOf(PRESET_MARK);
  if (field === "model" && second !== -1) {
    const other = formatValue(slug.slice(second + PRESET_MARK.length));
    throw refused(
      field,
      `names two presets, ${formatValue(slug.slice(0, second))} and ${other}; one is allowed`,
    );
  }
  return fill(deps, { api, body: named.body, slug, field, workspaceId: caller.workspaceId });
}

/** A body of an API that takes no presets, `what` in the words of a message. Throws an ApiError (400) where it names one. */
export function withoutPresets(body: unknown, what: string): unknown {
  const named = isRecord(body) ? presetReference(body) : undefined;
  const why = `requests for ${what} take no presets`;
  if (named !== undefined) throw refused(named.field, `names ${formatValue(named.slug)}; ${why}`);
  refuseInModels(body, why);
  return body;
}

/** Models to fall back to are names of models alone. */
function refuseInModels(body: unknown, why: string): void {
  const models = isRecord(body) ? ownValue(body, "models") : undefined;
  if (!Array.isArray(models)) return;
  const at = models.findIndex((name) => typeof name === "string" && name.includes(PRESET_MARK));
  if (at !== -1) throw refused(`models[${at}]`, `is ${formatValue(models[at])}; ${why}`);
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
    const message = `Cannot use preset: ${field} names ${name}, and the workspace has no such preset. ${
      adviceOn(slug)
    }`;
    throw new ApiError("not_found", message, { metadata: { path: field } });
  }
  if (found.status !== "active") throw refused(field, `names ${name}, which is ${found.status}`);
  const { id, version } = found;
  const { config, system_prompt } = version;
  const preset = { id, slug: found.slug, version: version.version };
  return {
    body: mergePreset(api, { body, preset: version }),
    preset,
    caching: parseFilled({ preset }, () => presetCaching(config)),
    added: JSON.stringify([config, system_prompt]).length,
  };
}

const LISTED = "GET /v1/presets lists those that there are, to a management key.";

function adviceOn(slug: string): string {
  if (presetSlugSchema.safeParse(slug).success) return LISTED;
  const meant = slug.slice(slug.lastIndexOf(PRESET_MARK) + PRESET_MARK.length);
  const isMarked = slug.includes(PRESET_MARK) && presetSlugSchema.safeParse(meant).success;
  const form = isMarked
    ? `preset takes the slug alone: ${formatValue(meant)}.`
    : "A slug is 1 to 64 lower-case letters, digits, _ and -, the first of them a letter or a digit.";
  return `${form} ${LISTED}`;
}

/** Says of an error in a filled body where fields may come from that the client has not sent. */
export function parseFilled<T>({ preset }: Pick<FilledBody, "preset">, parse: () => T): T {
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

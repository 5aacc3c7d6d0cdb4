/** How a request names a preset: `model: "@preset/slug"`, `model: "name@preset/slug"`, or `preset: "slug"`. */

import type { Fields } from "./places.ts";

/** Stands in front of the slug, in a model's name. */
export const PRESET_MARK = "@preset/";

/** A preset that a body names. */
interface PresetReference {
  readonly slug: unknown;
  /** Field that names it. */
  readonly field: "model" | "preset";
  /** The body without its name. */
  readonly body: Fields;
}

/** Undefined for a body that names none; two that differ are given with the second one. */
export function presetReference(
  body: Fields,
): PresetReference & { readonly other?: string } | undefined {
  const { preset = null, ...rest } = body;
  const { model } = rest;
  const at = typeof model === "string" ? model.indexOf(PRESET_MARK) : -1;
  if (typeof model !== "string" || at === -1) {
    return preset === null ? undefined : { slug: preset, field: "preset", body: rest };
  }
  const slug = model.slice(at + PRESET_MARK.length);
  const named = { ...rest, model: at === 0 ? undefined : model.slice(0, at) };
  if (preset === null || preset === slug) return { slug, field: "model", body: named };
  return { slug: preset, field: "preset", body: named, other: slug };
}

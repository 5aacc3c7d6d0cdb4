/** How a request names a preset: `model: "@preset/slug"`, `model: "name@preset/slug"`, or `preset: "slug"`. */

import { ownValue } from "../util/own_value.ts";
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
  const model = ownValue(body, "model");
  const at = typeof model === "string" ? model.indexOf(PRESET_MARK) : -1;
  const field = ownValue(body, "preset") ?? null;
  if (at === -1 && field === null) return undefined;
  const { preset: _, ...rest } = body;
  if (typeof model !== "string" || at === -1) return { slug: field, field: "preset", body: rest };
  const slug = model.slice(at + PRESET_MARK.length);
  const named = { ...rest, model: at === 0 ? undefined : model.slice(0, at) };
  if (field === null || field === slug) return { slug, field: "model", body: named };
  return { slug: field, field: "preset", body: named, other: slug };
}

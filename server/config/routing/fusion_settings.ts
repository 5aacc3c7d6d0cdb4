/** Setting of the configuration file for fusion: which models its presets stand for (docs/fusion.md). */

import * as z from "zod";
import { type FusionPreset, shippedPresets } from "../../../shared/fields/fusion.ts";
import { strictObject } from "../strict_object.ts";

/** A model, an alias, or `~author/family-latest`. */
const modelName = z.string().min(1).max(256);

const preset = ({ analysis_models, model }: FusionPreset) =>
  strictObject({
    /** Models of the panel. */
    analysis_models: z.array(modelName).min(1).max(8).default([...analysis_models]),
    /** The analyst; the first of the panel where neither this nor the shipped preset names one. */
    model: model === undefined ? modelName.optional() : modelName.default(model),
  }).prefault({});

export const fusionSchema = strictObject({
  presets: strictObject({
    "general-high": preset(shippedPresets["general-high"]),
    "general-budget": preset(shippedPresets["general-budget"]),
    "general-fast": preset(shippedPresets["general-fast"]),
  }).prefault({}),
});

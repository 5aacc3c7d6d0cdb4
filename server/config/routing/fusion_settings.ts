/** Setting of the configuration file for fusion: which models its presets stand for (docs/fusion.md). */

import * as z from "zod";
import type { FusionPreset, FusionPresets } from "../../../shared/fields/fusion.ts";
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

/** The panels that ship. Names of families go on when a newer model comes. */
const shipped: FusionPresets = {
  "general-high": {
    analysis_models: ["~anthropic/claude-opus-latest", "~openai/gpt-sol-latest", "~google/gemini-pro-latest"],
  },
  "general-budget": {
    analysis_models: ["~google/gemini-flash-latest", "~deepseek/deepseek-latest", "~moonshotai/kimi-latest"],
    model: "~anthropic/claude-opus-latest",
  },
  "general-fast": {
    analysis_models: [
      "~google/gemini-flash-latest",
      "~anthropic/claude-haiku-latest",
      "~openai/gpt-mini-latest",
    ],
  },
};

export const fusionSchema = strictObject({
  presets: strictObject({
    "general-high": preset(shipped["general-high"]),
    "general-budget": preset(shipped["general-budget"]),
    "general-fast": preset(shipped["general-fast"]),
  }).prefault({}),
});

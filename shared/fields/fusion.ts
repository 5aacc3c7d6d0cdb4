/** Presets of fusion: the panel and the analyst that a word stands for. Names of families age better than models. */

/** Says of a call how many runs of fusion it is a part of. */
export const FUSION_DEPTH = "x-openrouter-fusion-depth";

export const fusionPresetNames = ["general-high", "general-budget", "general-fast"] as const;
type FusionPresetName = typeof fusionPresetNames[number];

export interface FusionPreset {
  /** Names of the panel's models. */
  readonly analysis_models: readonly string[];
  /** The analyst; absent: the first of them. */
  readonly model?: string;
}

export type FusionPresets = Readonly<Record<FusionPresetName, FusionPreset>>;

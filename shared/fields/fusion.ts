/** Presets of fusion: the panel and the analyst that a word stands for. Names of families age better than models. */

/** Says of a call how many runs of fusion it is a part of. */
export const FUSION_DEPTH = "x-openrouter-fusion-depth";

/** Whether a name is a slug of fusion, perhaps with a variant. */
export const namesFusion = (name: string): boolean =>
  /^(openrouter|service)\/fusion(-flash)?(:[a-z:]+)?$/.test(name);

export const fusionPresetNames = ["general-high", "general-budget", "general-fast"] as const;
export type FusionPresetName = typeof fusionPresetNames[number];

export interface FusionPreset {
  /** Names of the panel's models. */
  readonly analysis_models: readonly string[];
  /** The analyst; absent: the first of them. */
  readonly model?: string;
}

export type FusionPresets = Readonly<Record<FusionPresetName, FusionPreset>>;

/** The panels that ship. Names of families go on when a newer model comes. */
export const shippedPresets: FusionPresets = {
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

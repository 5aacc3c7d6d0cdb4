/**
 * Capabilities of each generation of Gemini models, as Google documents them (thinking, sampling, structured output;
 * November 2026). The model's name decides: the same wire serves them all, and refuses with 400 what a model does not
 * take.
 */

export type ThinkingLevel = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH" | "XHIGH";

/** Steered by a level, by a budget of tokens between two bounds (`off`: whether 0 ends it), or not at all. */
export type ThinkingSupport =
  | { readonly by: "level"; readonly levels: readonly ThinkingLevel[] }
  | { readonly by: "budget"; readonly least: number; readonly most: number; readonly off: boolean }
  | { readonly by: "none" };

export interface ModelFamily {
  readonly thinking: ThinkingSupport;
  /** Whether `presencePenalty` and `frequencyPenalty` are taken. */
  readonly penalties: boolean;
  /** Whether output may be held to JSON while tools are offered. */
  readonly jsonWithTools: boolean;
  /** Whether a function's answer may hold images and documents. */
  readonly mediaInResults: boolean;
  /** Whether a call of an earlier turn is refused when it comes back without its signature. */
  readonly wantsSignatures: boolean;
  /** Unit that Google charges for its search: every query, or a prompt for which there was any query. */
  readonly searchesBy: "query" | "prompt";
}

const third: ModelFamily = {
  thinking: { by: "level", levels: ["MINIMAL", "LOW", "MEDIUM", "HIGH"] },
  penalties: true,
  jsonWithTools: true,
  mediaInResults: true,
  wantsSignatures: true,
  searchesBy: "query",
};
const fourth: ModelFamily = {
  ...third,
  thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH"] },
  penalties: false,
};
const second: ModelFamily = {
  thinking: { by: "budget", least: 0, most: 24_576, off: true },
  penalties: true,
  jsonWithTools: false,
  mediaInResults: false,
  wantsSignatures: false,
  searchesBy: "prompt",
};
const thoughtless: ModelFamily = { ...second, thinking: { by: "none" } };

/** By the beginning of the name; the first that fits holds. */
const families: readonly (readonly [RegExp, ModelFamily])[] = [
  [/^gemini-(1|2[.]0|2[.]5-flash-image)|^gemma|-tts\b/, thoughtless],
  [/^gemini-2[.]5-pro/, { ...second, thinking: { by: "budget", least: 128, most: 32_768, off: false } }],
  [/^gemini-2[.]5-flash-lite/, {
    ...second,
    thinking: { by: "budget", least: 512, most: 24_576, off: true },
  }],
  [/^gemini-2/, second],
  [/^gemini-3-pro-image|^gemini-3[.]1-flash(-lite)?-image/, { ...third, thinking: { by: "none" } }],
  [/^gemini-3-pro/, { ...third, thinking: { by: "level", levels: ["LOW", "HIGH"] } }],
  [/^gemini-3[.]\d-pro/, { ...third, thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH"] } }],
  [/^gemini-3/, third],
  [/^gemini-4-(hydrogen|neon)/, {
    ...fourth,
    thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH", "XHIGH"] },
  }],
];

/** A model that this table does not know is newer than it, so it is taken to be like the newest. */
export function modelFamily(model: string): ModelFamily {
  const name = model.toLowerCase().split("/").at(-1) ?? "";
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? fourth;
}

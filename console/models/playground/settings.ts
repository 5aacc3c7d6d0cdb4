/** Settings with which a run is asked besides its messages. They stay in the tab. */

import { computed, signal } from "@preact/signals";

export const efforts = ["", "none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type Effort = (typeof efforts)[number];

export const providerOrders = ["", "price", "throughput", "latency"] as const;
export type ProviderOrder = (typeof providerOrders)[number];

/** Server tools that need nothing else to be named. */
export const firstTools = ["web_search", "shell", "image_generation", "datetime"] as const;
export const otherTools = ["web_fetch", "files", "file_search", "search_models", "fusion"] as const;
export type ServerTool = (typeof firstTools | typeof otherTools)[number];

export const runPlugins = ["web", "web-fetch", "file-parser", "context-compression", "moderation"] as const;
export type RunPlugin = (typeof runPlugins)[number];

/** Numbers that a model may take, with the least and the most that the gateway allows. */
export const numberParameters = {
  temperature: { min: 0, max: 2, whole: false },
  top_p: { min: 0, max: 1, whole: false },
  top_k: { min: 0, max: 1_000_000, whole: true },
  frequency_penalty: { min: -2, max: 2, whole: false },
  presence_penalty: { min: -2, max: 2, whole: false },
} as const;
export type NumberParameter = keyof typeof numberParameters;
export const numberParameterNames = [
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
] as const;

export interface StoredSettings {
  readonly model: string;
  /** The model beside it, where two are compared. */
  readonly otherModel: string;
  /** Asked in this order where the model fails. */
  readonly fallbacks: readonly string[];
  readonly instructions: string;
  readonly order: ProviderOrder;
  /** Slugs between commas. */
  readonly only: string;
  readonly ignore: string;
  readonly noDataCollection: boolean;
  readonly tools: readonly ServerTool[];
  readonly plugins: readonly RunPlugin[];
  readonly effort: Effort;
  /** As it was typed; empty: not sent. */
  readonly maxTokens: string;
  readonly numbers: Readonly<Partial<Record<NumberParameter, string>>>;
}

export const firstSettings: StoredSettings = {
  model: "",
  otherModel: "",
  fallbacks: [],
  instructions: "",
  order: "",
  only: "",
  ignore: "",
  noDataCollection: false,
  tools: [],
  plugins: [],
  effort: "",
  maxTokens: "",
  numbers: {},
};

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

/** The number that a text means: undefined for an empty one, NaN where it means none that is allowed. */
export function toNumber(text: string, { min, max, whole }: NumberRange): number | undefined {
  const trimmed = text.replaceAll(",", "").trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return value >= min && value <= max && (!whole || Number.isInteger(value)) ? value : NaN;
}

export const maxTokensRange = { min: 1, max: 10_000_000, whole: true } as const;

export class RunSettings {
  readonly values = signal<StoredSettings>(firstSettings);
  /** Names of the fields that hold no number that is allowed. */
  readonly problems = computed((): ReadonlySet<string> => {
    const { maxTokens, numbers } = this.values.value;
    const wrong = numberParameterNames.filter((name) =>
      Number.isNaN(toNumber(numbers[name] ?? "", numberParameters[name]))
    );
    return new Set([...wrong, ...Number.isNaN(toNumber(maxTokens, maxTokensRange)) ? ["max_tokens"] : []]);
  });

  set(changes: Partial<StoredSettings>): void {
    this.values.value = { ...this.values.value, ...changes };
  }
}

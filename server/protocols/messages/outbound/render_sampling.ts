/** Temperature and its like: newer models refuse them, thinking ones too, and none takes more than 1. */

import type { JsonObject } from "../../../canonical/item.ts";
import type { SamplingOptions } from "../../../canonical/request.ts";
import type { ReportDropped } from "./blocks.ts";
import type { ModelFamily } from "./model_family.ts";

export interface SamplingContext {
  readonly family: ModelFamily;
  readonly thinking: boolean;
  readonly note: ReportDropped;
}

export function renderSampling(
  sampling: SamplingOptions,
  { family, thinking, note }: SamplingContext,
): JsonObject {
  const asked = {
    temperature: unlessUsual(sampling.temperature),
    top_p: unlessUsual(sampling.topP),
    top_k: sampling.topK,
  };
  const free = family.sampling !== "none" && !thinking;
  const narrow = family.sampling !== "none" && (asked.top_p ?? 0) >= 0.95;
  const beside = family.sampling === "both" || asked.temperature === undefined;
  const allowed = { temperature: free, top_p: free ? beside : narrow, top_k: free };
  const taken = toEntries(asked).filter(([key]) => allowed[key]);
  toEntries(asked).filter(([key]) => !allowed[key]).forEach(([key]) => note(key));
  return Object.fromEntries(
    taken.map(([key, value]) => [key, key === "temperature" ? capped(value, note) : value]),
  );
}

type Key = "temperature" | "top_p" | "top_k";

/** The keys that have a value. */
function toEntries(asked: Readonly<Record<Key, number | undefined>>): readonly (readonly [Key, number])[] {
  const keys: readonly Key[] = ["temperature", "top_p", "top_k"];
  return keys.flatMap((key) => asked[key] === undefined ? [] : [[key, asked[key]] as const]);
}

/** 1 is what a request means that says nothing. */
const unlessUsual = (value: number | undefined) => value === 1 ? undefined : value;

/** Other wires go up to 2. */
function capped(temperature: number, note: ReportDropped): number {
  if (temperature > 1) note("temperature above 1");
  return Math.min(1, temperature);
}

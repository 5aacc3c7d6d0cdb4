/** `temperature`, `top_p` and `top_k` as the families of Claude models take them. */

import type { JsonObject } from "../../../canonical/item.ts";
import type { SamplingOptions } from "../../../canonical/request.ts";
import type { ClaudeFamily } from "./claude_family.ts";

type Note = (words: string) => void;

interface SamplingContext {
  readonly family: ClaudeFamily;
  readonly thinking: boolean;
  /** Told what had to be left out, in words for the routing metadata. */
  readonly note: Note;
}

export function renderClaudeSampling(
  sampling: SamplingOptions,
  { family, thinking, note }: SamplingContext,
): JsonObject {
  const requested = {
    temperature: unlessUsual(sampling.temperature),
    top_p: unlessUsual(sampling.topP),
    top_k: sampling.topK,
  };
  const free = family.sampling !== "none" && !thinking;
  const narrow = family.sampling !== "none" && (requested.top_p ?? 0) >= 0.95;
  const beside = family.sampling === "both" || requested.temperature === undefined;
  const allowed = { temperature: free, top_p: free ? beside : narrow, top_k: free };
  const taken = toEntries(requested).filter(([key]) => allowed[key]);
  toEntries(requested).filter(([key]) => !allowed[key]).forEach(([key]) => note(key));
  return Object.fromEntries(
    taken.map(([key, value]) => [key, key === "temperature" ? capped(value, note) : value]),
  );
}

type Key = "temperature" | "top_p" | "top_k";

/** The keys that have a value. */
function toEntries(
  requested: Readonly<Record<Key, number | undefined>>,
): readonly (readonly [Key, number])[] {
  const keys: readonly Key[] = ["temperature", "top_p", "top_k"];
  return keys.flatMap((key) => requested[key] === undefined ? [] : [[key, requested[key]] as const]);
}

/** 1 is what a request means that says nothing. */
const unlessUsual = (value: number | undefined) => value === 1 ? undefined : value;

/** Other wires go up to 2. */
function capped(temperature: number, note: Note): number {
  if (temperature > 1) note("temperature above 1");
  return Math.min(1, temperature);
}

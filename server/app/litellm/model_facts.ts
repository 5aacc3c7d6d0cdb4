/** Prices and sizes that rows of LiteLLM state. */

import type { PriceList } from "../../../shared/models.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { LitellmRow } from "./litellm_file.ts";

const priceNames = {
  input_cost_per_token: "prompt",
  output_cost_per_token: "completion",
  cache_read_input_token_cost: "input_cache_read",
  cache_creation_input_token_cost: "input_cache_write",
} as const;

export const priceFields: readonly string[] = Object.keys(priceNames);

/** USD per token, as decimal strings. */
export type ModelPrices = { readonly [N in (typeof priceNames)[keyof typeof priceNames]]?: string };

export interface ModelFacts {
  readonly context_length?: number;
  readonly max_output_tokens?: number;
  readonly output_modalities?: readonly string[];
  readonly pricing?: ModelPrices;
}

export function factsOf(row: LitellmRow): ModelFacts {
  const { max_input_tokens: input, max_output_tokens: output, mode } = row.model_info ?? {};
  const pricing = pricingOf(row);
  return {
    ...(isCount(input) ? { context_length: input } : {}),
    ...(isCount(output) ? { max_output_tokens: output } : {}),
    ...(mode === "embedding" ? { output_modalities: ["embeddings"] } : {}),
    ...(pricing === undefined ? {} : { pricing }),
  };
}

const isCount = (value: number | null | undefined): value is number =>
  Number.isInteger(value) && Number(value) > 0;

/** Undefined where a price of tokens is missing: half a price would count the other half as free. */
export function pricingOf({ litellm_params: params, model_info: info }: LitellmRow): ModelPrices | undefined {
  const pricing: ModelPrices = Object.fromEntries(
    Object.entries(priceNames).flatMap(([field, name]) => {
      const price = decimal(ownValue(info ?? {}, field) ?? ownValue(params, field));
      return price === undefined ? [] : [[name, price]];
    }),
  );
  const embeds = info?.mode === "embedding" && pricing.prompt !== undefined;
  if (embeds) return { completion: "0", ...pricing };
  return pricing.prompt === undefined || pricing.completion === undefined ? undefined : pricing;
}

/** Whether the prices say something else than what this version knows. */
export function differs(pricing: ModelPrices, known: PriceList | null | undefined): boolean {
  if (known === null || known === undefined) return true;
  const pairs = [
    [pricing.prompt, known.prompt],
    [pricing.completion, known.completion],
    [pricing.input_cache_read, known.inputCacheRead],
    [pricing.input_cache_write, known.inputCacheWrite],
  ] as const;
  return pairs.some(([own, shipped]) => own !== undefined && Number(own) !== Number(shipped ?? NaN));
}

/** `2e-7` → `0.0000002`; undefined for what is no price. */
function decimal(value: unknown): string | undefined {
  const number = Number(value ?? NaN);
  if (!Number.isFinite(number) || number < 0) return undefined;
  return number.toFixed(20).replace(/\.?0+$/, "") || "0";
}

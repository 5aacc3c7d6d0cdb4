/** Figures of a model over its endpoints: prices, standing, speed and requests. */

import type { ManagedModel, ModelEndpoint } from "../../../shared/management/gateway/models.ts";

type Priced = Pick<ManagedModel, "pricing">;

const MILLION = 1_000_000;

/** Price of a rate in USD a unit; undefined where none is stated. */
function rate({ pricing }: Priced, name: string): number | undefined {
  const value = new Map(Object.entries(pricing)).get(name);
  return typeof value === "string" && value !== "" && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;
}

/** USD a million tokens. */
export function tokenPrice(priced: Priced, name: "prompt" | "completion"): number | undefined {
  const usd = rate(priced, name);
  return usd === undefined ? undefined : usd * MILLION;
}

/** Rates that are charged by something else than tokens. */
const byUnit: ReadonlySet<string> = new Set([
  ...["request", "image", "output_image", "web_search", "file_search"],
  ...["code_interpreter", "character", "second"],
]);

interface FurtherPrice {
  readonly name: string;
  readonly usd: number;
  /** For a million tokens; else for one of what the name says. */
  readonly isByTokens: boolean;
}

/** All stated prices but those of input and output that are more than nothing. */
export function furtherPrices(priced: Priced): readonly FurtherPrice[] {
  return Object.keys(priced.pricing).flatMap((name) => {
    const usd = rate(priced, name);
    if (usd === undefined || usd === 0 || name === "prompt" || name === "completion") return [];
    const isByTokens = !byUnit.has(name);
    return [{ name, usd: isByTokens ? usd * MILLION : usd, isByTokens }];
  });
}

/** Conditions of prices: tokens that a prompt is longer than, tier, hours of the day (HHMM) and days in UTC, first day. */
const conditionNames = ["min_prompt_tokens", "service_tier", "utc_start", "utc_end", "utc_days", "from"];

interface ConditionalPrices extends Priced {
  /** Name and value of each, all of which have to hold. */
  readonly conditions: readonly (readonly [name: string, value: string])[];
}

/** Prices that stand in the place of others where something holds. */
export function conditionalPrices({ pricing }: Priced): readonly ConditionalPrices[] {
  const { overrides } = pricing;
  if (!Array.isArray(overrides)) return [];
  return overrides.map((override: unknown) => {
    const entries = Object.entries(Object(override));
    const conditions = entries.filter(([name]) => conditionNames.includes(name))
      .map(([name, value]) => [name, String(value)] as const);
    return { conditions, pricing: Object.fromEntries(entries) };
  });
}

/** Whether the next request may be answered there. */
const isReady = ({ standing }: Pick<ModelEndpoint, "standing">): boolean =>
  standing === "well" || standing === "probe";

interface ModelSums {
  /** Endpoints that the guardrails leave, and those of them that are ready. */
  readonly allowed: number;
  readonly ready: number;
  /** Least median of milliseconds to the first chunk, most tokens a second. */
  readonly p50Ms: number | undefined;
  readonly tokensPerSecond: number | undefined;
  /** Number of them in 24 hours. */
  readonly requests: number;
  /** Share of them that did not fail, 0–1; undefined without any. */
  readonly uptime: number | undefined;
}

const best = (values: readonly (number | null)[], of: (...all: number[]) => number): number | undefined => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : of(...known);
};

export function modelSums({ endpoints }: Pick<ManagedModel, "endpoints">): ModelSums {
  const allowed = endpoints.filter((endpoint) => endpoint.allowed);
  // Endpoints of one provider have its requests together.
  const providers = [...new Map(endpoints.map((endpoint) => [endpoint.provider_name, endpoint])).values()];
  const requests = providers.reduce((sum, { requests_1d }) => sum + requests_1d, 0);
  const answered = providers.reduce(
    (sum, { requests_1d, uptime_last_1d }) => sum + requests_1d * (uptime_last_1d ?? 0) / 100,
    0,
  );
  return {
    allowed: allowed.length,
    ready: allowed.filter(isReady).length,
    p50Ms: best(allowed.map(({ p50_ms }) => p50_ms), Math.min),
    tokensPerSecond: best(allowed.map(({ tokens_per_second }) => tokens_per_second), Math.max),
    requests,
    uptime: requests === 0 ? undefined : answered / requests,
  };
}

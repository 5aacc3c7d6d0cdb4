/** Fields that mean the same on every API: how a request is served, and who asks (specification, Request body). */

import type { ProviderPreferences } from "../../../../shared/fields/gateway_preferences.ts";

interface Tiered {
  readonly service_tier?: string | null;
}

/** `auto` is the same as nothing, `fast` another word for `priority` (specification, Response request). */
export function parseServiceTier({ service_tier: tier }: Tiered): string | undefined {
  if (!tier || tier === "auto") return undefined;
  return tier === "fast" ? "priority" : tier;
}

interface Routed {
  readonly provider?: ProviderPreferences | null;
  readonly route?: "fallback" | "sort" | null;
}

/**
 * `route` is the older way to say how candidates are sorted (specification, Request body); `provider.sort` wins.
 */
export function parseProviderPreferences({ provider, route }: Routed): ProviderPreferences | undefined {
  if (!route) return provider ?? undefined;
  const partition = route === "fallback" ? "model" : "none";
  const sort = provider?.sort;
  if (typeof sort === "string") return { ...provider, sort: { by: sort, partition } };
  return { ...provider, sort: { by: sort?.by, partition: sort?.partition ?? partition } };
}

/**
 * Endpoints that a caller reaches with provider keys of its own, beside those of the gateway (specification, BYOK).
 */

import type { ByokKey } from "../../caller_rules.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { Exclusion } from "./exclusion.ts";
import { compileModelPatterns, listsModel } from "./model_patterns.ts";

interface EndpointSet {
  readonly endpoints: readonly Endpoint[];
  /** The gateway's own, where the caller's keys are to be used instead. */
  readonly excluded: readonly Exclusion[];
}

/** The endpoints of one model. Without keys it is the list that was given. */
export function withByokEndpoints(endpoints: readonly Endpoint[], keys: readonly ByokKey[]): EndpointSet {
  if (keys.length === 0) return { endpoints, excluded: [] };
  const all: Endpoint[] = [];
  const excluded: Exclusion[] = [];
  for (const endpoint of endpoints) {
    const own = keys.filter(({ provider }) => isProviderMatch(endpoint.provider.id, provider));
    const fitting = own.filter((key) => isFor(key, endpoint));
    const variants = fitting.flatMap((key) => key.at(endpoint) ?? []);
    if (endpoint.provider.isKeyless === true) {
      if (variants.length === 0) excluded.push(withoutKey(endpoint));
    } else if (own.some(({ exclusive }) => exclusive) || fitting.some(({ required }) => required)) {
      excluded.push({
        endpoint,
        reason: "byok_required",
        field: "byok",
        detail: "is to be called with the workspace's own key only",
      });
    } else all.push(endpoint);
    all.push(...variants);
  }
  return { endpoints: all, excluded };
}

const withoutKey = (endpoint: Endpoint): Exclusion => ({
  endpoint,
  reason: "byok_required",
  field: "byok",
  detail: "is reached with the workspace's own keys only, and none of them is for this model",
});

/** Providers here that go by another name elsewhere, or that one account serves. */
const alsoKnown: ReadonlyMap<string, readonly string[]> = new Map([
  ["google-ai-studio", ["google"]],
  ["amazon-bedrock", ["bedrock"]],
  ["azure", ["azure-chat", "azure-tts"]],
  ["google-vertex", ["google-vertex-anthropic"]],
]);

/** Whether a key for the provider that `slug` names is one for the provider `id`. */
export function isProviderMatch(id: string, slug: string): boolean {
  return id === slug || id.split("/", 1)[0] === slug || (alsoKnown.get(slug)?.includes(id) ?? false);
}

function isFor({ models }: ByokKey, endpoint: Endpoint): boolean {
  return models === undefined || listsModel(compileModelPatterns(models), endpoint);
}

/** Prioritized keys come before the gateway's own, fallback keys behind them. */
export function keyTier({ byokKey }: Endpoint): number {
  if (byokKey === undefined) return 1;
  return byokKey.fallback ? 2 : 0;
}

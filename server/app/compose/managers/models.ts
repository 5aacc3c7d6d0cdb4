/** Puts together what managers see of models: the catalog, a workspace's guardrails, and how endpoints are. */

import type { ModelSource, SeenEndpoint } from "../../../management/models/model_source.ts";
import { anyKeyOf } from "../../../management/keys/key_rows.ts";
import type { CallerRulesResolver } from "../../../management/guardrails/caller_rules_resolver.ts";
import type { GuardrailPolicy } from "../../../pipeline/caller_rules.ts";
import type { EndpointHealth } from "../../../pipeline/routing/health/endpoint_health.ts";
import { standingOfKeys } from "../../../pipeline/routing/health/endpoint_standing.ts";
import type { EndpointStats } from "../../../pipeline/routing/health/endpoint_stats.ts";
import { endpointProfile } from "../../../pipeline/routing/selection/endpoint_profile.ts";
import { findPolicyExclusion } from "../../../pipeline/routing/selection/guardrail_filter.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { serializePricing } from "../../../api/models/serialize_model.ts";
import type { CompositionParts } from "../../composition_parts.ts";

interface ModelParts {
  readonly health: EndpointHealth;
  readonly stats: EndpointStats;
  readonly rulesOfKey: CallerRulesResolver["resolveKey"];
}

export function createModelSource(
  { catalog, runtime: { clock } }: CompositionParts,
  { health, stats, rulesOfKey }: ModelParts,
): ModelSource {
  const see = (endpoint: Endpoint, policy: GuardrailPolicy | undefined): SeenEndpoint => ({
    endpoint,
    refusal: policy && findPolicyExclusion(endpointProfile(endpoint), policy)?.detail,
    pricing: serializePricing(endpoint.pricing, clock.now()),
    priceSource: endpoint.pricedBy,
    ...standingOfKeys(health, endpoint),
    p50Ms: stats.latency(endpoint.id)?.p50,
    tokensPerSecond: stats.throughput(endpoint.id)?.p50,
  });
  return {
    modelsOf: async (workspaceId) => {
      const { policy, byokModels } = await rulesOfKey(anyKeyOf(workspaceId));
      const own = new Map((byokModels?.listings ?? []).map((listing) => [listing.model.id, listing]));
      const known = catalog.models.map(({ model, endpoints }) => {
        const more = own.get(model.id)?.endpoints ?? [];
        own.delete(model.id);
        return { model, endpoints: [...endpoints, ...more] };
      });
      return [...known, ...own.values()].map(({ model, endpoints }) => ({
        model,
        endpoints: endpoints.map((endpoint) => see(endpoint, policy)),
      }));
    },
  };
}

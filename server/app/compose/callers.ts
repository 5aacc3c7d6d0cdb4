/** Puts together who callers are: who is let in, what they may do, what it may cost, and how often. */

import { pause } from "../../../shared/util/pause.ts";
import { preparePatterns } from "../../pipeline/guardrails/content_filters.ts";
import { runWork } from "../../../shared/util/run_work.ts";
import { preparePolicy } from "../../pipeline/routing/selection/guardrail_filter.ts";
import type { AuthFailureLimit } from "../../management/keys/auth_failure_limit.ts";
import { budgetLimitSource } from "../../management/budgets/budget_limits.ts";
import { creditsLimitSource } from "../../management/budgets/credits_limit.ts";
import type { ByokKeys } from "../../management/byok/byok_keys.ts";
import type { PresetCache } from "../../management/presets/preset_cache.ts";
import type { PresetAddress } from "../../management/presets/preset_rows.ts";
import { guardrailLimitSource } from "../../management/guardrails/guardrail_policy.ts";
import type { KeyCache } from "../../management/keys/key_cache.ts";
import { KeyStanding } from "../../management/keys/key_standing.ts";
import { keyLimitSource, LimitResolver } from "../../management/budgets/limit_resolver.ts";
import type { IdempotencyKeys } from "../../management/core/idempotency.ts";
import type { CacheVersions } from "../../management/core/cache_versions.ts";
import { RateLimitResolver } from "../../management/budgets/rate_limit_resolver.ts";
import { CallerRulesResolver } from "../../management/guardrails/caller_rules_resolver.ts";
import type { Caller } from "../../../shared/keys.ts";
import { byokCatalog } from "../../providers/catalog/byok_catalog.ts";
import type { AppDeps } from "../app.ts";
import { clientAddressReader } from "../../api/client_address.ts";
import { RateLimiter } from "../../billing/rate_limits/rate_limiter.ts";
import { createByokProviders, knownProviderIds } from "../../providers/mod.ts";
import { isProviderMatch } from "../../pipeline/routing/selection/byok_endpoints.ts";
import type { RoutePlanDeps } from "../../pipeline/routing/route_plan.ts";
import type { PipelineDeps } from "../../pipeline/stages/mod.ts";
import type { RateLimitDeps } from "../../pipeline/stages/rate_limit.ts";
import type { CompositionParts, OpenedParts } from "../composition_parts.ts";

interface SharedCaches {
  readonly keyCache: KeyCache;
  readonly cacheVersions: CacheVersions;
}

/** Judges the keys of requests under way. */
const createKeyStanding = (
  { runtime: { clock } }: OpenedParts,
  { keyCache, cacheVersions }: SharedCaches,
) => new KeyStanding({ keyCache, cacheVersions, clock });

/** Composes what finds the billing context of a request, with its limits. */
export function payersOf(
  parts: OpenedParts,
  { keyCache, cacheVersions }: SharedCaches,
): Pick<PipelineDeps, "billingOf"> & { readonly billingOfKey: LimitResolver["resolveKey"] } {
  const { store, ledger } = parts;
  const sources = [
    keyLimitSource,
    budgetLimitSource(store),
    guardrailLimitSource(store),
    creditsLimitSource({ store, cacheVersions }),
  ];
  const changed = (hash?: string) => ledger.limitsChanged(hash);
  const resolver = new LimitResolver({ keyCache, cacheVersions, sources, changed });
  const standing = createKeyStanding(parts, { keyCache, cacheVersions });
  return {
    billingOf: standing.whileUsable((caller) => resolver.resolve(caller)),
    billingOfKey: (row) => resolver.resolveKey(row),
  };
}

interface RulesParts {
  readonly byokKeys: Pick<ByokKeys, "of">;
  /** Told of the models that only keys of workspaces reach. */
  readonly includeModels: Parameters<typeof byokCatalog>[0]["made"];
}

/** Composes what guardrails and provider keys of their own mean for callers' routes. */
export function createCallerRulesResolver(
  parts: CompositionParts,
  { keyCache, cacheVersions, byokKeys, includeModels }: SharedCaches & RulesParts,
): Required<Pick<RoutePlanDeps, "rulesOf">> & { readonly rulesOfKey: CallerRulesResolver["resolveKey"] } {
  const { config, store, runtime, catalog } = parts;
  const keyless = byokCatalog({ config, providers: createByokProviders(config), made: includeModels });
  const resolver = new CallerRulesResolver({
    store,
    keyCache,
    cacheVersions,
    byokKeysOf: (key) => byokKeys.of(key),
    preparePolicy: (policy) =>
      runWork(preparePolicy(policy, catalog.endpoints), { clock: runtime.clock, pause }),
    prepareFilters: (sources) => runWork(preparePatterns(sources), { clock: runtime.clock, pause }),
    byokModels: (own) => keyless((id) => own.some(({ provider }) => isProviderMatch(id, provider))),
  });
  const standing = createKeyStanding(parts, { keyCache, cacheVersions });
  return {
    rulesOf: standing.whileUsable((caller) => resolver.resolve(caller)),
    rulesOfKey: (row) => resolver.resolveKey(row),
  };
}

/** Says why a slug names no provider that takes keys, as the rest of a sentence; undefined for one that does. */
export function providerFaultFinder(
  config: Pick<CompositionParts["config"], "providers">,
): (slug: string) => string | undefined {
  const ids = knownProviderIds(config);
  return (slug) =>
    ids.some((id) => isProviderMatch(id, slug))
      ? undefined
      : `is ${JSON.stringify(slug)}, which is no provider here: allowed are ${ids.join(", ")}`;
}

interface AccessParts extends SharedCaches {
  readonly idempotencyKeys: IdempotencyKeys;
  readonly failures: AuthFailureLimit;
  readonly presets: PresetCache;
  readonly forwardedCalls?: AppDeps["forwardedCalls"];
}

/** Composes authentication, and the record of callers who repeat themselves. */
export function createAccessControl(
  { config }: CompositionParts,
  { keyCache, cacheVersions, idempotencyKeys, failures, presets, forwardedCalls }: AccessParts,
) {
  return {
    region: "local",
    limits: config.limits,
    credentials: keyCache,
    callerOfHash: (hash: string) => keyCache.findByHash(hash),
    refreshCaches: () => cacheVersions.refresh(),
    idempotencyKeys,
    failures,
    findPreset: (address: PresetAddress) => presets.find(address),
    addressOf: clientAddressReader(config.trustProxy),
    cors: config.cors,
    forwardedCalls,
  };
}

/** Composes the rate limits of callers, and what has been used of them. */
export function createRateLimiting(
  { store, rateLimitQuotas, runtime: { clock } }: OpenedParts,
  { keyCache, cacheVersions }: SharedCaches,
) {
  const [rates, limiter] = [
    new RateLimitResolver({ keyCache, store, cacheVersions }),
    new RateLimiter({ clock, quotas: rateLimitQuotas }),
  ];
  const rateOf = (caller: Caller) => limiter.standing(rates.resolveCached(caller));
  return { resolver: rates, limiter, rateLimitStanding: rateOf } satisfies
    & RateLimitDeps
    & Pick<AppDeps, "rateLimitStanding">;
}

/** Puts the rooms together: what the settings have opened in, what the app needs out. */

import type { AdminDeps } from "./management/core/management_deps.ts";
import { keyDescriber } from "./management/keys/describe_key.ts";
import { FailureLimit } from "./management/keys/auth_failure_limit.ts";
import { budgetLimits } from "./management/budgets/budget_limits.ts";
import { creditsLimit } from "./management/budgets/credits_limit.ts";
import { OwnKeys } from "./management/byok/byok_keys.ts";
import { openVault, type Vault } from "./management/byok/vault.ts";
import { guardrailLimits } from "./management/guardrails/guardrail_policy.ts";
import { KeyCensus } from "./management/keys/key_filter.ts";
import { KeyRing } from "./management/keys/key_cache.ts";
import { keyLimits, LimitBook } from "./management/budgets/limit_resolver.ts";
import { auditOf } from "./management/audit/audit_log.ts";
import { Claims } from "./management/core/idempotency.ts";
import { Epochs } from "./management/core/cache_versions.ts";
import { operationsOf } from "./management/operations.ts";
import { endDisabled, OpenCalls } from "./management/keys/open_calls.ts";
import { endUserNamer } from "./management/core/end_user_pseudonyms.ts";
import { RateBook } from "./management/budgets/rate_limit_resolver.ts";
import { RuleBook } from "./management/guardrails/caller_rules_resolver.ts";
import type { Caller } from "../shared/keys.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { keylessCatalog } from "./catalog/byok_catalog.ts";
import type { AppDeps, Readiness } from "./app.ts";
import type { Config } from "./config/config.ts";
import { createCredentials } from "./credentials/call_credentials.ts";
import type { Ledger } from "./ledger/core/ledger.ts";
import { clientAddress } from "./api/client_address.ts";
import { loadTokenizer } from "./tokenizer/tokens.ts";
import { RateLimiter } from "./rate_limits/rate_limiter.ts";
import type { Shares } from "./rate_limits/rate_limit_quotas.ts";
import { Once } from "./pipeline/one_shot_signal.ts";
import type { Hangup } from "./pipeline/request_context.ts";
import { outboundOf } from "./protocols/mod.ts";
import { keylessFrom } from "./providers/mod.ts";
import { withAnotherKey } from "./providers/byok_endpoint.ts";
import { Health } from "./routing/health/endpoint_health.ts";
import { isAt } from "./routing/selection/byok_endpoints.ts";
import type { PlanDeps } from "./routing/route_plan.ts";
import { LiveStats } from "./routing/health/endpoint_stats.ts";
import { tokenCounter } from "./stages/count_tokens.ts";
import { explainer } from "./stages/route/explain_response.ts";
import { pipeline, type PipelineDeps } from "./stages/mod.ts";
import type { RenderDeps } from "./stages/render_provider_request.ts";
import type { SpeechRenderDeps } from "./stages/speech/render_speech.ts";
import { dialectOf } from "./speech/dialects/mod.ts";
import type { RateLimitDeps } from "./stages/rate_limit.ts";
import type { Store } from "./stores/store.ts";
import type { Transport } from "./upstream/transport.ts";
import type { World } from "./runtime.ts";

export interface Parts {
  readonly config: Config;
  readonly world: World;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly catalog: Catalog;
  /** Makes the calls of providers. */
  readonly transport: Transport;
  readonly readiness: () => Promise<Readiness>;
  /** Where several processes share the rate limits. */
  readonly shares?: Shares;
  /** Fires when running answers must end. */
  readonly stop?: Hangup;
  /** Where the master key is kept that the environment does not give; undefined: it has to. */
  readonly masterFile?: string;
  /** Other processes write the same store, and it gives no signals. On Deno Deploy unless told otherwise. */
  readonly shared?: boolean;
  /** See PipelineDeps. */
  readonly guard?: PipelineDeps["guard"];
}

/** What the app needs, from the settings and what they have opened; also how tests put a gateway together. */
export async function assemble(given: Parts): Promise<AppDeps & { readonly admin: AdminDeps }> {
  const epochs = await epochsOf(given);
  const census = epochs.alone ? new KeyCensus({ store: given.store, clock: given.world.clock }) : undefined;
  const parts = { ...given, store: census?.store ?? given.store };
  const { world, store, ledger, catalog, transport, readiness, stop = new Once() } = parts;
  const ring = ringOf(parts, { epochs, census });
  const admin = await adminOf(parts, epochs);
  const routing = { ...routingOf(parts), ...rulesOf(parts, { keys: ring, epochs, vault: admin.vault }) };
  const spending = {
    ...routing,
    ...await wordsOf(parts),
    ledger,
    ...payersOf(parts, { keys: ring, epochs }),
    clock: world.clock,
  };
  const rates = ratesOf(parts, { keys: ring, epochs });
  const calling = {
    ...spending,
    stop,
    transport,
    credentials: createCredentials({ transport, clock: world.clock }),
    ...rates,
  };
  const handler = pipeline({ ...calling, log: world.log, openCalls: admin.openCalls });
  return {
    world,
    handler,
    explain: explainer(spending),
    countTokens: tokenCounter({ ...calling, countTexts }),
    rateOf: rates.rateOf,
    ...doorOf(parts, { keys: ring, epochs }),
    catalog,
    stats: routing.stats,
    describeKey: keyDescriber({ store, ledger }),
    operations: operationsOf(admin),
    admin,
    readiness,
  };
}

/** No model reads more tokens than this, so a text is not counted much further. */
const MOST_TOKENS = 10_000_000;

async function countTexts(texts: readonly string[]): Promise<number> {
  return await (await loadTokenizer()).count(texts, { most: MOST_TOKENS });
}

/** Who pays for a request, within which limits. */
function payersOf(
  { store, ledger }: Parts,
  { keys, epochs }: Known,
): Pick<PipelineDeps, "payerOf" | "fresh"> {
  const sources = [keyLimits, budgetLimits(store), guardrailLimits(store), creditsLimit({ store, epochs })];
  const changed = (hash?: string) => ledger.limitsChanged(hash);
  const book = new LimitBook({ keys, epochs, sources, changed });
  return { payerOf: (caller) => book.payerOf(caller), fresh: () => epochs.fresh() };
}

/** What guardrails and provider keys of their own mean for callers' routes. */
function rulesOf(
  { config, store, world }: Parts,
  { keys, epochs, vault }: Known & { readonly vault: Vault },
): Pick<PlanDeps, "rulesOf"> {
  const ownKeys = new OwnKeys({ store, epochs, vault, world, keyed: withAnotherKey });
  const keyless = keylessCatalog({ config, providers: keylessFrom(config) });
  const book = new RuleBook({
    store,
    keys,
    epochs,
    ownKeysOf: (key) => ownKeys.of(key),
    beyond: (own) => keyless((id) => own.some(({ provider }) => isAt(id, provider))),
  });
  return { rulesOf: (caller) => book.rulesOf(caller) };
}

/** Who is let in, and how one who repeats himself is known. */
function doorOf({ config, world, store }: Parts, { keys, epochs }: Known) {
  return {
    region: "local",
    limits: config.limits,
    credentials: keys,
    fresh: () => epochs.fresh(),
    claims: new Claims({ store, world }),
    failures: new FailureLimit({ clock: world.clock, perMinute: config.limits.failedKeysPerMinute }),
    addressOf: clientAddress(config.trustProxy),
    cors: config.cors,
  };
}

/** How requests are said to providers. */
async function wordsOf({ store, world }: Parts): Promise<RenderDeps & SpeechRenderDeps> {
  const nameEndUser = await endUserNamer(store, world);
  return {
    outbound: outboundOf,
    dialectOf,
    safetyIdentifier: ({ request, caller }, { provider }) => {
      const user = request.endUser.safetyIdentifier ?? request.endUser.user;
      return nameEndUser({ providerId: provider.id, workspaceId: caller.workspaceId, user });
    },
  };
}

async function adminOf({ config, store, world, ledger, masterFile }: Parts, epochs: Epochs) {
  const vault = await openVault({ store, world, given: config.masterKey, file: masterFile });
  const audit = auditOf(store, world);
  const openCalls = new OpenCalls();
  epochs.on("aborts", () => endDisabled({ store, world, openCalls }));
  return { store, world, epochs, audit, ledger, openCalls, vault } satisfies AdminDeps;
}

async function epochsOf({ config, store, world, shared = config.deploy }: Parts): Promise<Epochs> {
  const epochs = new Epochs({ store, world, shared });
  await epochs.listen();
  return epochs;
}

interface Counted {
  readonly epochs: Epochs;
  readonly census?: KeyCensus;
}

function ringOf({ store, world: { clock } }: Parts, { epochs, census }: Counted): KeyRing {
  const ring = new KeyRing({ store, clock, census });
  epochs.on("keys", (hash) => ring.changed(hash));
  return ring;
}

interface Known {
  readonly keys: KeyRing;
  readonly epochs: Epochs;
}

/** Who is limited to what rate, and what has been used of it. */
function ratesOf({ store, shares, world: { clock } }: Parts, { keys, epochs }: Known) {
  const [rates, limiter] = [new RateBook({ keys, store, epochs }), new RateLimiter({ clock, shares })];
  const rateOf = (caller: Caller) => limiter.standing(rates.knownOf(caller));
  return { rates, limiter, rateOf } satisfies RateLimitDeps & Pick<AppDeps, "rateOf">;
}

/** What chooses among endpoints, and what it remembers of them. */
function routingOf({ config: { aliases, defaultModel, limits }, world: { clock }, catalog, guard }: Parts) {
  return {
    guard,
    resolve: catalog.resolve,
    aliases,
    defaultModel,
    health: new Health(clock),
    stats: new LiveStats(clock),
    limits,
  };
}

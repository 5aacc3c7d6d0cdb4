/** Puts together what outlives a reload: caches, counters, sessions, and what is under way. */

import { openVault } from "../../management/byok/vault.ts";
import { ByokKeys } from "../../management/byok/byok_keys.ts";
import { createAuditWriter } from "../../management/audit/audit_log.ts";
import { CacheVersions } from "../../management/core/cache_versions.ts";
import { createPseudonymizer } from "../../management/core/end_user_pseudonyms.ts";
import { IdempotencyKeys } from "../../management/core/idempotency.ts";
import { TagRules } from "../../management/classifiers/tag_rules.ts";
import { AuthFailureLimit } from "../../management/keys/auth_failure_limit.ts";
import { KeyCache } from "../../management/keys/key_cache.ts";
import { KeyFilter } from "../../management/keys/lists/key_filter.ts";
import { PresetCache } from "../../management/presets/preset_cache.ts";
import { abortDisabledKeys, OpenCalls } from "../../management/keys/open_calls.ts";
import { ReceiptTail } from "../../management/receipts/receipt_tail.ts";
import { OverloadGuard } from "../../overload/overload_guard.ts";
import type { Tracing } from "../../pipeline/stages/receipt/receipt.ts";
import { EndpointHealth } from "../../pipeline/routing/health/endpoint_health.ts";
import { LiveStats } from "../../pipeline/routing/health/endpoint_stats.ts";
import { ResponseCache } from "../../pipeline/response_cache/response_cache.ts";
import { RoutedSessions } from "../../pipeline/routing/routers/routed_sessions.ts";
import { withByokCredential } from "../../providers/byok_endpoint.ts";
import { createCallCredentials } from "../../providers/credentials/call_credentials.ts";
import { FileStore } from "../../storage/files/file_store.ts";
import type { OpenedParts } from "../composition_parts.ts";
import { fetchPolicyOf, fileLimitsOf, InForce } from "../reload/in_force.ts";
import { createRateLimiting, payersOf } from "./callers.ts";
import { createConsoleParts } from "./console.ts";
import { createContainers } from "./containers.ts";
import { createForwarding } from "../forwarding/create_forwarding.ts";
import { createReceiptEvidence } from "./receipt_evidence.ts";
import { createDocumentReader, createWebFetch, createWebTunnel } from "./web.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import manifest from "../../../deno.json" with { type: "json" };

export type LastingParts = Awaited<ReturnType<typeof composeLasting>>;

/** The settings of `input` are in force from then on. */
export async function composeLasting(input: OpenedParts) {
  const inForce = new InForce(input);
  const cacheVersions = await createCacheVersions(input);
  const filter = createKeyFilter(input, cacheVersions);
  const parts = { ...input, store: filter?.store ?? input.store };
  const { runtime, store, transport } = parts;
  const { clock } = runtime;
  const keyCache = createKeyCache(parts, { cacheVersions, filter });
  const openCalls = new OpenCalls();
  cacheVersions.on("aborts", () => abortDisabledKeys({ store, runtime, openCalls }));
  const vault = await openVault({ store, runtime, input: input.config.masterKey, file: input.masterFile });
  const caches = { keyCache, cacheVersions };
  const routing = createRoutingMemory(clock);
  return {
    inForce,
    tracing: await createTracingIfOn(parts, inForce),
    overload: createOverloadGuard(parts, { inForce, ...routing }),
    startedAt: clock.now(),
    store,
    ...caches,
    openCalls,
    receiptTail: new ReceiptTail({ ledger: parts.ledger, clock }),
    vault,
    audit: createAuditWriter(store, runtime),
    byokKeys: new ByokKeys({ store, cacheVersions, vault, runtime, withByokKey: withByokCredential }),
    ...await createFileParts(parts, { inForce, cacheVersions }),
    readDocument: createDocumentReader(parts),
    receiptEvidence: createReceiptEvidence({ ...parts, inForce }),
    ...routing,
    credentials: createCallCredentials({ transport, clock }),
    nameEndUser: await createPseudonymizer(store, runtime),
    idempotencyKeys: new IdempotencyKeys({ store, runtime }),
    failures: new AuthFailureLimit({ clock, perMinute: () => inForce.config.limits.failedKeysPerMinute }),
    presets: new PresetCache({ store, cacheVersions }),
    tagsOf: await createTagger(parts, cacheVersions),
    payers: payersOf(parts, caches),
    rates: createRateLimiting(parts, caches),
    console: createConsoleParts(parts, keyCache),
  };
}

/** The package is loaded where traces are on. */
async function createTracingIfOn(
  { config, runtime, metrics }: OpenedParts,
  inForce: InForce,
): Promise<Tracing | undefined> {
  if (!config.traces) return undefined;
  const { createTracing, openTracer } = await import("../../tracing/request_tracing.ts");
  const trustsClients = () => inForce.config.trustTraceparent;
  const note = (generation: string, traceId: string) => metrics?.traces.note(generation, traceId);
  return createTracing({ ...runtime, tracer: openTracer(manifest.version), trustsClients, note });
}

const createRoutingMemory = (clock: OpenedParts["runtime"]["clock"]) => ({
  health: new EndpointHealth(clock),
  stats: new LiveStats(clock),
  sessions: new RoutedSessions(clock),
  responseCache: new ResponseCache({ clock }),
});

/** Counted by the metrics, as the receipts are. */
function createOverloadGuard(
  { runtime, ledger, metrics }: OpenedParts,
  { inForce, responseCache }: { readonly inForce: InForce; readonly responseCache: ResponseCache },
): OverloadGuard {
  const overload = new OverloadGuard({
    ...runtime,
    memoryLimit: () => inForce.config.limits.memoryBytes,
    memory: () => Deno.memoryUsage().rss,
    release: () => responseCache.clear(),
  });
  metrics?.follow({ ledger, catalog: () => inForce.catalog, overload });
  return overload;
}

/** Files, and the containers that take them. */
async function createFileParts(
  { config, runtime, store, blobs, keeper, transport, shared = config.store !== undefined }: OpenedParts,
  { inForce, cacheVersions }: { readonly inForce: InForce; readonly cacheVersions: CacheVersions },
) {
  const limits = fileLimitsOf(inForce);
  const files = new FileStore({ store, blobs, runtime, limits });
  const asked = { config: { fetch: fetchPolicyOf(inForce), proxies: config.proxies }, runtime };
  const [webFetch, webTunnel] = [createWebFetch(asked), createWebTunnel(asked)];
  const { callsFor, ...forwarding } = await createForwarding({
    config,
    runtime,
    store,
    transport,
    isShared: shared,
  });
  const parts = { config, runtime, store, files, blobs, keeper, limits, cacheVersions, ...forwarding };
  const containers = await createContainers({ ...parts, webFetch, webTunnel });
  return { files, containers, forwardedCalls: callsFor(containers) };
}

async function createCacheVersions(
  { config, store, runtime, shared = config.deploy }: OpenedParts,
): Promise<CacheVersions> {
  const cacheVersions = new CacheVersions({ store, runtime, shared });
  await cacheVersions.listen();
  return cacheVersions;
}

/** Finds the tags of receipts by the rules of the moment. */
async function createTagger({ store, runtime }: OpenedParts, cacheVersions: CacheVersions) {
  const rules = new TagRules({ store, runtime, cacheVersions });
  await rules.open();
  return (receipt: Receipt) => rules.tagsOf(receipt);
}

/** Only where nobody else writes keys. */
function createKeyFilter({ store, runtime: { clock } }: OpenedParts, { isOnlyWriter }: CacheVersions) {
  return isOnlyWriter ? new KeyFilter({ store, clock }) : undefined;
}

interface KeyCacheInput {
  readonly cacheVersions: CacheVersions;
  readonly filter?: KeyFilter;
}

function createKeyCache(
  { store, runtime: { clock } }: OpenedParts,
  { cacheVersions, filter }: KeyCacheInput,
): KeyCache {
  const keyCache = new KeyCache({ store, clock, filter });
  cacheVersions.on("keys", (hash) => keyCache.changed(hash));
  return keyCache;
}

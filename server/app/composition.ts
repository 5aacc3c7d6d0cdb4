/** Puts the modules together: what the settings have opened in, what the app needs out. */

import type { CompositionParts } from "./composition_parts.ts";
import type { ManagementDeps } from "../management/core/management_deps.ts";
import { createKeyDescriber } from "../management/keys/describe_key.ts";
import { openVault } from "../management/byok/vault.ts";
import { KeyFilter } from "../management/keys/lists/key_filter.ts";
import { KeyCache } from "../management/keys/key_cache.ts";
import { ReceiptTail } from "../management/receipts/receipt_tail.ts";
import { createAuditWriter } from "../management/audit/audit_log.ts";
import { CacheVersions } from "../management/core/cache_versions.ts";
import { createOperations } from "../management/operations.ts";
import { abortDisabledKeys, OpenCalls } from "../management/keys/open_calls.ts";
import { createPseudonymizer } from "../management/core/end_user_pseudonyms.ts";
import type { FileProvider } from "../../shared/files.ts";
import { createConsole, createStatusSource, withRefusingProviders } from "./compose/console.ts";
import { createExplainers } from "./compose/managers/explain.ts";
import { createProviderCall } from "./compose/managers/provider_call.ts";
import { createInstallation } from "./compose/managers/installation.ts";
import { createModelSource } from "./compose/managers/models.ts";
import { createContainers } from "./compose/containers.ts";
import { createEvidence } from "./compose/evidence.ts";
import { createWorkDeps, parseModelRequest } from "./compose/guardrails.ts";
import { pause } from "../../shared/util/pause.ts";
import { runWork } from "../../shared/util/run_work.ts";
import { createReceiptEvidence } from "./compose/receipt_evidence.ts";
import { createListFaults } from "./compose/list_faults.ts";
import { createPluginFaults } from "./compose/plugin_faults.ts";
import { createDocumentReader, createWebAccess, createWebFetch } from "./compose/web.ts";
import { createToolDeps } from "./compose/tools.ts";
import { FileStore } from "../storage/files/file_store.ts";
import type { AppDeps } from "./app.ts";
import { createCallCredentials } from "../providers/credentials/call_credentials.ts";
import { targetFault } from "../web/fetch/target_fault.ts";
import { type LoadClock, loadTokenizer } from "../billing/tokenizer/tokens.ts";
import { OneShotSignal } from "../one_shot_signal.ts";

import { outboundFor } from "../protocols/mod.ts";
import { byokBaseUrl } from "../providers/mod.ts";
import { EndpointHealth } from "../pipeline/routing/health/endpoint_health.ts";
import { LiveStats } from "../pipeline/routing/health/endpoint_stats.ts";
import { RoutedSessions } from "../pipeline/routing/routers/routed_sessions.ts";
import type { ReceiptEvidenceTable } from "../pipeline/routing/routers/receipt_evidence.ts";
import { tokenCounter } from "../pipeline/stages/count_tokens.ts";
import { createPipeline } from "../pipeline/stages/mod.ts";
import type { RenderDeps } from "../pipeline/stages/render_provider_request.ts";
import type { SpeechRenderDeps } from "../pipeline/stages/speech/render_speech.ts";
import { speechDialect } from "../speech/dialects/mod.ts";
import type { InputFilesDeps } from "../pipeline/stages/input_files.ts";
import { throwStoreUnavailable } from "../management/core/store_errors.ts";
import {
  createAccessControl,
  createCallerRulesResolver,
  createRateLimiting,
  payersOf,
  providerFaultFinder,
} from "./compose/callers.ts";

/** Parts that run beside the app, for the start. */
interface ComposedParts {
  readonly admin: ManagementDeps;
  readonly receiptEvidence: ReceiptEvidenceTable;
}

/** Composes the app from the settings and what they have opened; tests put a gateway together by it too. */
export async function composeApp(input: CompositionParts): Promise<AppDeps & ComposedParts> {
  const cacheVersions = await createCacheVersions(input);
  const filter = createKeyFilter(input, cacheVersions);
  const parts = { ...input, store: filter?.store ?? input.store };
  const { runtime, store, ledger, transport, readiness, stop = new OneShotSignal() } = parts;
  const caches = { keyCache: createKeyCache(parts, { cacheVersions, filter }), cacheVersions };
  const receiptEvidence = createReceiptEvidence(parts);
  const { evidence, includeModels } = await createEvidence({ ...parts, receiptEvidence });
  const health = { ...createRouting(parts), evidence };
  const { admin, rules } = await createManagementDeps(parts, { ...caches, health, includeModels });
  const spending = { ...health, ...rules, ...await createSpending(parts, { ...caches, admin }) };
  const rates = createRateLimiting(parts, caches);
  const credentials = createCallCredentials({ transport, clock: runtime.clock });
  const access = createAccessControl(parts, caches);
  const calling = { ...spending, stop, transport, credentials, ...rates };
  const handler = createPipeline({ ...calling, openCalls: admin.openCalls });
  return {
    runtime,
    handler,
    ...createExplainers(parts, { ...spending, stop }),
    countTokens: tokenCounter({ ...calling, countTexts: (texts) => countTexts(texts, runtime.clock) }),
    rateLimitStanding: rates.rateLimitStanding,
    ...access,
    console: createConsole(parts, { ...caches, access }),
    ...createModelLists(parts, spending),
    describeKey: createKeyDescriber({ store, ledger }),
    operations: createOperations({ ...admin, callProviderOnce: createProviderCall({ runtime, handler }) }),
    admin,
    receiptEvidence,
    readiness: withRefusingProviders(readiness, health),
  };
}

interface SpendingInput {
  readonly keyCache: KeyCache;
  readonly cacheVersions: CacheVersions;
  readonly admin: ManagementDeps;
}

/** Composes what requests that cost money need besides routing. */
async function createSpending(parts: CompositionParts, { keyCache, cacheVersions, admin }: SpendingInput) {
  return {
    ...await createRenderers(parts),
    ...inputFileReader(admin.files),
    ledger: parts.ledger,
    ...payersOf(parts, { keyCache, cacheVersions }),
    ...createWorkDeps(parts),
    toolDeps: createToolDeps({ ...parts, ...admin, web: createWebAccess(parts, admin.readDocument) }),
  };
}

/** Composes what the lists of models show. */
const createModelLists = (
  { catalog }: Pick<CompositionParts, "catalog">,
  { stats, rulesOf }: Pick<AppDeps, "stats" | "rulesOf">,
) => ({ catalog, stats, rulesOf });

/** Only where nobody else writes keys. */
function createKeyFilter({ store, runtime: { clock } }: CompositionParts, { isOnlyWriter }: CacheVersions) {
  return isOnlyWriter ? new KeyFilter({ store, clock }) : undefined;
}

/** Every key of a workspace may use all of its files: ids cannot be guessed. */
function inputFileReader(files: FileStore): InputFilesDeps {
  const findInputFile = async (workspaceId: string, id: string) => {
    const row = await files.find(workspaceId, id).catch(throwStoreUnavailable);
    if (row === undefined) return undefined;
    const { filename, mime_type: mimeType, size } = row;
    const read = async () => new Response(await files.open(row)).bytes();
    return { filename, mimeType, size, read: () => read().catch(throwStoreUnavailable) };
  };
  return { findInputFile };
}

/** No model reads more tokens than this, so a text is not counted much further. */
const MOST_TOKENS = 10_000_000;

async function countTexts(texts: readonly string[], clock: LoadClock): Promise<number> {
  const counting = (await loadTokenizer(clock)).count(texts, { most: MOST_TOKENS });
  return await runWork(counting, { clock, pause, mostMs: Infinity });
}

/** How requests are said to providers. */
async function createRenderers({ store, runtime }: CompositionParts): Promise<RenderDeps & SpeechRenderDeps> {
  const nameEndUser = await createPseudonymizer(store, runtime);
  return {
    outbound: outboundFor,
    dialectOf: speechDialect,
    safetyIdentifier: ({ request, caller }, { provider }) => {
      const user = request.endUser.safetyIdentifier ?? request.endUser.user;
      return nameEndUser({ providerId: provider.id, workspaceId: caller.workspaceId, user });
    },
  };
}

interface ManagementInput {
  readonly keyCache: KeyCache;
  readonly cacheVersions: CacheVersions;
  readonly health: ReturnType<typeof createRouting>;
  readonly includeModels: Parameters<typeof createCallerRulesResolver>[1]["includeModels"];
}

async function createManagementDeps(
  parts: CompositionParts,
  { keyCache, cacheVersions, health, includeModels }: ManagementInput,
) {
  const { config, store, runtime, ledger, blobs, masterFile, keeper } = parts;
  const vault = await openVault({ store, runtime, input: config.masterKey, file: masterFile });
  const rules = createCallerRulesResolver(parts, { keyCache, cacheVersions, vault, includeModels });
  const audit = createAuditWriter(store, runtime);
  const openCalls = new OpenCalls();
  cacheVersions.on("aborts", () => abortDisabledKeys({ store, runtime, openCalls }));
  const files = new FileStore({ store, blobs, runtime, limits: config.limits });
  const webFetch = createWebFetch(parts);
  const containers = await createContainers({ config, runtime, store, files, blobs, keeper, webFetch });
  const admin = {
    store,
    runtime,
    cacheVersions,
    audit,
    ledger,
    receiptTail: new ReceiptTail({ ledger, clock: runtime.clock }),
    openCalls,
    vault,
    files,
    containers,
    fileApis: createFileApis(parts),
    readDocument: createDocumentReader({ keeper, runtime }),
    status: createStatusSource(parts, health),
    models: createModelSource(parts, { ...health, ...rules }),
    ...createInstallation(parts),
    parseModelRequest,
    modelId: (name) => parts.catalog.resolve(name)[0]?.model.id ?? name,
    listFaults: createListFaults(parts),
    pluginFaults: createPluginFaults(parts),
    providerFault: providerFaultFinder(config),
    guardrailHeaders: config.guardrailHeaders,
    fetchFault: (url) => targetFault(url, config.fetch),
    pause,
  } satisfies ManagementDeps;
  return { admin, rules };
}

/** Composes how the file APIs of providers are reached. */
function createFileApis({ config, runtime: { fetch } }: CompositionParts): ManagementDeps["fileApis"] {
  return { baseUrl: (provider: FileProvider) => byokBaseUrl(provider, config), fetch };
}

async function createCacheVersions(
  { config, store, runtime, shared = config.deploy }: CompositionParts,
): Promise<CacheVersions> {
  const cacheVersions = new CacheVersions({ store, runtime, shared });
  await cacheVersions.listen();
  return cacheVersions;
}

interface KeyCacheInput {
  readonly cacheVersions: CacheVersions;
  readonly filter?: KeyFilter;
}

function createKeyCache(
  { store, runtime: { clock } }: CompositionParts,
  { cacheVersions, filter }: KeyCacheInput,
): KeyCache {
  const keyCache = new KeyCache({ store, clock, filter });
  cacheVersions.on("keys", (hash) => keyCache.changed(hash));
  return keyCache;
}

/** Composes what chooses among endpoints, and what it remembers of them. */
function createRouting(
  { config, runtime: { clock }, catalog, guardrails, singleUse }: CompositionParts,
) {
  const { aliases, auto, defaultModel, fusionPresets, limits } = config;
  return {
    guard: guardrails,
    singleUse,
    resolve: catalog.resolve,
    hintFor: catalog.hintFor,
    aliases,
    defaultModel,
    health: new EndpointHealth(clock),
    stats: new LiveStats(clock),
    listings: catalog.models,
    sessions: new RoutedSessions(clock),
    classifier: auto.classifier,
    fusionPresets,
    limits,
  };
}

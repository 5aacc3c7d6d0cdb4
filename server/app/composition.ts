/** Puts the modules together: what the settings have opened in, what the app needs out. */

import { loadTokenDecoder } from "../billing/tokenizer/token_decoder.ts";
import type { CompositionParts } from "./composition_parts.ts";
import type { LastingParts } from "./compose/lasting.ts";
import type { ManagementDeps } from "../management/core/management_deps.ts";
import { createKeyDescriber } from "../management/keys/describe_key.ts";
import { playgroundCaller } from "../management/system_keys/playground_operations.ts";
import { createOperations, type Operations } from "../management/operations.ts";
import type { FileProvider } from "../../shared/files.ts";
import { createConsole, createStatusSource, withRefusingProviders } from "./compose/console.ts";
import { createDoctor } from "./compose/managers/doctor.ts";
import { createExplainers } from "./compose/managers/explain.ts";
import { createProviderCall } from "./compose/managers/provider_call.ts";
import { createInstallation } from "./compose/managers/installation.ts";
import { createMetrics } from "./compose/metrics.ts";
import { createModelSource } from "./compose/managers/models.ts";
import { createEvidence } from "./compose/evidence.ts";
import { createWorkDeps, parseModelRequest } from "./compose/guardrails.ts";
import { pause } from "../../shared/util/pause.ts";
import { runWork } from "../../shared/util/run_work.ts";
import { createListFaults } from "./compose/list_faults.ts";
import { createRequestCheck } from "./compose/managers/request_check.ts";
import { createPluginFaults } from "./compose/plugin_faults.ts";
import { createWebAccess, createWebFetch } from "./compose/web.ts";
import { createToolDeps } from "./compose/tools.ts";
import type { FileStore } from "../storage/files/file_store.ts";
import manifest from "../../deno.json" with { type: "json" };
import { ApiDocuments } from "../api/openapi/api_documents.ts";
import type { AppDeps } from "./app.ts";
import { targetFault } from "../web/fetch/target_fault.ts";
import { type LoadClock, loadTokenizer } from "../billing/tokenizer/tokens.ts";
import { OneShotSignal } from "../one_shot_signal.ts";

import { outboundFor } from "../protocols/mod.ts";
import { byokBaseUrl } from "../providers/mod.ts";
import { tokenCounter } from "../pipeline/stages/count_tokens.ts";
import { createPipeline } from "../pipeline/stages/mod.ts";
import type { RenderDeps } from "../pipeline/stages/render_provider_request.ts";
import type { SpeechRenderDeps } from "../pipeline/stages/speech/render_speech.ts";
import { speechDialect } from "../speech/dialects/mod.ts";
import type { InputFilesDeps } from "../pipeline/stages/input_files.ts";
import { throwStoreUnavailable } from "../management/core/store_errors.ts";
import { createAccessControl, createCallerRulesResolver, providerFaultFinder } from "./compose/callers.ts";

/** Parts that run beside the app, for the start. */
interface ComposedParts {
  readonly admin: ManagementDeps;
}

/**
 * Composes the app from one reading of the settings and what they have opened. It serves the requests that it is handed
 * by these settings to their end, also when others are in force by then.
 */
export async function composeApp(
  input: CompositionParts,
  lasting: LastingParts,
): Promise<AppDeps & ComposedParts> {
  const parts = { ...input, store: lasting.store };
  const { runtime, store, ledger, transport, readiness, stop = new OneShotSignal() } = parts;
  const { receiptEvidence, rates, credentials, tracing, tagsOf } = lasting;
  const { evidence, includeModels } = await createEvidence({ ...parts, receiptEvidence });
  await pause();
  const health = { ...createRouting(parts, lasting), evidence };
  const rules = createCallerRulesResolver(parts, { ...lasting, includeModels });
  const admin = createManagementDeps(parts, { lasting, health, rules });
  const spending = { ...health, ...rules, ...createSpending(parts, { lasting, admin }) };
  const access = createAccessControl(parts, lasting);
  const calling = { ...spending, stop, transport, credentials, ...rates };
  const handler = createPipeline({ ...calling, tracing, openCalls: lasting.openCalls, tagsOf });
  const operations: Operations = createOperations({
    ...admin,
    callProviderOnce: createProviderCall({ runtime, handler }),
    checkGateway: createDoctor(parts, () => operations),
  });
  return {
    runtime,
    handler,
    ...createExplainers(parts, { ...spending, stop }),
    ...createTokenReaders(calling, runtime),
    rateLimitStanding: rates.rateLimitStanding,
    ...access,
    console: createConsole(parts, { ...lasting, access }),
    ...createModelLists(parts, spending),
    ...createMetrics({ ...parts, lasting, access, status: admin.status }),
    overload: lasting.overload,
    describeKey: createKeyDescriber({ store, ledger }),
    documents: new ApiDocuments({ version: manifest.version, clock: runtime.clock, pause }),
    operations,
    playgroundCaller: (run) => playgroundCaller(admin, run),
    admin,
    readiness: withRefusingProviders(readiness, { ...health, ...lasting }),
  };
}

type CountDeps = Omit<Parameters<typeof tokenCounter>[0], "countTexts">;

/** Counts the tokens of texts, and makes texts of tokens. */
const createTokenReaders = (deps: CountDeps, { clock }: Pick<CompositionParts["runtime"], "clock">) => ({
  countTokens: tokenCounter({ ...deps, countTexts: (texts) => countTexts(texts, clock) }),
  loadTokenDecoder: () => loadTokenDecoder(clock),
});

interface SpendingInput {
  readonly lasting: LastingParts;
  readonly admin: ManagementDeps;
}

/** Composes what requests that cost money need besides routing. */
function createSpending(parts: CompositionParts, { lasting, admin }: SpendingInput) {
  return {
    ...createRenderers(lasting),
    ...inputFileReader(admin.files),
    ledger: parts.ledger,
    ...lasting.payers,
    ...createWorkDeps(parts),
    toolDeps: createToolDeps({ ...parts, ...admin, web: createWebAccess(parts, admin.readDocument) }),
  };
}

/** Composes what the lists of models show. */
const createModelLists = (
  { catalog }: Pick<CompositionParts, "catalog">,
  { stats, rulesOf }: Pick<AppDeps, "stats" | "rulesOf">,
) => ({ catalog, stats, rulesOf });

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
function createRenderers({ nameEndUser }: LastingParts): RenderDeps & SpeechRenderDeps {
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
  readonly lasting: LastingParts;
  readonly health: ReturnType<typeof createRouting>;
  readonly rules: ReturnType<typeof createCallerRulesResolver>;
}

function createManagementDeps(parts: CompositionParts, { lasting, health, rules }: ManagementInput) {
  const { config, runtime, ledger, catalog, reload } = parts;
  const { store, cacheVersions, audit, receiptTail, openCalls, vault, files, containers } = lasting;
  return {
    store,
    runtime,
    cacheVersions,
    audit,
    ledger,
    receiptTail,
    openCalls,
    vault,
    files,
    containers,
    fileApis: createFileApis(parts),
    readDocument: lasting.readDocument,
    status: createStatusSource(parts, { ...health, startedAt: lasting.startedAt }),
    models: createModelSource(parts, { ...health, ...rules }),
    ...createInstallation(parts),
    parseModelRequest,
    checkModelRequest: createRequestCheck(parts),
    modelId: (name) => catalog.resolve(name)[0]?.model.id ?? name,
    listFaults: createListFaults(parts),
    pluginFaults: createPluginFaults(parts),
    providerFault: providerFaultFinder(config),
    isProviderOn: (slug) => catalog.providers.some(({ id }) => id === slug),
    guardrailHeaders: config.guardrailHeaders,
    fetchFault: (url) => targetFault(url, config.fetch),
    sendMessage: createWebFetch(parts),
    reload,
    pause,
  } satisfies ManagementDeps;
}

/** Composes how the file APIs of providers are reached. */
function createFileApis({ config, runtime: { fetch } }: CompositionParts): ManagementDeps["fileApis"] {
  return { baseUrl: (provider: FileProvider) => byokBaseUrl(provider, config), fetch };
}

/** Composes what chooses among endpoints, and what it remembers of them. */
function createRouting(
  { config, catalog, guardrails, singleUse }: CompositionParts,
  { health, stats, sessions, responseCache }: LastingParts,
) {
  const { aliases, auto, defaultModel, fusionPresets, limits } = config;
  return {
    guard: guardrails,
    singleUse,
    resolve: catalog.resolveModel,
    hintFor: catalog.hintFor,
    aliases,
    defaultModel,
    health,
    stats,
    listings: catalog.models,
    sessions,
    responseCache,
    classifier: auto.classifier,
    fusionPresets,
    limits,
  };
}

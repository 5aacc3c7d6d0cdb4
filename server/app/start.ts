/**
 * Puts the modules together and keeps them running: settings → world → store → first keys → providers → app →
 * server, and back when the process is told to stop.
 */

import { readTagger } from "../management/classifiers/tag_rules.ts";
import { announceFilters } from "../management/guardrails/announce_filters.ts";
import { type FirstStartResult, runFirstStart } from "../management/keys/first_start.ts";
import { startKeyWordFill } from "../management/keys/lists/key_index_fill.ts";
import { startDeletionJob } from "../management/core/deletion_job.ts";
import { type AppDeps, createApp } from "./app.ts";
import { hashKey } from "../management/keys/key_rows.ts";
import type { Config } from "../config/config.ts";
import { RateLimitQuotas } from "../billing/rate_limits/rate_limit_quotas.ts";
import { type LocalProvider, startLocalProvider } from "../local_provider/local_provider.ts";
import type { Ledger, UnwrittenReceipts } from "../billing/ledger/core/ledger.ts";
import { openLedger } from "../billing/ledger/core/open_ledger.ts";
import { createProjectionParts } from "../billing/ledger/projection/projection_parts.ts";
import { startUpkeep, type Upkeep } from "../billing/ledger/core/upkeep.ts";
import { openAssignedKv, openEmbedded } from "../storage/stores/embedded/open_embedded.ts";
import { openPostgres } from "../storage/stores/postgres/open_postgres.ts";
import type { Store } from "../storage/stores/store.ts";
import { fetchTransport } from "../providers/upstream/fetch_transport.ts";
import { httpTransport } from "../providers/upstream/http_transport.ts";
import { proxyFinder } from "../providers/upstream/proxy_rules.ts";
import { SingleUseOrigins } from "../providers/upstream/connections/single_use_origins.ts";
import type { Transport } from "../providers/upstream/transport.ts";
import { GatewayMetrics } from "../metrics/gateway_metrics.ts";
import type { Keeper } from "../sandbox/keeper/keeper.ts";
import { LOOK_MS } from "../overload/overload_guard.ts";
import { repeat, type Runtime } from "../runtime.ts";
import { removedReceipts, startDestinations } from "./compose/managers/destinations.ts";
import { startAlerts } from "./compose/alerts.ts";
import { startContainerUpkeep } from "./compose/containers.ts";
import { closeFiles, openFiles } from "./compose/files.ts";
import type { LastingParts } from "./compose/lasting.ts";
import { startReceiptEvidence } from "./compose/receipt_evidence.ts";
import { CleanupStack, COMMON_END_MS } from "./cleanup_stack.ts";
import { GatewayServer, serverEndMs } from "./gateway_server.ts";
import { checkReadiness } from "./readiness.ts";
import { composeReloadable } from "./reload/compose_reloadable.ts";
import { openSettings } from "./reload/open_settings.ts";

/** A gateway that answers. */
export interface RunningGateway {
  readonly hostname: string;
  readonly port: number;
  /** Keys that were made by this start, to be shown once. */
  readonly installation: FirstStartResult;
  /** Whether there is a console to show: it is built, and may be read. */
  readonly hasConsole: boolean;
  /** Signs in to the console once, where this start made the first keys and listens on this machine only. */
  readonly consoleToken?: string;
  /** Reads the settings again, and tells the log how that ends. */
  reload(): Promise<void>;
  /** Refuses new work, lets running work end for as long as the settings say, and gives everything back. */
  stop(): Promise<StopReport>;
}

/** The rest that a stop has left. */
interface StopReport {
  /** Parts that have failed to end, or have not ended in time. */
  readonly unended: readonly string[];
  readonly unwritten: UnwrittenReceipts;
}

interface StartGatewayOptions {
  readonly config: Config;
  readonly runtime: Runtime;
  /** Reads the settings again, for a reload. Throws a ConfigError. */
  readonly readConfig?: () => Config;
  /** Closed with the gateway. Undefined: pages and documents are not read. */
  readonly keeper?: Keeper;
  /** Begins once the port is taken, and ends before requests are let in. Never rejects. */
  readonly warmUp?: (runtime: Runtime) => Promise<void>;
}

/**
 * Throws a ConfigError, StartError or StoreError with the one sentence to print. The port is taken before the
 * first keys are made, so that keys are never made and not shown.
 */
export async function startGateway(options: StartGatewayOptions): Promise<RunningGateway> {
  const opened = new CleanupStack(options.runtime);
  const { keeper } = options;
  if (keeper) opened.push({ name: "keeper", close: () => keeper.close(), ms: KEEPER_END_MS });
  try {
    return await startAll(options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The store of the settings, for a start and for the operator's commands. */
export function openStore({ config, runtime }: StartGatewayOptions): Promise<Store> {
  const options = { runtime, deadlineMs: config.limits.storeMs };
  const folder = config.deploy ? undefined : config.dataFolder;
  if (config.store) return openPostgres(config.store, { ...options, folder });
  return config.deploy ? openAssignedKv(options) : openEmbedded(config.dataFolder, options);
}

async function startAll(
  { config, runtime, keeper, readConfig, warmUp }: StartGatewayOptions,
  opened: CleanupStack,
): Promise<RunningGateway> {
  const store = await openStore({ config, runtime });
  opened.push({ name: "store", close: () => store.close(), ms: STORE_END_MS });
  const { ledger, metrics } = await openGatewayLedger({ config, runtime, store });
  const unwritten = pushLedger(opened, ledger);
  const local = startLocalIfEnabled({ config, runtime });
  if (local) opened.push({ name: "local provider", close: () => local.close() });
  const { outside, singleUse } = openTransport({ config, runtime });
  opened.push({ name: "connections to providers", close: () => Promise.resolve(outside.close()) });
  const rateLimitQuotas = createRateLimitQuotas({ config, runtime }, store);
  if (rateLimitQuotas) opened.push({ name: "rate limits", close: () => rateLimitQuotas.close() });
  const door = new GatewayServer(config, runtime);
  opened.push({ name: "server", close: () => door.close(), ms: serverEndMs(config.limits) });
  const warmedUp = warmUp?.(runtime);
  const settings = await openSettings({ config, runtime, local });
  for (const sentence of settings.warnings) runtime.log.warn(sentence);
  const installation = await install({ config, runtime, store });
  const transport = local && config.deploy ? routeLocalCalls(local, outside) : outside;
  const upkeep = pushUpkeep(opened, { config, runtime, store, metrics });
  const files = await openFiles({ config, runtime, store });
  if (files) opened.push({ name: "upkeep of files", close: () => closeFiles(files) });
  const made = { ...settings, runtime, store, ledger, metrics, transport, singleUse, rateLimitQuotas };
  const more = { keeper, stop: door.stop, blobs: files?.blobs, masterFile: masterKeyPath(config) };
  const { deps, lasting, reloader } = await composeReloadable({ ...made, ...more }, {
    read: readConfig,
    local,
    readiness: ({ catalog }) => checkReadiness(door, { ...made, catalog, upkeep, files, keeper }),
    serve: (app) => door.open(app),
    isStopping: () => door.stopping,
  });
  pushReaders(opened, lasting);
  await Promise.all([pushJobs(opened, { ...made, ...lasting, lasting }), warmedUp]);
  door.open(createApp(deps));
  const shown = await consoleOf(config, { installation, deps });
  const stop = async () => ({ unended: await opened.close(), unwritten: unwritten() });
  return { ...door.address, installation, ...shown, stop, reload: () => reloader.runLogged() };
}

function pushUpkeep(
  opened: CleanupStack,
  { config, ...parts }: StoreParts & Pick<CountedLedger, "metrics">,
): Upkeep {
  const onLeaving = removedReceipts(parts);
  const upkeep = startUpkeep({ ...parts, keepMs: config.limits.receiptMs, onLeaving });
  opened.push({ name: "upkeep of receipts", close: () => upkeep.close() });
  return upkeep;
}

type JobParts =
  & Pick<LastingParts, "overload" | "containers" | "receiptEvidence" | "cacheVersions" | "audit" | "files">
  & Parameters<typeof startAlerts>[0]
  & Parameters<typeof startDestinations>[0];

/** Work that is done now and then, until the end. */
async function pushJobs(opened: CleanupStack, parts: JobParts): Promise<void> {
  const stopLooking = repeat(LOOK_MS, () => parts.overload.look());
  opened.push({ name: "load", close: () => Promise.resolve(stopLooking()) });
  opened.push({ name: "containers", close: startContainerUpkeep(parts) });
  opened.push({ name: "deletions", close: await startDeletionJob(parts) });
  opened.push({ name: "evidence of routers", close: await startReceiptEvidence(parts) });
  opened.push({ name: "alerts", close: startAlerts(parts) });
  opened.push({ name: "destinations", close: startDestinations(parts) });
  opened.push({ name: "key search", close: startKeyWordFill(parts).stop });
  await announceFilters(parts);
}

/** Longer than the ledger takes where the store does not answer and the disk does. */
const LEDGER_END_MS = 7_500;
/** Connections that nobody answers on are given up; a folder is given back at once. */
const STORE_END_MS = 1_500;
const KEEPER_END_MS = 1_200;

/** How long a stop lasts at most, ms. */
export function stopMs({ limits }: Config): number {
  return serverEndMs(limits) + LEDGER_END_MS + STORE_END_MS + KEEPER_END_MS + COMMON_END_MS;
}

/** Returns what its end has left, once that is known. */
function pushLedger(opened: CleanupStack, ledger: Ledger): () => UnwrittenReceipts {
  let unwritten: UnwrittenReceipts = { spooled: 0, lost: 0 };
  const close = async () => {
    unwritten = await ledger.close();
  };
  opened.push({ name: "ledger", close, ms: LEDGER_END_MS });
  return () => unwritten;
}

/** Has what listens to changes end before the server waits for the answers that are under way. */
function pushReaders(opened: CleanupStack, { cacheVersions, receiptTail }: LastingParts): void {
  opened.push({ name: "cache versions", close: () => cacheVersions.close() });
  opened.push({ name: "receipt tail", close: () => Promise.resolve(receiptTail.close()) });
}

interface FirstConsoleStart {
  readonly installation: FirstStartResult;
  readonly deps: Pick<AppDeps, "console">;
}

/** Whether there is a console, and the token of the link to it where only this machine reaches it. */
async function consoleOf(
  config: Config,
  { installation: { managementKey }, deps }: FirstConsoleStart,
): Promise<Pick<RunningGateway, "hasConsole" | "consoleToken">> {
  const { files, link } = deps.console;
  if (!await files.isBuilt()) return { hasConsole: false };
  const isOwnMachine = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(config.host);
  if (managementKey === undefined || config.deploy || !isOwnMachine) return { hasConsole: true };
  const { token } = await link.create(hashKey(managementKey));
  return { hasConsole: true, consoleToken: token };
}

function openTransport(
  { config: { limits: { connectMs, connections }, proxies }, runtime }: StartGatewayOptions,
) {
  const { clock } = runtime;
  const singleUse = new SingleUseOrigins(runtime);
  const findProxy = proxyFinder(proxies);
  return { singleUse, outside: httpTransport({ clock, singleUse, connectMs, connections, findProxy }) };
}

function install({ config, runtime, store }: StoreParts): Promise<FirstStartResult> {
  const { managementKey, apiKey, deploy } = config;
  return runFirstStart({
    store,
    runtime,
    configuredKeys: { management: managementKey, api: apiKey },
    mayPrint: !deploy,
  });
}

interface StoreParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly store: Store;
}

/** The ledger, and the metrics that count its commits from the first one on. */
interface CountedLedger {
  readonly ledger: Ledger;
  readonly metrics: GatewayMetrics | undefined;
}

/** The ledger; what an earlier run has left open is closed when it resolves. */
async function openGatewayLedger({ config, runtime, store }: StoreParts): Promise<CountedLedger> {
  const metrics = config.metrics ? new GatewayMetrics(config.genAiNames) : undefined;
  const ledger = await openLedger({
    store,
    runtime,
    projectionParts: createProjectionParts(runtime),
    isShared: config.deploy || config.store !== undefined,
    limits: {
      reservationWaitMs: config.limits.reservationWaitMs,
      maxQueuedReservations: config.limits.maxQueuedReservations,
    },
    onCommit: metrics && ((commit) => metrics.committed(commit)),
    readTagger: () => readTagger(store),
    spool: config.deploy ? undefined : `${config.dataFolder}/spool`,
  });
  return { ledger, metrics };
}

/** Rate limits are shared with anyone who shares the store; the embedded one has one owner. */
function createRateLimitQuotas(
  { config, runtime }: StartGatewayOptions,
  store: Store,
): RateLimitQuotas | undefined {
  return config.deploy || config.store ? new RateLimitQuotas({ store, runtime }) : undefined;
}

/** The master key may be made where its file is this gateway's own. */
export function masterKeyPath({ store, deploy, dataFolder }: Config): string | undefined {
  return store || deploy ? undefined : `${dataFolder}/master.key`;
}

/** The server of the built-in models. A platform that gives one port only is served without one. */
function startLocalIfEnabled({ config, runtime }: StartGatewayOptions): LocalProvider | undefined {
  if (!config.local && !config.faultLab) return undefined;
  const folder = config.deploy ? undefined : `${config.dataFolder}/voices`;
  return startLocalProvider({ runtime, faultLab: config.faultLab, listen: !config.deploy, folder });
}

/** Calls of the built-in models stay in the process, all others go out. */
function routeLocalCalls(local: LocalProvider, outside: Transport): Transport {
  const inside = fetchTransport((input, init) => local.fetch(new Request(input, init)));
  return (call) => call.url.startsWith(`${local.baseUrl}/`) ? inside(call) : outside(call);
}

/** The gateway as users run it, on a loopback port, with providers of the test's choosing. */

import assert from "node:assert/strict";
import { readTagger } from "../../server/management/classifiers/tag_rules.ts";
import { runFirstStart } from "../../server/management/keys/first_start.ts";
import { keyPuts } from "../../server/management/keys/lists/key_index.ts";
import { hashKey, type KeyRow, newKeyRow, newToken } from "../../server/management/keys/key_rows.ts";
import { type App, createApp } from "../../server/app/app.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import type { OpenedParts } from "../../server/app/composition_parts.ts";
import { composeReloadable } from "../../server/app/reload/compose_reloadable.ts";
import { httpServerOptions } from "../../server/http/http_server/default_options.ts";
import { type Config, readConfig } from "../../server/config/config.ts";
import { listen } from "../../server/http/http_server/http_server.ts";
import { listenWithDenoServe } from "../../server/http/http_server/deno_serve.ts";
import type { Ledger } from "../../server/billing/ledger/core/ledger.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import { createProjectionParts } from "../../server/billing/ledger/projection/projection_parts.ts";
import type { ReceiptTail } from "../../server/management/receipts/receipt_tail.ts";
import type { BlobStore } from "../../server/storage/blobs/blob_store.ts";
import { StoreBlobStore } from "../../server/storage/blobs/store_blob_store.ts";
import type { ContainerService } from "../../server/sandbox/containers/container_service.ts";
import type { FileStore } from "../../server/storage/files/file_store.ts";
import { GatewayMetrics } from "../../server/metrics/gateway_metrics.ts";
import { httpTransport } from "../../server/providers/upstream/http_transport.ts";
import { SingleUseOrigins } from "../../server/providers/upstream/connections/single_use_origins.ts";
import { startLocalProvider } from "../../server/local_provider/local_provider.ts";
import { createLogger } from "../../server/logger.ts";
import { buildCatalog, type Catalog } from "../../server/providers/catalog/catalog.ts";
import { loadSnapshot } from "../../server/providers/catalog/snapshot.ts";
import type { Stage } from "../../server/pipeline/request_context.ts";
import type { CancelSignal } from "../../server/one_shot_signal.ts";
import {
  createProviders,
  offServices,
  type ProviderRegistry,
  providerSettings,
} from "../../server/providers/mod.ts";
import type { OverloadGuard } from "../../server/overload/overload_guard.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { createRuntime, type Runtime } from "../../server/runtime.ts";
import type { KeyKind } from "../../shared/keys.ts";
import { usdFromNumber } from "../../shared/money.ts";
import { isDeployProfile } from "../deno_deploy/profile.ts";
import { assignedStore } from "./assigned_store.ts";
import { MemoryBlobStore } from "./memory_blob_store.ts";
import { type CountedClock, tickingClock } from "./ticking_clock.ts";
import { until } from "./until.ts";
import { begunTokenizer } from "../../server/billing/tokenizer/tokens.ts";

/** A provider as the configuration file writes it. */
export type ProviderSpec = Readonly<Record<string, unknown>>;

/** A crowd waits for what others hold as long as it takes: a busy machine is no reason to refuse one of them. */
export const patientCrowd = { reservation_seconds: 60 } as const;

export interface GatewayOptions {
  readonly providers?: readonly ProviderSpec[];
  /** As in the configuration file: seconds and bytes. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Other keys of the configuration file. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** Texts of files by their paths, read anew by a reload; `test.jsonc` is the configuration file. */
  readonly files?: ReadonlyMap<string, string>;
  /** Variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Stands in for the real time. */
  readonly clock?: CountedClock;
  /** Stands in for the real time of the connections alone: an idle one has a deadline while nothing is under way. */
  readonly apiClock?: CountedClock;
  /** Behind the platform's API instead of the gateway's own. */
  readonly platform?: boolean;
  /** Stands in for an empty store in memory. */
  readonly store?: Store;
  /** Stands in for an empty place for bytes, in memory or by the settings in the store; null: there is none. */
  readonly blobs?: BlobStore | null;
  /** That of another gateway, which closes it: this one starts beside it as a further instance. */
  readonly beside?: Gateway;
  /** Other instances write the same store: set for each of them but those that are `beside` one. */
  readonly shared?: boolean;
  /** Reads pages and documents; closed by the test. */
  readonly keeper?: Keeper;
  /** Stands in the guard's place. */
  readonly guard?: Stage;
  /** Fires when the gateway stops; without it none does. */
  readonly stop?: CancelSignal;
  /** Where the console's built files are, instead of where the build task puts them. */
  readonly consoleFolder?: URL;
  /** Answers the fetch of the embedded voices, which are not installed then. */
  readonly voices?: Runtime["fetch"];
}

export interface KeyPreference {
  readonly kind: KeyKind;
  readonly disabled?: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** USD; none when absent. */
  readonly limit?: number;
  readonly limitReset?: "daily" | "weekly" | "monthly";
  readonly includeByok?: boolean;
  readonly workspaceId?: string;
}

export interface Gateway {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly managementKey: string;
  readonly app: App;
  /** Makes the token of a link that signs in once with the management key. */
  readonly signInToken: () => Promise<string>;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  /** By which a test makes files as server tools do. */
  readonly files: FileStore;
  readonly containers: ContainerService;
  readonly clock: CountedClock;
  /** Deadlines that stay while it runs. */
  readonly lastingDeadlines: number;
  /** Lines of the log, as JSON. */
  readonly logged: readonly string[];
  /** Reads receipts as evidence of routers, as a running gateway does every two minutes. */
  readonly receiptTail: Pick<ReceiptTail, "readers">;
  readonly renewEvidence: () => Promise<void>;
  /** Refuses new work once a test says that it looks badly. */
  readonly overload: OverloadGuard;
  /** Makes a key and tells its text. */
  readonly addKey: (preference: KeyPreference) => Promise<string>;
  /** Fails when a deadline is left open: then something has not ended. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** The key that tests give their providers; it must not be seen anywhere but at the provider. */
export const PROVIDER_KEY = "sk-provider-key-0123456789abcdef";

/** `mock/model` as the configuration file writes it; it takes whatever there is. */
export const mockModel = {
  id: "mock/model",
  upstream_id: "upstream-model",
  context_length: 128_000,
  input_modalities: ["text", "image", "file", "audio", "video"],
} as const;

/** A row of the configuration file for a provider at `baseUrl` that serves `mock/model`. */
export function providerAt(baseUrl: string, changes: ProviderSpec = {}): ProviderSpec {
  return {
    id: "mock",
    name: "Mock",
    wire: "responses",
    base_url: baseUrl,
    api_key_env: "MOCK_KEY",
    models: [mockModel],
    ...changes,
  };
}

function configOf({ providers = [], limits = {}, file = {}, env = {}, files }: GatewayOptions): Config {
  const variables: Readonly<Record<string, string>> = {
    TOLLGATE_CONFIG: "test.jsonc",
    MOCK_KEY: PROVIDER_KEY,
    LOG_FORMAT: "json",
    LOG_LEVEL: "debug",
    TOLLGATE_LOCAL: "off",
    ...(isDeployProfile ? { DENO_DEPLOY: "true" } : {}),
    ...env,
  };
  return readConfig({
    env: (name) => variables[name],
    readFile: (path) => {
      if (files === undefined) return JSON.stringify({ providers, limits, ...file });
      const text = files.get(path);
      if (text !== undefined) return text;
      throw new Deno.errors.NotFound(path);
    },
    terminal: false,
  }, providerSettings);
}

interface Opened {
  readonly app: App;
  readonly signInToken: () => Promise<string>;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  readonly files: FileStore;
  readonly containers: ContainerService;
  readonly receiptTail: Pick<ReceiptTail, "readers">;
  readonly renewEvidence: () => Promise<void>;
  readonly overload: OverloadGuard;
  readonly started: { readonly apiKey: string; readonly managementKey: string };
  readonly closeUpstream: () => Promise<void>;
}

interface OpenOptions extends
  Pick<
    GatewayOptions,
    "store" | "blobs" | "beside" | "shared" | "guard" | "voices" | "consoleFolder" | "keeper" | "stop"
  > {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly read: () => Config;
}

/** Hands each call to the app that is in force when it comes. */
function currentApp(held: { readonly app?: App }): App {
  const app = () => held.app ?? assert.fail("there is an app");
  return {
    handle: (request, peer) => app().handle(request, peer),
    fetch: (request, peer) => app().fetch(request, peer),
    renderProtocolError: (problem) => app().renderProtocolError(problem),
    get routes() {
      return app().routes;
    },
  };
}

async function catalogOf(config: Config, providers: ProviderRegistry): Promise<Catalog> {
  const snapshot = await loadSnapshot(providers.providers);
  return buildCatalog({ config, providers, snapshot, off: offServices(config) });
}

async function composeHeld(
  parts: OpenedParts,
  { read, local }: Pick<Parameters<typeof composeReloadable>[1], "read" | "local">,
) {
  const held: { app?: App } = {};
  const { deps, lasting } = await composeReloadable(parts, {
    read,
    local,
    readiness: () => Promise.resolve({ ready: true, reasons: [] }),
    serve: (app) => held.app = app,
    isStopping: () => parts.stop?.fired ?? false,
  });
  held.app = createApp(deps);
  return { app: currentApp(held), deps, lasting };
}

async function open(
  { config, runtime, beside, shared = beside !== undefined, ...options }: OpenOptions,
): Promise<Opened> {
  const { store: input, blobs: place, guard, voices, consoleFolder, keeper, stop, read } = options;
  const store = beside?.store ?? input ?? (isDeployProfile ? await assignedStore() : memoryStore());
  const blobs = beside?.blobs ?? place ?? emptyBlobs({ config, runtime, store });
  const metrics = config.metrics ? new GatewayMetrics(config.genAiNames) : undefined;
  const ledger = await openLedger({
    store,
    runtime,
    projectionParts: createProjectionParts(runtime),
    isShared: shared,
    limits: config.limits,
    readTagger: () => readTagger(store),
    onCommit: (commit) => metrics?.committed(commit),
  });
  const on = config.local || config.faultLab;
  const without = voices === undefined
    ? { runtime }
    : { runtime: { ...runtime, fetch: voices }, cache: null };
  const local = on ? startLocalProvider({ ...without, faultLab: config.faultLab }) : undefined;
  const own = { api: config.apiKey, management: config.managementKey };
  const first = await runFirstStart({ store, runtime, configuredKeys: own, mayPrint: true });
  const { apiKey, managementKey } = first;
  const providers = createProviders(config, local);
  const singleUse = new SingleUseOrigins(runtime);
  const transport = httpTransport({ clock: runtime.clock, singleUse, connectMs: config.limits.connectMs });
  const catalog = await catalogOf(config, providers);
  const opened = { config, runtime, store, ledger, metrics, catalog, transport, singleUse, shared };
  const more = { blobs: place === null ? undefined : blobs, guardrails: guard, consoleFolder, keeper, stop };
  const { app, deps, lasting } = await composeHeld({ ...opened, ...more }, { read, local });
  const management = managementKey ?? own.management ?? beside?.managementKey ?? "";
  return {
    app,
    signInToken: async () => (await deps.console.link.create(hashKey(management))).token,
    store,
    ledger,
    blobs,
    files: deps.admin.files,
    containers: deps.admin.containers,
    receiptTail: lasting.receiptTail,
    overload: lasting.overload,
    renewEvidence: () => lasting.receiptEvidence.renew(),
    started: { apiKey: apiKey ?? own.api ?? beside?.apiKey ?? "", managementKey: management },
    closeUpstream: async () => {
      transport.close();
      await deps.admin.containers.close();
      await local?.close();
    },
  };
}

function emptyBlobs(
  { config, runtime, store }: Pick<OpenedParts, "config" | "runtime" | "store">,
): BlobStore {
  return config.blobs === "store"
    ? new StoreBlobStore({ store, runtime, mostBytes: config.limits.storeFileBytes })
    : new MemoryBlobStore(() => runtime.clock.now());
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const config = configOf(options);
  const logged: string[] = [];
  const log = createLogger({ ...config.log, now: Date.now, write: (line) => logged.push(line) });
  const clock = options.clock ?? tickingClock();
  const runtime = { ...createRuntime(log), clock };
  // A test that holds the time holds the leases of several instances too, which would run out.
  const shared = options.shared ??
    (options.beside !== undefined || isDeployProfile && options.clock === undefined);
  const opened = await open({ ...options, shared, config, runtime, read: () => configOf(options) });
  const { app, store, ledger, started, closeUpstream, ...others } = opened;
  const apiClock = options.apiClock ?? tickingClock();
  const serve = options.platform ?? isDeployProfile ? listenWithDenoServe : listen;
  const server = serve({
    ...httpServerOptions({ ...runtime, clock: apiClock }, config.limits),
    hostname: "127.0.0.1",
    port: 0,
    handle: app.handle,
    protocolError: app.renderProtocolError,
  });
  const close = async () => {
    await server.shutdown();
    assert.equal(apiClock.open, 0, "the door has no deadline left");
    await ledger.close();
    await closeUpstream();
    if (options.beside === undefined) await store.close();
    // A request whose client has left may have begun to load it, and goes on in the background.
    await begunTokenizer();
    await until(() => clock.open === 0, { what: "that no deadline is open" });
  };
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    port: server.addr.port,
    ...started,
    app,
    store,
    ledger,
    ...others,
    clock,
    lastingDeadlines: clock.open,
    logged,
    addKey: (preference) => addKey({ store, runtime }, preference),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface KeyDeps {
  readonly store: Store;
  readonly runtime: Runtime;
}

/** Nobody has asked for the new key before, so the gateway does not hold it to be unknown. */
async function addKey({ store, runtime }: KeyDeps, preference: KeyPreference): Promise<string> {
  const token = newToken(preference.kind, runtime);
  const made = newKeyRow({
    kind: preference.kind,
    token,
    name: "A test's",
    workspaceId: preference.workspaceId ?? "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
  }, runtime.clock.now());
  const row: KeyRow = {
    ...made,
    disabled: preference.disabled ?? false,
    expires_at: preference.expiresAt === undefined ? null : new Date(preference.expiresAt).toISOString(),
    client_id: preference.kind === "client" ? "client-1" : null,
    limit: preference.limit === undefined ? null : usdFromNumber(preference.limit),
    limit_reset: preference.limitReset ?? null,
    include_byok_in_limit: preference.includeByok ?? false,
  };
  await store.commit({ puts: keyPuts(store, row) });
  return token;
}

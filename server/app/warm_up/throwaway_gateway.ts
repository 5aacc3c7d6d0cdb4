/**
 * A gateway beside the one that starts, in the same process and with its code: on the loopback address, behind a key of
 * its own, with the built-in models as its only provider. It keeps everything in memory, tells nobody anything, and is
 * gone with all that once it is closed.
 */

import { runFirstStart } from "../../management/keys/first_start.ts";
import { readTagger } from "../../management/classifiers/tag_rules.ts";
import { openLedger } from "../../billing/ledger/core/open_ledger.ts";
import { createProjectionParts } from "../../billing/ledger/projection/projection_parts.ts";
import { type ConfigSource, readConfig } from "../../config/config.ts";
import { httpServerOptions } from "../../http/http_server/default_options.ts";
import { listen } from "../../http/http_server/http_server.ts";
import { startLocalProvider } from "../../local_provider/local_provider.ts";
import { GatewayMetrics } from "../../metrics/gateway_metrics.ts";
import { providerSettings } from "../../providers/mod.ts";
import { SingleUseOrigins } from "../../providers/upstream/connections/single_use_origins.ts";
import { httpTransport } from "../../providers/upstream/http_transport.ts";
import type { Transport } from "../../providers/upstream/transport.ts";
import type { Logger, Runtime } from "../../runtime.ts";
import { openTransient } from "../../storage/stores/embedded/open_embedded.ts";
import { type App, createApp } from "../app.ts";
import { CleanupStack } from "../cleanup_stack.ts";
import type { OpenedParts } from "../composition_parts.ts";
import { composeReloadable } from "../reload/compose_reloadable.ts";
import { openSettings } from "../reload/open_settings.ts";
import { wordTokenizer } from "./word_tokenizer.ts";

export interface ThrowawayGateway {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiKey: string;
  /** Calls it, as it calls its provider. */
  readonly transport: Transport;
  /** Does not throw. */
  readonly close: () => Promise<unknown>;
}

/** Nothing of the operator's settings: what they name is not to be read, called or counted by this gateway. */
const variables: ReadonlyMap<string, string> = new Map([["TOLLGATE_SANDBOX", "off"]]);

const source: ConfigSource = {
  env: (name) => variables.get(name),
  readFile: (path) => {
    throw new Deno.errors.NotFound(path);
  },
  terminal: false,
};

const nothing = () => {};
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * Its calls go over so many connections at most, of which a quarter is used again at once: a new one for each call
 * would take longer than the rest of it.
 */
const CONNECTIONS = 64;

/** Rejects where it cannot be made; then nothing is left of it. */
export async function openThrowaway(runtime: Runtime): Promise<ThrowawayGateway> {
  const opened = new CleanupStack(runtime);
  try {
    const gateway = await openParts({ ...runtime, log: silent }, opened);
    return { ...gateway, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openParts(
  runtime: Runtime,
  opened: CleanupStack,
): Promise<Omit<ThrowawayGateway, "close">> {
  const config = readConfig(source, providerSettings);
  const { limits } = config;
  const store = await openTransient({ runtime });
  opened.push({ name: "store", close: () => store.close() });
  const metrics = new GatewayMetrics(config.genAiNames);
  const ledger = await openLedger({
    store,
    runtime,
    projectionParts: createProjectionParts(runtime),
    isShared: false,
    limits,
    onCommit: (commit) => metrics.committed(commit),
    readTagger: () => readTagger(store),
  });
  opened.push({ name: "ledger", close: () => ledger.close() });
  const local = startLocalProvider({ runtime, cache: null, tokenizer: wordTokenizer });
  opened.push({ name: "local provider", close: () => local.close() });
  const settings = await openSettings({ config, runtime, local });
  const singleUse = new SingleUseOrigins(runtime);
  const transport = httpTransport({ clock: runtime.clock, singleUse, connections: CONNECTIONS });
  opened.push({ name: "connections", close: () => Promise.resolve(transport.close()) });
  const { apiKey = "" } = await runFirstStart({ store, runtime, configuredKeys: {}, mayPrint: true });
  const app = await compose({ ...settings, runtime, store, ledger, metrics, transport, singleUse }, opened);
  return { url: serve(app, { runtime, limits, opened }), apiKey, transport };
}

async function compose(parts: OpenedParts, opened: CleanupStack): Promise<App> {
  const { deps } = await composeReloadable(parts, {
    read: undefined,
    local: undefined,
    readiness: () => Promise.resolve({ ready: true, reasons: [] }),
    serve: nothing,
    isStopping: () => false,
  });
  opened.push({ name: "containers", close: () => deps.admin.containers.close() });
  return createApp(deps);
}

interface Serving {
  readonly runtime: Runtime;
  readonly limits: OpenedParts["config"]["limits"];
  readonly opened: CleanupStack;
}

/** Serves it on a port that the system chooses; returns its address. */
function serve(app: App, { runtime, limits, opened }: Serving): string {
  const server = listen({
    ...httpServerOptions(runtime, limits),
    hostname: "127.0.0.1",
    port: 0,
    handle: app.handle,
    protocolError: app.renderProtocolError,
  });
  const close = async () => {
    const closed = server.shutdown();
    server.abort();
    await closed;
  };
  opened.push({ name: "server", close });
  return `http://127.0.0.1:${server.addr.port}`;
}

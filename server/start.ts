/**
 * Puts the rooms together and keeps them running: settings → world → store → first keys → providers → app →
 * server, and back when the process is told to stop.
 */

import { warnOfContentFilters } from "./management/guardrails/content_filters.ts";
import { firstStart, type Started } from "./management/keys/first_start.ts";
import { startSweeper } from "./management/core/deletion_job.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { openCatalog } from "./catalog/open_catalog.ts";
import { priceDetails } from "./catalog/price_age.ts";
import { type App, createApp, type Readiness } from "./app.ts";
import { type Config, ConfigError } from "./config/config.ts";
import { Shares } from "./rate_limits/rate_limit_quotas.ts";
import { type Local, startLocal } from "./local_provider/local_provider.ts";
import { type FrontOptions, listen, type Listening } from "./http_server/http_server.ts";
import { servePlatform } from "./http_server/deno_serve.ts";
import type { FrontLimits } from "./http_server/http_server_options.ts";
import type { Ledger } from "./ledger/core/ledger.ts";
import { openLedger } from "./ledger/core/ledger_instance.ts";
import { ledgerParts } from "./ledger/projection/projection_parts.ts";
import { startUpkeep, type Upkeep } from "./ledger/core/upkeep.ts";
import { Once } from "./pipeline/one_shot_signal.ts";
import { type Providers, providersFrom } from "./providers/mod.ts";
import { askedModels } from "./routing/selection/model_names.ts";
import { openAssigned, openFolder } from "./stores/embedded/open_embedded.ts";
import { openPostgres } from "./stores/postgres/open_postgres.ts";
import type { Store } from "./stores/store.ts";
import { fetchTransport } from "./upstream/fetch_transport.ts";
import { httpTransport } from "./upstream/http_transport.ts";
import type { Transport } from "./upstream/transport.ts";
import type { Cancel, World } from "./runtime.ts";
import { assemble } from "./composition.ts";

/** A gateway that answers. */
export interface Running {
  readonly hostname: string;
  readonly port: number;
  /** Keys that were made by this start, to be shown once. */
  readonly started: Started;
  /** Refuses new work, lets running work end for as long as the settings say, and gives everything back. */
  stop(): Promise<void>;
}

export interface BootOptions {
  readonly config: Config;
  readonly world: World;
}

/**
 * Throws a ConfigError, StartError or StoreError with the one sentence to print. The port is taken before the
 * first keys are made, so that keys are never made and not shown.
 */
export async function boot(options: BootOptions): Promise<Running> {
  const opened = new Opened();
  try {
    return await start(options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The store of the settings, for a start and for the operator's commands. */
export function openStore({ config, world }: BootOptions): Promise<Store> {
  const options = { world, deadlineMs: config.limits.storeMs };
  const folder = config.deploy ? undefined : config.dataFolder;
  if (config.store) return openPostgres(config.store, { ...options, folder });
  return config.deploy ? openAssigned(options) : openFolder(config.dataFolder, options);
}

/** What has to be given back, in the order opposite to that in which it was taken. */
class Opened {
  readonly #closers: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#closers.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
  }
}

async function start({ config, world }: BootOptions, opened: Opened): Promise<Running> {
  const store = await openStore({ config, world });
  opened.add(() => store.close());
  const ledger = await openBooks({ config, world, store });
  opened.add(() => ledger.close());
  const local = await startBuiltIn({ config, world });
  if (local) opened.add(() => local.close());
  const { connectMs, connections } = config.limits;
  const outside = httpTransport({ clock: world.clock, connectMs, connections });
  opened.add(() => Promise.resolve(outside.close()));
  const shares = sharesOf({ config, world }, store);
  if (shares) opened.add(() => shares.close());
  const door = new Door(config, world);
  opened.add(() => door.close());
  const providers = providersFrom(config, local);
  const catalog = await openCatalog({ config, providers, world });
  assertDefaultModel(config, catalog);
  const { managementKey: management, apiKey: api } = config;
  const started = await firstStart({ store, world, own: { management, api }, mayPrint: !config.deploy });
  const transport = local && config.deploy ? withLocal(local, outside) : outside;
  const upkeep = startUpkeep({ store, world, keepMs: config.limits.receiptMs });
  opened.add(() => upkeep.close());
  const readiness = () => readinessOf(door, { store, ledger, catalog, upkeep, now: world.clock.now() });
  const made = { config, world, store, ledger, catalog, transport, shares, readiness };
  const deps = await assemble({ ...made, stop: door.stop, masterFile: masterFileOf(config) });
  opened.add(() => deps.admin.epochs.close());
  opened.add((await startSweeper(deps.admin)).stop);
  await warnOfContentFilters(deps.admin);
  door.open(createApp(deps));
  return { ...door.address, started, stop: () => opened.close() };
}

interface Books {
  readonly config: Config;
  readonly world: World;
  readonly store: Store;
}

/** The ledger; what an earlier run has left open is closed when it resolves. */
export function openBooks({ config, world, store }: Books): Promise<Ledger> {
  return openLedger({
    store,
    world,
    parts: ledgerParts(world),
    shared: config.deploy || config.store !== undefined,
    limits: { waitMs: config.limits.waitMs, maxWaiting: config.limits.maxWaiting },
    spool: config.deploy ? undefined : `${config.dataFolder}/spool`,
  });
}

/** Rate limits are shared with whoever shares the store; the embedded one has one owner. */
function sharesOf({ config, world }: BootOptions, store: Store): Shares | undefined {
  return config.deploy || config.store ? new Shares({ store, world }) : undefined;
}

/** The master key may be made where its file is this gateway's own. */
export function masterFileOf({ store, deploy, dataFolder }: Config): string | undefined {
  return store || deploy ? undefined : `${dataFolder}/master.key`;
}

/** The server of the built-in models. A platform that gives one port only is served without one. */
async function startBuiltIn({ config, world }: BootOptions): Promise<Local | undefined> {
  if (!config.local && !config.faultLab) return undefined;
  const folder = config.deploy ? undefined : `${config.dataFolder}/voices`;
  return await startLocal({ world, faultLab: config.faultLab, listen: !config.deploy, folder });
}

function assertDefaultModel({ defaultModel, aliases }: Config, { resolve }: Providers): void {
  if (defaultModel === undefined) return;
  const { models } = askedModels({ resolve, aliases }, { model: defaultModel, models: [] });
  if (models.some(({ endpoints }) => endpoints.length > 0)) return;
  throw new ConfigError(`default_model is "${defaultModel}", which no provider that is switched on serves`);
}

/** Calls of the built-in models stay in the process, all others go out. */
function withLocal(local: Local, outside: Transport): Transport {
  const inside = fetchTransport((input, init) => local.fetch(new Request(input, init)));
  return (call) => call.url.startsWith(`${local.baseUrl}/`) ? inside(call) : outside(call);
}

interface Kept {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly catalog: Catalog;
  readonly upkeep: Upkeep;
  readonly now: number;
}

async function readinessOf(
  door: Door,
  { store, ledger, catalog, upkeep, now }: Kept,
): Promise<Readiness> {
  if (door.stopping) return { ready: false, reasons: ["The gateway is stopping."] };
  const health = await store.health();
  const reasons = [
    ...(health.ok ? [] : [`Store: ${health.reason}`]),
    ...(ledger.refuses === undefined ? [] : [`Ledger: ${ledger.refuses}`]),
  ];
  const details = { ...priceDetails(catalog.endpoints, now), ...upkeep.details };
  return { ready: reasons.length === 0, reasons, details };
}

/** Time to tell the clients of answers that were ended. */
const LAST_WORDS_MS = 2_000;

/** The listening server. It holds the port from the beginning and lets requests in once there is an app. */
class Door {
  readonly #server: Listening;
  readonly #world: World;
  readonly #drainMs: number;
  /** Ends the answers that outlast the drain. */
  readonly stop = new Once();
  #app: App | undefined;
  #stopping = false;

  constructor(config: Config, world: World) {
    this.#world = world;
    this.#drainMs = config.limits.drainMs;
    this.#server = openDoor(config, {
      ...doorOptions(world, config.limits),
      openSpare: () => openSpare(config.dataFolder),
      answer: (request, peer) => this.#app?.answer(request, peer) ?? starting(),
      refuse: (problem) => this.#app?.refuse(problem) ?? starting(),
    });
  }

  get address(): { readonly hostname: string; readonly port: number } {
    const { hostname, port } = this.#server.addr;
    return { hostname, port };
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  open(app: App): void {
    this.#app = app;
  }

  /**
   * Takes no more connections and waits for those in use, but not for ever: answers that outlast the drain end
   * in a failure that says why, and what does not even take that is cut (faults P3).
   */
  async close(): Promise<void> {
    this.#stopping = true;
    const closed = this.#server.shutdown();
    if (await this.#within(closed, this.#drainMs)) return;
    this.stop.fire();
    if (await this.#within(closed, LAST_WORDS_MS)) return;
    this.#server.cut();
  }

  #within(closed: Promise<void>, ms: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const cancel = this.#world.clock.after(ms, () => resolve(false));
      closed.then(() => resolve(true), reject).finally(cancel);
    });
  }
}

function starting(): Response {
  return new Response("Tollgate is starting.\n", { status: 503, headers: { "retry-after": "1" } });
}

const FIRST_BYTE_MS = 10_000;
const HEAD_MS = 30_000;
/** Longer than load balancers keep a connection, so that it is they who close it. */
const IDLE_MS = 75_000;

/** What the own server needs besides somebody who answers. */
export function doorOptions(
  { clock, log }: World,
  { writeStallMs, connections }: Pick<FrontLimits, "writeStallMs" | "connections">,
): Omit<FrontOptions, "answer" | "refuse"> {
  const failed = (error: unknown) => {
    const text = error instanceof Error ? error.stack ?? error.message : String(error);
    log.error("A connection failed inside the gateway", { error: text });
  };
  const limits = {
    connections,
    firstByteMs: FIRST_BYTE_MS,
    headMs: HEAD_MS,
    idleMs: IDLE_MS,
    writeStallMs,
  };
  return { clock, limits, failed, warn: log.warn, openSpare: () => undefined };
}

/** The data folder, which can be opened like a file; undefined where the system or a permission forbids that. */
function openSpare(dataFolder: string): Cancel | undefined {
  try {
    const file = Deno.openSync(dataFolder);
    return () => file.close();
  } catch (_error) {
    // Without a spare file a client waits where it would be refused.
    return undefined;
  }
}

/** A platform listens itself and hands requests in; everywhere else we do. */
function openDoor({ host: hostname, port, deploy }: Config, behind: FrontOptions): Listening {
  const options = { ...behind, hostname, port };
  try {
    return deploy ? servePlatform(options) : listen(options);
  } catch (cause) {
    if (cause instanceof Deno.errors.AddrInUse) {
      throw new ConfigError(
        `PORT is ${port}, which another program uses on ${hostname}: stop that one or choose another`,
        { cause },
      );
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`Cannot listen on HOST ${hostname}, PORT ${port}: ${why}`, { cause });
  }
}

/** Config → world → app → serve. The same file runs on Deno Deploy. */

import { recover } from "./server/management/keys/recover_management_key.ts";
import { reencrypt } from "./server/management/byok/reencrypt.ts";
import { StartError } from "./server/management/core/start_error.ts";
import { CatalogFileError } from "./server/catalog/operator_file.ts";
import { admin } from "./server/cli/admin_command.ts";
import { CommandError } from "./server/cli/command_error.ts";
import { boot, masterFileOf, openStore, type Running } from "./server/start.ts";
import { type Config, ConfigError, processSource, readConfig } from "./server/config/config.ts";
import { examine } from "./server/doctor.ts";
import { dropPermissions, isRegExpLinear, REGEXP_WARNING } from "./server/config/process_permissions.ts";
import { addressOf, bannerText, helpText } from "./server/config/startup_texts.ts";
import { bookCheck } from "./server/ledger/journal/verify_books.ts";
import { createLog } from "./server/logger.ts";
import { providerSettings } from "./server/providers/mod.ts";
import { storeCommand } from "./server/stores/commands/parse_command.ts";
import type { StorePlace } from "./server/stores/store_location.ts";
import { StoreError } from "./server/stores/store.ts";
import { realClock, realWorld, type World } from "./server/runtime.ts";
import manifest from "./deno.json" with { type: "json" };

/** A setting, an argument or the port is wrong. */
const EXIT_USAGE = 2;
/** The store is damaged, or not the one it was. */
const EXIT_STORE = 78;

const encoder = new TextEncoder();
const print = (text: string) => Deno.stdout.writeSync(encoder.encode(text));
const complain = (text: string) => Deno.stderr.writeSync(encoder.encode(text));

function worldOf({ log, providerEnv, store }: Config): World {
  const { now } = realClock();
  const secrets = [...providerEnv.values(), store?.password ?? ""].filter((secret) => secret !== "");
  return realWorld(createLog({ ...log, now, write: complain, secrets }));
}

async function serve(config: Config): Promise<void> {
  const world = worldOf(config);
  watchRejections(world);
  // The platform grants everything there, and what it runs is its own affair.
  if (!config.deploy) dropPermissions();
  const running = await boot({ config, world });
  stopOnSignals(running, world);
  const { hostname, port, started } = running;
  const model = config.local ? "local/echo" : config.defaultModel;
  if (!config.deploy) print(bannerText({ version: manifest.version, hostname, port, model, ...started }));
  world.log.info("The gateway is up", { host: hostname, port, version: manifest.version });
  if (!isRegExpLinear(world.clock)) world.log.warn(REGEXP_WARNING);
}

/** A stream's forgotten rejection ends that stream, not the gateway and everybody else's. */
function watchRejections({ log }: World): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    const { reason } = event;
    log.error("A promise was rejected and nobody listened", {
      error: reason instanceof Error ? reason.stack ?? reason.message : String(reason),
    });
  });
}

/** The first signal lets running work end; a second one does not wait for it. */
function stopOnSignals(running: Running, { log }: World): void {
  const signals = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"] as const
    : ["SIGINT", "SIGTERM"] as const;
  let stopping = false;
  for (const signal of signals) {
    Deno.addSignalListener(signal, async () => {
      if (stopping) Deno.exit(1);
      stopping = true;
      log.info("The gateway stops: running requests may end", { signal });
      await running.stop().catch((error) => log.error("The stop was not clean", { error: String(error) }));
      Deno.exit(0);
    });
  }
}

/** `admin recover`: needs the store for itself, so the gateway must be stopped. */
async function recoverKey(config: Config): Promise<void> {
  const world = worldOf(config);
  const store = await openStore({ config, world });
  try {
    print(`Management key: ${await recover(store, world)}\n`);
  } finally {
    await store.close();
  }
}

/** `admin reencrypt`: likewise, and the new master key. */
async function reencryptKeys(config: Config): Promise<void> {
  const { masterKey: given, newMasterKey: to } = config;
  if (to === undefined) {
    throw new ConfigError(
      "TOLLGATE_NEW_MASTER_KEY is not set: allowed is 32 random bytes in base64, 44 characters",
    );
  }
  const world = worldOf(config);
  const store = await openStore({ config, world });
  try {
    const moved = await reencrypt({ store, world, from: { given, file: masterFileOf(config) }, to });
    print(`Provider keys moved: ${moved}. Set TOLLGATE_MASTER_KEY to the new key from now on.\n`);
  } finally {
    await store.close();
  }
}

const commands = new Map([["", serve], ["admin recover", recoverKey], ["admin reencrypt", reencryptKeys]]);

/** `admin <command>`: what the management operations do, over the HTTP of the gateway that runs. */
async function administer(args: readonly string[]): Promise<void> {
  const config = readConfig(processSource(), providerSettings);
  const { host: hostname, port, managementKey } = config;
  const url = addressOf({ hostname, port });
  const { fetch } = worldOf(config);
  const { out, code } = await admin({ args, url, managementKey, fetch, width: lineWidth() });
  (code === 0 ? print : complain)(out);
  if (code !== 0) Deno.exit(code);
}

/** `backup`, `restore`, `compact`, `migrate`: what is done to a store as a whole. */
async function keepStore(args: readonly string[]): Promise<boolean> {
  try {
    const run = storeCommand(args);
    if (!run) return false;
    const tools = { clock: realClock(), check: bookCheck };
    print(`${await run(placeOf(readConfig(processSource(), providerSettings)), tools)}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    complain(`${error.message}\n`);
    Deno.exit(statusOf(error));
  }
}

function placeOf({ store, dataFolder: folder, deploy }: Config): StorePlace {
  if (store) return { type: "postgres", address: store, folder };
  if (!deploy) return { type: "embedded", folder };
  throw new ConfigError("The platform keeps the assigned KV database: use its own backups");
}

/** `doctor`: whether this gateway can be relied on. */
async function consult(args: readonly string[]): Promise<void> {
  const config = readConfig(processSource(), providerSettings);
  const quiet = { ...config, log: { ...config.log, level: "error" as const } };
  const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;
  const world = worldOf(quiet);
  const { out, code } = await examine({ config: quiet, world, args, width: lineWidth(), print, isRoot });
  print(out);
  if (code !== 0) Deno.exit(code);
}

/** Of the terminal; wide where the output is read by a program. */
function lineWidth(): number {
  return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : 1_000;
}

async function main(args: readonly string[]): Promise<void> {
  const command = args.join(" ");
  if (command === "--help" || command === "-h") {
    return void print(helpText(manifest.version, providerSettings));
  }
  if (command === "--version" || command === "-V") return void print(`tollgate ${manifest.version}\n`);
  if (await keepStore(args)) return;
  const run = commands.get(command);
  if (args[0] === "doctor") return await consult(args.slice(1));
  if (!run && args[0] === "admin") return await administer(args.slice(1));
  if (!run) {
    throw new ConfigError(
      `There is no command ${JSON.stringify(command)}: --help names those that there are`,
    );
  }
  await run(readConfig(processSource(), providerSettings));
}

/** One sentence and a status for what an operator can mend; everything else is our fault and shows its stack. */
function exitFor(error: unknown): never {
  if (error instanceof CommandError) {
    complain(`${error.message}\n`);
    Deno.exit(EXIT_USAGE);
  }
  if (error instanceof StoreError) {
    complain(`Tollgate cannot start. ${error.message}\n`);
    Deno.exit(statusOf(error));
  }
  if (error instanceof ConfigError || error instanceof StartError || error instanceof CatalogFileError) {
    complain(`Tollgate cannot start. ${error.message}\n`);
    Deno.exit(EXIT_USAGE);
  }
  throw error;
}

function statusOf({ kind }: StoreError): number {
  return kind === "corrupt" || kind === "lost" ? EXIT_STORE : EXIT_USAGE;
}

await main(Deno.args).catch(exitFor);

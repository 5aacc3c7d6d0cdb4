/** Config → world → app → serve. The same file runs on Deno Deploy. */

import { runAdmin } from "./server/cli/admin_command.ts";
import { parseLocalCommand } from "./server/cli/local_commands.ts";
import { processStreams } from "./server/cli/process_streams.ts";
import { openStore, type RunningGateway, startGateway, stopMs } from "./server/app/start.ts";
import { type Config, ConfigError, type ConfigSource, readConfig } from "./server/config/config.ts";
import { oldDenoSentence } from "./server/config/process/deno_version.ts";
import { keptConfigSource, processConfigSource } from "./server/config/process/process_source.ts";
import { stoppedCommands } from "./server/app/stopped_commands.ts";
import { runDoctor } from "./server/app/doctor.ts";
import { exitWithError } from "./server/app/exit_with_error.ts";
import { runImport } from "./server/app/litellm/run_import.ts";
import { runScores } from "./server/app/scores/run_scores.ts";
import { warmUp } from "./server/app/warm_up/warm_up.ts";
import { secretsOf } from "./server/config/reload/secrets_of.ts";
import { saveFirstKeys } from "./server/config/first_keys.ts";
import {
  dropPermissions,
  isRegExpLinear,
  NONLINEAR_REGEXP_WARNING,
} from "./server/config/process/process_permissions.ts";
import { bannerText, gatewayUrl, helpText } from "./server/config/startup_texts.ts";
import { bookCheck } from "./server/billing/ledger/journal/recovery/verify_books.ts";
import { keeperEnvironment } from "./server/config/process/keeper_environment.ts";
import { type Keeper, unavailableKeeper } from "./server/sandbox/keeper/keeper.ts";
import { packagesFolder } from "./server/sandbox/python/wheel_files.ts";
import { startKeeper } from "./server/sandbox/keeper/start_keeper.ts";
import { within } from "./shared/util/within.ts";
import { createLogger } from "./server/logger.ts";
import { providerSettings } from "./server/providers/mod.ts";
import { parseStoreCommand } from "./server/storage/stores/commands/parse_command.ts";
import type { StoreLocation } from "./server/storage/stores/store_location.ts";
import { StoreError } from "./server/storage/stores/store.ts";
import { isReloadSignal, ReloadSignal } from "./server/app/reload/reload_signal.ts";
import { StopSignals } from "./server/app/stop_signals.ts";
import { createClock, createRuntime, type Runtime } from "./server/runtime.ts";
import manifest from "./deno.json" with { type: "json" };

/** The gateway has stopped, but not everything has ended, or not every receipt is in the store. */
const EXIT_UNCLEAN = 1;

/** Every part of a stop has its time; this is for the case that one does not keep to it. */
const STOP_SLACK_MS = 500;

const encoder = new TextEncoder();
const print = (text: string) => Deno.stdout.writeSync(encoder.encode(text));
const printError = (text: string) => Deno.stderr.writeSync(encoder.encode(text));

function createRuntimeFor(config: Config, secrets = secretsOf(config)): Runtime {
  const { now } = createClock();
  return createRuntime(createLogger({ ...config.log, now, write: printError, secrets }));
}

/** Reads the settings again. What is secret in them is cut out of the log from then on. */
function rereader(source: ConfigSource, secrets: string[]): () => Config {
  return () => {
    const config = readConfig(source, providerSettings);
    secrets.push(...secretsOf(config).filter((secret) => !secrets.includes(secret)));
    return config;
  };
}

async function serve(): Promise<void> {
  const signal = new ReloadSignal();
  const isTerminal = Deno.stdin.isTerminal();
  if (isReloadSignal({ isWindows: Deno.build.os === "windows", isTerminal })) {
    Deno.addSignalListener("SIGHUP", () => signal.receive());
  }
  const source = keptConfigSource();
  const config = readConfig(source, providerSettings);
  const secrets = [...secretsOf(config)];
  const runtime = createRuntimeFor(config, secrets);
  watchRejections(runtime);
  for (const sentence of config.warnings) runtime.log.warn(sentence);
  const keeper = startKeeperFor(config, runtime);
  // The platform grants everything there, and what it runs is its own affair.
  if (!config.deploy) dropPermissions();
  const running = await startGateway({
    config,
    runtime,
    keeper,
    readConfig: rereader(source, secrets),
    warmUp: config.warmUp ? warmUp : undefined,
  });
  signal.open(running.reload);
  const reason = keeper.unavailableReason;
  const unread = config.deploy ? "Documents cannot be read" : "Pages and documents cannot be read";
  if (reason !== undefined) runtime.log.info(unread, { reason });
  stopOnSignals(running, { runtime, ms: stopMs(config) + STOP_SLACK_MS });
  const { hostname, port, installation, hasConsole, consoleToken } = running;
  const model = config.local ? "local/echo" : config.defaultModel;
  if (!config.deploy) {
    const { version } = manifest;
    const banner = { version, hostname, port, model, hasConsole, consoleToken, ...installation };
    const keyFile = saveFirstKeys(banner, { ...config, isTerminal: Deno.stdout.isTerminal() });
    print(bannerText({ ...banner, keyFile }));
  }
  runtime.log.info("Gateway started", { host: hostname, port, version: manifest.version });
  if (!isRegExpLinear(runtime.clock)) runtime.log.warn(NONLINEAR_REGEXP_WARNING);
}

/** From then on this process needs to start no programs itself. */
function startKeeperFor(
  { deploy, sandbox: { root, wheels }, dataFolder }: Config,
  { clock, log }: Runtime,
): Keeper {
  if (deploy) return unavailableKeeper("This platform starts no programs.");
  const folders = { root, packages: packagesFolder(dataFolder, wheels) };
  return startKeeper({ clock, log, env: keeperEnvironment(), folders });
}

/** A stream's forgotten rejection ends that stream, not the gateway and everybody else's. */
function watchRejections({ log }: Runtime): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    const { reason } = event;
    log.error("Unhandled promise rejection", {
      error: reason instanceof Error ? reason.stack ?? reason.message : String(reason),
    });
  });
}

function stopOnSignals(running: RunningGateway, { runtime, ms }: StopOptions): void {
  const { clock, log } = runtime;
  const handler = new StopSignals({
    clock,
    log,
    stop: () => isStopClean(running, { runtime, ms }),
    exit: (isClean) => Deno.exit(isClean ? 0 : EXIT_UNCLEAN),
  });
  const signals = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"] as const
    : ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, () => void handler.receive(signal));
}

interface StopOptions {
  readonly runtime: Runtime;
  /** How long the stop may take. */
  readonly ms: number;
}

/** Whether all has ended and every receipt is in the store; says in the log what has not. */
async function isStopClean(
  running: RunningGateway,
  { runtime: { clock, log }, ms }: StopOptions,
): Promise<boolean> {
  const late = () => new Error(`it did not end within ${ms / 1_000} s`);
  try {
    const { unended, unwritten: { spooled, lost } } = await within(running.stop(), { clock, ms, late });
    if (unended.length > 0) {
      log.error("Gateway stopped without the end of some parts", { name: unended.join(", ") });
    }
    if (spooled > 0) {
      log.error("Receipts not in the store; the next start writes them from the spool", { count: spooled });
    }
    if (lost > 0) log.error("Receipts neither in the store nor in the spool", { count: lost });
    return unended.length + spooled + lost === 0;
  } catch (error) {
    log.error("Unclean shutdown", { error: String(error) });
    return false;
  }
}

/** The result in words, or with `--json` the fields that stand for it. */
const printResult = (
  { text, fields }: { readonly text: string; readonly fields: unknown },
  asJson: boolean,
): void => void print(`${asJson ? JSON.stringify(fields, null, 2) : text}\n`);

/** `admin <command>`: what the management operations do, over the HTTP of the gateway that runs. */
async function runAdminCommand(args: readonly string[]): Promise<void> {
  const local = parseLocalCommand(args);
  if (local?.help !== undefined) return void print(local.help);
  if (local !== undefined) {
    const config = readConfig(processConfigSource(), providerSettings);
    const runtime = createRuntimeFor(config);
    return printResult(await stoppedCommands[local.name]({ config, runtime }), local.asJson);
  }
  const config = readConfig(processConfigSource(), providerSettings);
  const { host, port, managementKey } = config;
  const url = gatewayUrl({ hostname: host, port });
  const { fetch } = createRuntimeFor(config);
  const { out, code } = await runAdmin({
    args,
    url,
    managementKey,
    fetch,
    width: lineWidth(),
    streams: processStreams,
  });
  (code === 0 ? print : printError)(out);
  if (code !== 0) Deno.exit(code);
}

/** `backup`, `restore`, `compact`, `migrate`: what is done to a store as a whole. */
async function runStoreCommand(args: readonly string[]): Promise<boolean> {
  try {
    const command = parseStoreCommand(args);
    if (command === undefined) return false;
    const place = storeLocation(readConfig(processConfigSource(), providerSettings));
    const result = await command.run(place, { clock: createClock(), check: bookCheck });
    printResult(result, command.asJson);
    return true;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // What failed is a command of its own, not a start.
    exitWithError(error, { isStart: false });
  }
}

function storeLocation({ store, blobs, dataFolder, deploy }: Config): StoreLocation {
  const filesAt = contentBeside({ blobs, dataFolder });
  if (store) return { type: "postgres", address: store, folder: dataFolder, filesAt };
  if (!deploy) return { type: "embedded", folder: dataFolder, filesAt };
  throw new ConfigError("The platform keeps the assigned KV database: use its own backups");
}

/** Where the bytes of files are that a backup of the store does not contain. */
function contentBeside({ blobs, dataFolder }: Pick<Config, "blobs" | "dataFolder">): string | undefined {
  if (blobs === undefined) return `${dataFolder}/blobs`;
  return typeof blobs === "string" ? undefined : `the bucket ${blobs.bucket}`;
}

/** `doctor`: whether this gateway can be relied on. */
async function runDoctorCommand(args: readonly string[]): Promise<void> {
  const config = readConfig(processConfigSource(), providerSettings);
  const quiet = { ...config, log: { ...config.log, level: "error" as const } };
  const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;
  const runtime = createRuntimeFor(quiet);
  const { out, code } = await runDoctor({
    config: quiet,
    runtime,
    args,
    width: lineWidth(),
    print,
    isTerminal: Deno.stdout.isTerminal(),
    isRoot,
  });
  print(out);
  if (code !== 0) Deno.exit(code);
}

/** `scores`: how many models the scores cover; a market file from its source. */
async function runScoresCommand(args: readonly string[]): Promise<void> {
  const config = readConfig(processConfigSource(), providerSettings);
  print(await runScores({ config, runtime: createRuntimeFor(config), args, width: lineWidth() }));
}

/** `import-litellm`: the settings and keys of a LiteLLM proxy. */
async function runImportCommand(args: readonly string[]): Promise<void> {
  const source = processConfigSource();
  const config = readConfig(source, providerSettings);
  const write = (path: string, text: string) => Deno.writeTextFileSync(path, text, { createNew: true });
  const result = await runImport({
    args,
    source,
    config,
    runtime: createRuntimeFor(config),
    openStore,
    write,
  });
  printResult(result, result.asJson);
}

/** Width of the terminal; wide where the output is read by a program. */
function lineWidth(): number {
  return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : 1_000;
}

async function main(args: readonly string[]): Promise<void> {
  const old = oldDenoSentence(Deno.version.deno);
  if (old !== undefined) throw new ConfigError(old);
  const command = args.join(" ");
  if (command === "--help" || command === "-h") {
    return void print(helpText(manifest.version, providerSettings));
  }
  if (command === "--version" || command === "-V") return void print(`tollgate ${manifest.version}\n`);
  if (await runStoreCommand(args)) return;
  if (args[0] === "doctor") return await runDoctorCommand(args.slice(1));
  if (args[0] === "scores") return await runScoresCommand(args.slice(1));
  if (args[0] === "import-litellm") return await runImportCommand(args.slice(1));
  if (args[0] === "admin") return await runAdminCommand(args.slice(1));
  if (args.length > 0) throw new ConfigError(`Unknown command ${JSON.stringify(command)}: see --help`);
  await serve();
}

await main(Deno.args).catch((error: unknown) => exitWithError(error, { isStart: Deno.args.length === 0 }));

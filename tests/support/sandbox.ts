/** A keeper and a sandbox under test, as the gateway starts them. */

import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import type { SandboxFolders } from "../../server/sandbox/bubblewrap/sandbox_folders.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import type { OpenTunnel } from "../../server/sandbox/bubblewrap/network/command_proxy.ts";
import type { FetchPage, FindWheels } from "../../server/sandbox/process_calls.ts";
import type {
  CommandInput,
  CommandOutcome,
  EngineName,
  NetworkPolicy,
  Sandbox,
  SandboxProcess,
  StoredEntry,
} from "../../server/sandbox/sandbox.ts";
import { createSandbox, type SandboxOptions } from "../../server/sandbox/engines.ts";
import { hasBubblewrap } from "./bubblewrap.ts";
import { linesLogger } from "./reader.ts";
import { tickingClock } from "./ticking_clock.ts";
import { TIME_FACTOR } from "./time_limits.ts";

export interface SandboxRig extends AsyncDisposable {
  readonly keeper: Keeper;
  readonly sandbox: Sandbox;
  readonly engine: SandboxOptions["engine"];
  readonly clock: ReturnType<typeof tickingClock>;
  /** Lines of the log: level, message and fields. */
  readonly lines: readonly string[];
  readonly open: (input?: OpenInput) => Promise<SandboxProcess>;
}

export interface OpenInput {
  readonly container?: string;
  readonly version?: string;
  readonly network?: NetworkPolicy;
  readonly entries?: readonly StoredEntry[];
  readonly signal?: AbortSignal;
}

export type SandboxRigOptions =
  & Partial<Pick<SandboxOptions, "engine" | "processes" | "spare" | "memoryMib" | "wheels" | "settings">>
  & {
    /** Folders of the settings. */
    readonly folders?: SandboxFolders;
    /** Absent: as the gateway starts it. */
    readonly keeper?: Keeper;
    readonly fetchPage?: FetchPage;
    readonly openTunnel?: OpenTunnel;
    readonly findWheels?: FindWheels;
    /** Absent: this source's. */
    readonly create?: typeof createSandbox;
  };

/** Engines that can be tested here. */
export const engines: readonly EngineName[] = [
  "virtual",
  ...(hasBubblewrap() ? ["bubblewrap"] as const : []),
];

const nothing = () => Promise.reject(new Error("There is nothing here."));

export function sandboxRig(
  { folders, create = createSandbox, ...options }: SandboxRigOptions = {},
): SandboxRig {
  const lines: string[] = [];
  const [clock, log] = [tickingClock(), linesLogger(lines)];
  const keeper = options.keeper ?? startKeeper({ clock, log, env: keeperEnvironment(), folders });
  const sandbox = create({
    engine: "virtual",
    clock,
    log,
    fetchPage: nothing,
    openTunnel: nothing,
    findWheels: nothing,
    processes: 4,
    spare: false,
    memoryMib: 512,
    ...options,
    keeper,
  });
  return {
    keeper,
    sandbox,
    engine: options.engine ?? "virtual",
    clock,
    lines,
    open: (input = {}) => openProcess(sandbox, input),
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await keeper.close();
    },
  };
}

function openProcess(sandbox: Sandbox, input: OpenInput): Promise<SandboxProcess> {
  const { container = "one", version = "0", network = { type: "disabled" }, entries = [], signal } = input;
  return sandbox.open({
    container,
    version,
    network,
    entries: async function* () {
      yield* entries;
      await Promise.resolve();
    },
    signal: signal ?? new AbortController().signal,
  });
}

export function runIn(
  process: SandboxProcess,
  code: string,
  changes: Partial<CommandInput> = {},
): Promise<CommandOutcome> {
  return process.run({
    language: "bash",
    code,
    workingFolder: "/home/user",
    environment: {},
    timeoutMs: 5_000 * TIME_FACTOR,
    signal: new AbortController().signal,
    ...changes,
  });
}

/** Runs code by a `python3` of the shell, which has no state. */
export function runPython(
  process: SandboxProcess,
  code: string,
  changes: Partial<CommandInput> = {},
): Promise<CommandOutcome> {
  return runIn(process, 'python3 -c "$CODE"', { ...changes, environment: { CODE: code } });
}

/** Output of a command, and how it ended. */
export function shown(outcome: CommandOutcome): string {
  const { stdout, stderr } = outcome;
  if (outcome.type === "killed") return `${stdout}${stderr}killed: ${outcome.reason}`;
  const { exitCode, isTimedOut } = outcome;
  return `${stdout}${stderr}${isTimedOut ? "[time limit]" : exitCode === 0 ? "" : `[${exitCode}]`}`;
}

export async function textOf(process: SandboxProcess, path: string): Promise<string> {
  const chunks = await Array.fromAsync(process.readFile(path));
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Run by the tasks of deno.json: `launch.ts TASK` prints the arguments with which `deno run` becomes the task's
 * program, and ends before that one starts. The shell of `deno task` takes them apart at blanks. Where an argument has
 * blanks itself, it prints those of `launch.ts stay TASK` instead, which starts the program and stays until its end.
 */

import type { ConfigSource } from "../config/config.ts";
import { ConfigError } from "../config/config_error.ts";
import { processConfigSource } from "../config/process/process_source.ts";
import { launchArguments } from "./launch_arguments.ts";

/** The first word of a process that stays. */
const STAY = "stay";

/** Taken apart, or for a pattern of file names, by the shell of `deno task`. */
const isSplit = (arg: string) => arg === "" || /[\s*?[\]]/u.test(arg);

/** A program without any permission that ends as a wrong setting does. */
const refusal = ["--no-config", "--no-prompt", "data:text/javascript,Deno.exit(2)"] as const;

/** Arguments of a launcher that stays: it may start the program, and gives its permissions back afterwards. */
function stayingArguments(task: string, { names }: ConfigSource): readonly string[] {
  const program = Deno.execPath();
  // Deno hands the variables of the system's loader on only where every program may be started.
  const hasLoader = names?.().some((name) => /^(?:DY)?LD_/i.test(name)) ?? false;
  const run = hasLoader || isSplit(program) || program.includes(",")
    ? "--allow-run"
    : `--allow-run=${program}`;
  return ["--frozen", "--no-prompt", "--allow-env", "--allow-read", run, "server/app/launch.ts", STAY, task];
}

/** The program's arguments. Says why where there are none; then they are those of one that ends at once. */
async function argumentsOf(task: string, source: ConfigSource): Promise<readonly string[]> {
  try {
    const args = await launchArguments(task, source);
    if (args !== undefined) return args;
    throw new ConfigError(`There is no program ${JSON.stringify(task)}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const isStart = task === "start" || task === "dev";
    console.error(`${isStart ? "Tollgate cannot start. " : ""}${error.message}`);
    return refusal;
  }
}

/** On Windows a console sends its signals to the program itself. */
const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/** Runs the program with this process's streams, passes signals on to it, and ends with its status. */
async function stay(args: readonly string[]): Promise<never> {
  // Before the program starts, so that a signal never ends this process alone.
  for (const signal of signals) Deno.addSignalListener(signal, () => passOn(child, signal));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...args],
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  for (const name of ["env", "read", "run"] as const) Deno.permissions.revokeSync({ name });
  const { code } = await child.status;
  Deno.exit(code);
}

function passOn(child: Deno.ChildProcess, signal: Deno.Signal): void {
  if (Deno.build.os === "windows") return;
  try {
    child.kill(signal);
  } catch (error) {
    // It has just ended by itself: a terminal sends its signal to every process.
    if (!(error instanceof TypeError)) throw error;
  }
}

async function main([first = "", ...rest]: readonly string[]): Promise<void> {
  const source = processConfigSource();
  if (first === STAY) {
    const [task = "", ...own] = rest;
    return await stay([...await argumentsOf(task, source), ...own]);
  }
  const args = await argumentsOf(first, source);
  console.log((args.some(isSplit) ? stayingArguments(first, source) : args).join(" "));
}

await main(Deno.args);

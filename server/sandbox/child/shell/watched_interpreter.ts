/**
 * Extends the interpreter of just-bash: it reports a script's state whatever ends it, lets the rest of the process
 * have a turn, ends at a command's time, and what is thrown within a command is an error of that command. `set -e`
 * and `exec` are as in bash.
 */

import type { IFileSystem, ScriptNode } from "just-bash";
import {
  type Command,
  type CommandResult,
  type Interpreter,
  type InterpreterMethods,
  interpreterPrototype,
  type InterpreterState,
  isAborted,
  isControlFlow,
  type LimitError,
  limitErrorClass,
  type Pipeline,
  type Statement,
} from "./interpreter.ts";
import { asInterpreted } from "./shebangs.ts";
import { withKnownSets } from "./negated_sets.ts";
import { splitCall, withNameAsArgument } from "./split_names.ts";
import { takeExitTrap, trap } from "./traps.ts";
import { DirectOutput, type Printed } from "./direct_output.ts";
import { Callers, exportedNames, inheritAll, inheritExports } from "./inner_scripts.ts";

/** One script of the gateway's, with all that it runs. */
interface ScriptWatch {
  /** Gets the script's state once, when it begins. */
  readonly onBegin: (state: InterpreterState) => void;
  /** Gets what each pipeline of the script itself has printed. */
  readonly onPrinted: (printed: Printed) => void | Promise<void>;
  /** Before each statement, also of inner scripts. Resolves to true where it has to end. */
  readonly isOver: () => boolean | Promise<boolean>;
  /** The words for an error that no command has expected. */
  readonly wordsOf: (error: unknown) => string;
  /** A command's standard error, as it should be. */
  readonly mendWords: (stderr: string) => string;
}

/** By the files that a script works on: each has an object of its own, and inner scripts have the same. */
const watches = new WeakMap<IFileSystem, ScriptWatch>();
/** Interpreters that have begun. */
const interpreters = new WeakSet<Interpreter>();
const callers = new Callers();
/** Names of variables that a script finds exported. */
const firstExports = new WeakMap<ScriptWatch, ReadonlySet<string>>();
/** Output that scripts themselves write, not what they hold. */
export const directOutput = new DirectOutput();
/** Parts of lists at whose status `set -e` does not look. */
const exempt = new WeakSet<Pipeline>();

/** Applies to scripts on `fs` that begin from now on. */
export function watchScripts(fs: IFileSystem, watch: ScriptWatch): void {
  watches.set(fs, watch);
}

/** Message of just-bash for work that waited. */
const ABORTED = "bash: execution aborted\n";

/** Once in a process, before the first script. */
export async function installWatch(): Promise<void> {
  const methods = await interpreterPrototype();
  const timeIsUp = timeIsUpFrom(await limitErrorClass(methods));
  const { executeScript, executeStatement, executePipeline } = methods;
  methods.executeScript = async function (script) {
    const run = () => executeScript.call(this, script);
    return beginScript(this, script) ? await withExitTrap(this, run) : await run();
  };
  methods.executeStatement = async function (statement) {
    const watch = watches.get(this.ctx.fs);
    if (watch === undefined) return await executeStatement.call(this, statement);
    if (await watch.isOver()) throw timeIsUp("", "");
    markExempt(statement);
    try {
      const run = () => executeStatement.call(this, statement);
      return await callers.within({ interpreter: this, command: undefined }, run);
    } catch (error) {
      // What waited was aborted: by the end of the time, or by a command of the script's own.
      if (!isAborted(error) || !await watch.isOver()) throw error;
      throw timeIsUp(error.stdout, error.stderr.replace(ABORTED, ""));
    }
  };
  methods.executePipeline = async function (pipeline) {
    const run = () => executePipeline.call(this, pipeline);
    const { state, fs } = this.ctx;
    const result = await (exempt.has(pipeline) ? inCondition(state, run) : run());
    const untold = directOutput.untold(fs, { pipeline, result });
    if (untold !== undefined) await watches.get(fs)?.onPrinted(untold);
    return result;
  };
  installCommands(methods);
}

/** Installs the methods that run one command. */
function installCommands(methods: InterpreterMethods): void {
  const { executeCommand, runCommand } = methods;
  methods.executeCommand = async function (...args) {
    const [command, ...more] = args;
    const execute = () => executeCommand.call(this, withKnownSets(withNameAsArgument(command)), ...more);
    const run = () => directOutput.within(this.ctx.fs, { command, run: execute });
    const result = withOwnStatus(command, asBytes(await mended(this, run)));
    if (replacesShell(command)) await exitWith(this, result);
    return result;
  };
  methods.runCommand = async function (...args) {
    const [first, all, ...others] = args;
    const call = splitCall({ name: first, args: all, more: others });
    if (call === undefined) return { stdout: "", stderr: "", exitCode: 0 };
    const { name: command, args: words, more } = await asInterpreted(this.ctx, call);
    if (command === "trap") return trap(this, words);
    const run = () => mended(this, () => runCommand.call(this, command, words, ...more));
    return asBytes(await callers.within({ interpreter: this, command }, run));
  };
}

/** Ends a script with the output that it has, whatever holds the statement. */
function timeIsUpFrom(LimitReached: LimitError) {
  return (stdout: string, stderr: string) =>
    Object.assign(new LimitReached("time", "time"), { stdout, stderr });
}

/** `set -e` looks at the last part of a list, where it is not negated. */
function markExempt({ pipelines }: Statement): void {
  for (const [index, pipeline] of pipelines.entries()) {
    if (index < pipelines.length - 1 || pipeline.negated) exempt.add(pipeline);
  }
}

/** False for what is no script of its own: an interpreter runs `eval` and sourced files too. */
function beginScript(interpreter: Interpreter, script: ScriptNode): boolean {
  const { state, fs } = interpreter.ctx;
  const watch = watches.get(fs);
  if (watch === undefined || interpreters.has(interpreter)) return false;
  interpreters.add(interpreter);
  const caller = callers.of(fs);
  const first = firstExports.get(watch);
  if (caller !== undefined && first !== undefined) {
    const { ctx } = caller.interpreter;
    if (caller.command === undefined) inheritAll(state, ctx.state);
    else inheritExports(state, { caller: ctx.state, first });
    return true;
  }
  firstExports.set(watch, new Set(exportedNames(state).filter((name) => name !== "PWD")));
  directOutput.begin(fs, script);
  watch.onBegin(state);
  return true;
}

/** However the script ends, its trap runs then, and its status stays. */
async function withExitTrap(
  interpreter: Interpreter,
  run: () => Promise<CommandResult>,
): Promise<CommandResult> {
  try {
    const result = await run();
    const { stdout, stderr } = await runExitTrap(interpreter, result.exitCode);
    return { ...result, stdout: result.stdout + stdout, stderr: result.stderr + stderr };
  } catch (end) {
    if (!isControlFlow(end)) throw end;
    const { stdout, stderr } = await runExitTrap(interpreter, end.exitCode ?? 1);
    end.stdout += stdout;
    end.stderr += stderr;
    throw end;
  }
}

async function runExitTrap(interpreter: Interpreter, status: number): Promise<CommandResult> {
  const code = takeExitTrap(interpreter);
  if (code === undefined) return { stdout: "", stderr: "", exitCode: status };
  const { state } = interpreter.ctx;
  state.lastExitCode = status;
  state.env.set("?", String(status));
  return await interpreter.runCommand("eval", [code], [], "");
}

async function inCondition<T>(state: InterpreterState, run: () => Promise<T>): Promise<T> {
  const before = state.inCondition;
  state.inCondition = true;
  try {
    return await run();
  } finally {
    state.inCondition = before;
  }
}

/** An assignment succeeds where it says nothing else, whatever the status before was: `false || rc=$?`. */
function withOwnStatus(command: Command, result: CommandResult): CommandResult {
  if (command.type !== "SimpleCommand" || command.name !== null || result.exitCode === 0) return result;
  const hasOwn = result.stderr !== "" || JSON.stringify(command).includes('"CommandSubstitution"');
  return hasOwn ? result : { ...result, exitCode: 0 };
}

const LARGE_CHARS = 64 * 1024;

/**
 * Makes bytes of the text that goes into a pipe or a file: just-bash does so a character at a time, and V8 keeps 32
 * bytes for each of them.
 */
function asBytes(result: CommandResult): CommandResult {
  const { stdout, stdoutKind, stdoutEncoding } = result;
  const isText = stdoutKind === undefined ? stdoutEncoding !== "binary" : stdoutKind === "text";
  if (!isText || stdout.length < LARGE_CHARS) return result;
  const bytes = Buffer.from(stdout).toString("latin1");
  return { ...result, stdout: bytes, stdoutKind: "bytes", stdoutEncoding: "binary" };
}

/** Runs a command; what it throws becomes its error, and the script goes on. */
async function mended({ ctx }: Interpreter, run: () => Promise<CommandResult>): Promise<CommandResult> {
  const watch = watches.get(ctx.fs);
  try {
    const result = await run();
    return watch === undefined || result.stderr === ""
      ? result
      : { ...result, stderr: watch.mendWords(result.stderr) };
  } catch (error) {
    if (watch === undefined || isControlFlow(error)) throw error;
    return { stdout: "", stderr: watch.wordsOf(error), exitCode: 1 };
  }
}

/** `exec` with a command. */
function replacesShell(command: Command): boolean {
  if (command.type !== "SimpleCommand" || command.args.length === 0) return false;
  const [part, more] = command.name?.parts ?? [];
  return more === undefined && part?.type === "Literal" && part.value === "exec";
}

/** Throws the end of the script, with what the command has printed. */
async function exitWith(
  interpreter: Interpreter,
  { stdout, stderr, exitCode }: CommandResult,
): Promise<void> {
  try {
    await interpreter.runCommand("exit", [String(exitCode)], [], "");
  } catch (exit) {
    if (isControlFlow(exit)) exit.prependOutput(stdout, stderr);
    throw exit;
  }
}

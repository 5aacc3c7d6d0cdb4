/**
 * The interpreter inside just-bash, which the package does not hand out: how it is reached, and what of it is used
 * here. Each script runs on an instance of its own; all of them share the prototype whose methods are replaced
 * (watched_interpreter.ts). The package is pinned to one version, and a test fails where another has other names.
 */

import { Bash, type BashExecResult, type IFileSystem, type ScriptNode } from "just-bash";

export type CommandResult = Omit<BashExecResult, "env">;

interface ShellArray {
  readonly kind: "indexed" | "associative";
  readonly elements: ReadonlyMap<string, string>;
}

/** Types of the parts that we use of a shell's state. */
export interface InterpreterState {
  readonly env: Map<string, string>;
  exportedVars?: ReadonlySet<string>;
  /** Variables of the command that runs, as in `A=1 command`. */
  readonly tempExportedVars?: ReadonlySet<string>;
  arrays?: ReadonlyMap<string, ShellArray>;
  functions: ReadonlyMap<string, unknown>;
  cwd: string;
  lastExitCode: number;
  /** That of the shell; a subshell has another than its script. */
  readonly bashPid: number;
  readonly virtualPid: number;
  /** `set -e` does not look at what is run meanwhile. */
  inCondition: boolean;
}

export interface Interpreter {
  readonly ctx: {
    readonly state: InterpreterState;
    readonly fs: IFileSystem;
  };
  runCommand(name: string, args: readonly string[], ...more: readonly unknown[]): Promise<CommandResult>;
}

type Statement = ScriptNode["statements"][number];
type Pipeline = Statement["pipelines"][number];
type Command = Pipeline["commands"][number];

export type { Command, Pipeline, Statement };

/** The methods that are replaced, as they stand on the prototype. */
export interface InterpreterMethods {
  executeScript(this: Interpreter, script: ScriptNode): Promise<CommandResult>;
  executeStatement(this: Interpreter, statement: Statement): Promise<CommandResult>;
  executePipeline(this: Interpreter, pipeline: Pipeline): Promise<CommandResult>;
  executeCommand(this: Interpreter, command: Command, ...more: readonly unknown[]): Promise<CommandResult>;
  runCommand(
    this: Interpreter,
    name: string,
    args: readonly string[],
    ...more: readonly unknown[]
  ): Promise<CommandResult>;
}

/** Errors that the interpreter throws for itself: an end of a script, of a loop, of everything. */
interface ControlFlow extends Error {
  stdout: string;
  stderr: string;
  /** Exit code of an `exit`. */
  readonly exitCode?: number;
  prependOutput(stdout: string, stderr: string): void;
}

export function isControlFlow(error: unknown): error is ControlFlow {
  return error instanceof Error && "prependOutput" in error;
}

/** Thrown by what waits when its signal fires. */
export function isAborted(error: unknown): error is ControlFlow {
  return isControlFlow(error) && error.name === "ExecutionAbortedError";
}

const METHODS = [
  "executeScript",
  "executeStatement",
  "executePipeline",
  "executeCommand",
  "runCommand",
] as const;

/**
 * The prototype of all interpreters. An instance binds methods of its own when it is made, which is the moment in
 * which it can be seen: `exec` makes one before it first waits.
 */
export async function interpreterPrototype(): Promise<InterpreterMethods> {
  const { bind } = Function.prototype;
  const seen: unknown[] = [];
  Function.prototype.bind = function (this: unknown, ...args: Parameters<typeof bind>) {
    seen.push(args[0]);
    return Reflect.apply(bind, this, args);
  };
  let probe: Promise<unknown>;
  try {
    probe = new Bash({ defenseInDepth: false }).exec(":");
  } finally {
    Function.prototype.bind = bind;
  }
  await probe;
  const found = seen.map((one) => Object.getPrototypeOf(Object(one))).find(hasMethods);
  if (found === undefined) {
    throw new Error("Cannot find the interpreter of just-bash: is it another version?");
  }
  return found;
}

function hasMethods(prototype: unknown): prototype is InterpreterMethods {
  return METHODS.every((name) =>
    typeof prototype === "object" && prototype !== null && Object.hasOwn(prototype, name)
  );
}

/** The class of the error with which the interpreter ends a script whose output it keeps: a limit that is passed. */
export async function limitErrorClass(methods: InterpreterMethods): Promise<LimitError> {
  const { executeScript } = methods;
  let thrown: unknown;
  methods.executeScript = async function (script) {
    try {
      return await executeScript.call(this, script);
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
  try {
    await new Bash({ defenseInDepth: false, executionLimits: { maxCommandCount: 1 } }).exec(": ; :");
  } finally {
    methods.executeScript = executeScript;
  }
  if (!isControlFlow(thrown)) throw new Error("Cannot find the limits of just-bash: is it another version?");
  return toLimitError(thrown.constructor);
}

export type LimitError = new (...[message, limit, stdout, stderr]: readonly string[]) => ControlFlow;

function toLimitError(constructor: unknown): LimitError {
  return constructor as LimitError;
}

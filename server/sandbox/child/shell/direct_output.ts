/**
 * Which commands of a script write where the script itself does. What such a command writes can be told in the moment
 * in which it does; what goes into a pipe, a file, a substitution or a function is told with the command that holds it.
 */

import type { IFileSystem, ScriptNode } from "just-bash";
import type { OutputName } from "../printed_output.ts";
import type { Command, CommandResult, Pipeline } from "./interpreter.ts";

type Direct = ReadonlySet<OutputName>;

interface DirectState {
  /** That of the command that runs. */
  direct: Direct;
  /** Outputs of the running pipeline that were reported already. */
  reported: Set<OutputName>;
}

const none: Direct = new Set();
const both: Direct = new Set(["stdout", "stderr"]);
/** Output that is direct for the last command of a pipe: what the other commands write there comes before it. */
const lastOfPipe: Direct = new Set(["stdout"]);
/** They are about what a command reads. */
const inputOperators: ReadonlySet<string> = new Set(["<", "<<", "<<-", "<<<"]);

export class DirectOutput {
  readonly #pipelines = new WeakSet<Pipeline>();
  readonly #commands = new WeakMap<Command, Direct>();
  /** By the files that a script works on, as the watch of it. */
  readonly #states = new WeakMap<IFileSystem, DirectState>();

  /** Takes the statements of a script. `exec` may send all that follows elsewhere. */
  begin(fs: IFileSystem, script: ScriptNode): void {
    this.#states.set(fs, { direct: none, reported: new Set() });
    const hasExec = JSON.stringify(script).includes('"exec"');
    for (const pipeline of script.statements.flatMap(({ pipelines }) => pipelines)) {
      this.#pipelines.add(pipeline);
      const last = pipeline.commands.at(-1);
      if (last === undefined || hasExec || !isPlain(last)) continue;
      this.#commands.set(last, pipeline.commands.length === 1 ? both : lastOfPipe);
    }
  }

  /** Runs a command; commands within it are not direct. */
  async within<T>(fs: IFileSystem, { command, run }: DirectRun<T>): Promise<T> {
    const state = this.#states.get(fs);
    if (state === undefined) return await run();
    const before = state.direct;
    state.direct = this.#commands.get(command) ?? none;
    try {
      return await run();
    } finally {
      state.direct = before;
    }
  }

  /** Whether what the command that runs writes there is to be told now; then it was. */
  takes(fs: IFileSystem, name: OutputName): boolean {
    const state = this.#states.get(fs);
    if (state === undefined || !state.direct.has(name)) return false;
    state.reported.add(name);
    return true;
  }

  /**
   * Output that is still to be reported of a pipeline of the script itself, once it has ended; undefined for one
   * within it.
   */
  untold(fs: IFileSystem, { pipeline, result }: DirectResult): Printed | undefined {
    const state = this.#states.get(fs);
    if (state === undefined || !this.#pipelines.has(pipeline)) return undefined;
    const { reported } = state;
    state.reported = new Set();
    const rest = (name: OutputName) => reported.has(name) ? "" : result[name];
    return { stdout: rest("stdout"), stderr: rest("stderr") };
  }
}

export type Printed = Pick<CommandResult, OutputName>;

interface DirectRun<T> {
  readonly command: Command;
  readonly run: () => Promise<T>;
}

interface DirectResult {
  readonly pipeline: Pipeline;
  readonly result: CommandResult;
}

function isPlain(command: Command): boolean {
  return command.type === "SimpleCommand" &&
    command.redirections.every(({ operator }) => inputOperators.has(operator));
}

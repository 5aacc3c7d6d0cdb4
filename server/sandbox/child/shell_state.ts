/**
 * What lasts from one command to the next: working folder and exported variables. just-bash tells them to commands
 * only, so one of ours is run at the end of every script and in front of each `exit`.
 */

import { type BashOptions, defineCommand, parse, type ScriptNode, type TransformPlugin } from "just-bash";
import { isRecord } from "../../../shared/util/json.ts";
import { MAX_ENVIRONMENT_CHARS } from "../messages.ts";

export interface LastingState {
  readonly workingFolder: string;
  /** Name and value. */
  readonly environment: readonly (readonly [string, string])[];
}

const NAME = "__keep_state";
/** Variables that a shell sets itself. */
const ownVariables: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "_", "SHLVL"]);

export class ShellState {
  #last: LastingState | undefined;
  #names: readonly string[] = [];

  /** Leaves `$?` as it is. */
  readonly command: NonNullable<BashOptions["customCommands"]>[number] = defineCommand(
    NAME,
    (_args, { cwd, env, exportedEnv }) => {
      this.#last = { workingFolder: cwd, environment: lastingVariables(exportedEnv ?? {}) };
      return Promise.resolve({ stdout: "", stderr: "", exitCode: Number(env.get("?") ?? 0) });
    },
  );

  readonly plugin: TransformPlugin = {
    name: NAME,
    transform: ({ ast }) => {
      const { statements, ...rest } = asScript(keepAtExits(ast));
      const before = this.#names.length === 0 ? [] : parse(`export ${this.#names.join(" ")}`).statements;
      return { ast: { ...rest, statements: [...before, ...statements, ...parse(NAME).statements] } };
    },
  };

  /** The next script finds these variables exported. Their names are those of the protocol: letters and digits. */
  begin(environment: LastingState["environment"]): void {
    this.#last = undefined;
    this.#names = environment.map(([name]) => name);
  }

  /** Of the script that was run last; undefined where it ended before it said. */
  take(): LastingState | undefined {
    return this.#last;
  }
}

/** Those that fit, in the order in which they stand. */
function lastingVariables(exported: Readonly<Record<string, string>>): LastingState["environment"] {
  let left = MAX_ENVIRONMENT_CHARS;
  return Object.entries(exported).filter(([name, value]) =>
    !ownVariables.has(name) && (left -= name.length + value.length) >= 0
  );
}

/** A syntax tree in which every `exit` is `{ __keep_state; exit; }`. */
function keepAtExits(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(keepAtExits);
  if (!isRecord(node)) return node;
  if (isExit(node)) {
    return { type: "Group", redirections: [], body: [...parse(NAME).statements, statementOf(node)] };
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, keepAtExits(value)]));
}

function isExit({ type, name }: Readonly<Record<string, unknown>>): boolean {
  if (type !== "SimpleCommand" || !isRecord(name) || !Array.isArray(name.parts)) return false;
  const [part, more] = name.parts;
  return more === undefined && isRecord(part) && part.type === "Literal" && part.value === "exit";
}

const statementOf = (command: unknown) => ({
  type: "Statement",
  pipelines: [{ type: "Pipeline", commands: [command], negated: false, timed: false, timePosix: false }],
  operators: [],
  background: false,
  sourceText: "exit",
});

/** The same tree with more commands in it. */
function asScript(node: unknown): ScriptNode {
  return node as ScriptNode;
}

/** The tasks of deno.json as programs: what the shell of `deno task` makes of their commands. */

import assert from "node:assert/strict";
import * as z from "zod";

export const root = new URL("../../", import.meta.url);

const task = z.object({ command: z.string().optional(), dependencies: z.array(z.string()).optional() });

type Task = z.infer<typeof task>;

const manifest = z.object({
  tasks: z.record(z.string(), z.union([z.string().transform((command): Task => ({ command })), task])),
});

/** The tasks of deno.json by their names. */
export async function readTasks(): Promise<Readonly<Record<string, Task>>> {
  return manifest.parse(JSON.parse(await Deno.readTextFile(new URL("deno.json", root)))).tasks;
}

export type Env = Readonly<Record<string, string>>;

/** Program of a task: `deno` with these arguments, and the environment with what the task adds to it. */
export interface TaskProgram {
  readonly args: readonly string[];
  readonly env: Env;
}

/** The words of a command, with the quotes around their parts; a substitution is one. */
const quotedWords = (command: string) => command.match(/(?:\$\([^)]*\)|[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];

const unquoted = (word: string) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, one, other) => one ?? other);

/** The words of a command without substitutions. */
export const wordsOf = (command: string): readonly string[] =>
  quotedWords(command.replaceAll("\\\n", " ")).map(unquoted);

async function outputOf(command: string, env: Env): Promise<string> {
  const args = ["task", "--quiet", "--eval", command];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, env, cwd: root, stderr: "inherit" })
    .output();
  return new TextDecoder().decode(stdout).trimEnd();
}

/** One word where it stands between quotes; else the output's words. */
async function substituted(word: string, env: Env): Promise<readonly string[]> {
  const [whole = "", command] = /\$\(([^)]*)\)/.exec(word) ?? [];
  if (command === undefined) return [unquoted(word)];
  const output = await outputOf(command, env);
  if (word === whole) return output.split(/\s+/);
  return [unquoted(word).replace(whole, () => output)];
}

/** Throws where there is no such task. */
export async function expandTask(name: string, env: Env = {}): Promise<TaskProgram> {
  const { command } = (await readTasks())[name] ?? {};
  assert(command !== undefined, `there is no task ${name}`);
  const words: string[] = [];
  for (const word of quotedWords(command)) words.push(...await substituted(word, env));
  const deno = words.indexOf("deno");
  const own = words.slice(0, deno).map((word): [string, string] => {
    const at = word.indexOf("=");
    return [word.slice(0, at), word.slice(at + 1)];
  });
  return { args: words.slice(deno + 1), env: { ...env, ...Object.fromEntries(own) } };
}

/** Takes walls of the engine `virtual` away by changes of its source, and tells which commands succeed then. */

import assert from "node:assert/strict";
import type { NetworkPolicy } from "../../server/sandbox/sandbox.ts";
import { runIn, type SandboxRig, shown } from "../support/sandbox.ts";
import { type Change, type ChangedRig, withChanges } from "./changed_engine.ts";
import { tries } from "./javascript_tries.ts";

/** Parts of a machine, made for one test: a command may meet them. */
interface Surroundings {
  /** A folder of the machine, with the file `machine`. */
  readonly folder: string;
  /** A port of the machine that answers. */
  readonly port: number;
  /** A program of the machine that waits. */
  readonly pid: number;
}

export const MACHINE = "the machine's";

/** A command in one of several containers: the next one in another container comes when this one is released. */
export interface Step {
  readonly code: string;
  readonly container?: string;
  /** Milliseconds of the processor. */
  readonly timeoutMs?: number;
  /** Milliseconds of the processor that its process, unless it has ended, works before the command comes. */
  readonly idleMs?: number;
}

/** Commands, and what the last of them shows where it succeeds. */
type Success = readonly [steps: string | readonly Step[], shows: RegExp];

export interface TakenWall {
  readonly without: readonly Change[];
  readonly lets: (surroundings: Surroundings) => Readonly<Record<string, Success>>;
  /** Tries that do no harm without it: the number of those that then succeed, or fail in another way, is printed. */
  readonly kind?: keyof typeof tries;
  /** A wall behind it, with which alone nothing succeeds either: both have to be taken away. */
  readonly behind?: readonly Change[];
  readonly network?: NetworkPolicy;
}

const SLOW_MS = 30_000;

export async function surrounded(test: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-surroundings-" });
  await Deno.writeTextFile(`${folder}/machine`, MACHINE);
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  await using server = Deno.serve(options, ({ url }) => answerTo(new URL(url)));
  await using waiting = new Deno.Command("sleep", { args: ["600"] }).spawn();
  try {
    await test({ folder, port: server.addr.port, pid: waiting.pid });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function answerTo({ pathname }: URL): Response {
  if (!pathname.endsWith(".js")) return new Response(MACHINE);
  const headers = { "content-type": "text/javascript" };
  return new Response(`export default ${JSON.stringify(MACHINE)};`, { headers });
}

/** Runs the steps, and returns what the last one shows. */
async function outcomeOf(
  { rig, childCpu }: ChangedRig,
  { steps, network }: { readonly steps: readonly Step[]; readonly network: NetworkPolicy | undefined },
): Promise<string> {
  const open = (container: string) => rig.open({ container, version: "1", network });
  let container = "one";
  let process = await open(container);
  let text = "";
  for (const { code, timeoutMs = SLOW_MS, idleMs, ...step } of steps) {
    if (idleMs !== undefined) await childCpu.passes(idleMs);
    if (step.container !== undefined && step.container !== container) {
      process.release("1");
      process = await open(container = step.container);
    }
    text = shown(await runIn(process, code, { timeoutMs }));
  }
  process.release(undefined);
  return text;
}

/** Names of the commands that succeed, each in a process of its own. */
async function successes(
  changed: ChangedRig,
  { commands, network }: Pick<TakenWall, "network"> & {
    readonly commands: Readonly<Record<string, Success>>;
  },
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [name, [code, shows]] of Object.entries(commands)) {
    const steps = typeof code === "string" ? [{ code }] : code;
    if (shows.test(await outcomeOf(changed, { steps, network }))) names.push(name);
  }
  return names;
}

/** How many of the tries show something else than where the wall stands. */
async function others(rig: SandboxRig, kind: keyof typeof tries): Promise<string> {
  const process = await rig.open();
  let count = 0;
  for (const [code, shows] of Object.values(tries[kind])) {
    if (!shows.test(shown(await runIn(process, code, { timeoutMs: SLOW_MS })))) count++;
  }
  process.release(undefined);
  assert(count > 0, kind);
  return `${count} of ${Object.keys(tries[kind]).length} tries of ${kind}`;
}

/** A row of the table: what succeeds without a wall. */
export async function row(
  { without, lets, kind, behind, network }: TakenWall,
  surroundings: Surroundings,
): Promise<string> {
  const commands = lets(surroundings);
  const refused = async (changed: ChangedRig) =>
    assert.deepEqual(await successes(changed, { commands, network }), []);
  await withChanges({ changes: [] }, refused);
  if (behind !== undefined) await withChanges({ changes: without }, refused);
  let more = "";
  await withChanges({ changes: [...without, ...behind ?? []] }, async (changed) => {
    assert.deepEqual(await successes(changed, { commands, network }), Object.keys(commands));
    if (kind !== undefined) more = `; ${await others(changed.rig, kind)}`;
  });
  return Object.keys(commands).join("; ") + more;
}

/** The processes of this machine, as `ps` lists them. */

import { need } from "./need.ts";
import { until } from "./until.ts";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly nice: number;
  readonly command: string;
}

/** Lists the processes that run; one that has ended and waits for its parent does not. */
export async function runningProcesses(): Promise<readonly ProcessRow[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-ww", "-o", "pid=,ppid=,ni=,stat=,args="] })
    .output();
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const [, pid, parent, nice, status, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.*)$/.exec(line) ??
      [];
    if (pid === undefined || status?.startsWith("Z")) return [];
    return [{ pid: Number(pid), parent: Number(parent), nice: Number(nice), command: command ?? "" }];
  });
}

/** Whose parent is one of `parents`, and whose command names `program`. */
export async function childrenOf(
  parents: readonly number[],
  program: string,
): Promise<readonly ProcessRow[]> {
  const all = await runningProcesses();
  return all.filter(({ parent, command }) => parents.includes(parent) && command.includes(program));
}

/** All that run below a process, its own children and theirs, whose command names `program`. */
export async function descendantsOf(pid: number, program: string): Promise<readonly ProcessRow[]> {
  const all = await runningProcesses();
  const below = (parents: readonly number[]): readonly ProcessRow[] => {
    const children = all.filter(({ parent }) => parents.includes(parent));
    return children.length === 0 ? [] : [...children, ...below(children.map((child) => child.pid))];
  };
  return below([pid]).filter(({ command }) => command.includes(program));
}

/** Waits until none of them runs any more. */
export async function untilGone(rows: readonly ProcessRow[]): Promise<void> {
  const pids = new Set(rows.map(({ pid }) => pid));
  const gone = async () => (await runningProcesses()).every(({ pid }) => !pids.has(pid));
  await until(gone, { what: `the end of ${rows.map(({ command }) => command).join(" and ")}` });
}

export function hasPs(purpose: string): boolean {
  try {
    new Deno.Command("ps", { args: ["-p", "1"], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return need(false, { what: "the program ps", for: purpose });
  }
}

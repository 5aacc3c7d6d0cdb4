/** Reads what the processes of a sandbox take, as the keeper sees them: they have numbers of their own inside. */

import type { Clock } from "../../runtime.ts";

interface TreeUsage {
  /** Memory that belongs to the processes alone, in KiB. */
  readonly memoryKib: number;
  /** Milliseconds of the processor, those of ended processes included. */
  readonly cpuMs: number;
  /** Milliseconds in which the first thread of each has waited for the processor; ended processes are not among them. */
  readonly queuedMs: number;
}

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;
const NANOSECONDS_PER_MS = 1e6;
/** Fields behind the name in brackets: own time, and that of ended children, each for programs and for the kernel. */
const TIME_FIELDS = [11, 12, 13, 14] as const;

/**
 * The first process of the sandbox that a started chain makes; undefined before it is there and after its end. The
 * chain waits outside of the container for what becomes `bwrap` in it.
 */
export function firstProcess(started: number): number | undefined {
  const [maker] = childrenOf(started, started);
  if (maker === undefined || readProc(`/proc/${maker}/comm`) !== "bwrap\n") return undefined;
  return childrenOf(maker, maker)[0];
}

function childrenOf(pid: number, thread: number | string): readonly number[] {
  const children = readProc(`/proc/${pid}/task/${thread}/children`).split(" ");
  return children.filter((child) => child !== "").map(Number);
}

/** Ends a sandbox, or what becomes one, with all of its processes; harmless when it has ended. */
export function endSandbox(started: Deno.ChildProcess, clock: Clock): void {
  endByChild(started, {
    clock,
    end: (maker) => {
      const first = firstProcess(started.pid);
      // The end of the sandbox's first process is the end of all, and the maker ends behind it.
      if (first !== undefined) return signal(first, "SIGKILL");
      // The system lets none of a group start another one while all of them are ended. The maker may lead none yet.
      signal(-maker, "SIGKILL");
      signal(maker, "SIGKILL");
    },
  });
}

/** Ends a holder, and with it all that runs in its container; harmless when it has ended. */
export function endHolder(started: Deno.ChildProcess, clock: Clock): void {
  endByChild(started, { clock, end: (first) => signal(first, "SIGKILL") });
  // Where this process ends before there is a child, that one ends with its input.
  started.stdin.close().catch(() => {
    // It has ended, and its pipe with it.
  });
}

interface EndByChild {
  readonly clock: Clock;
  /** Ends the child, by which the started process ends. */
  readonly end: (child: number) => void;
}

/**
 * Ends a started process by its child in the container, once there is one. If it were ended itself, first or in the
 * moment in which it makes the child, nobody would take note of the child's end but the first process of the machine,
 * which may do so late or never; and a container lasts until that is done for all of its processes.
 */
function endByChild(started: Deno.ChildProcess, { clock, end }: EndByChild): void {
  let hasEnded = false;
  started.status.then(() => {
    hasEnded = true;
  });
  const look = () => {
    // One that has ended has no number any more that is surely its own.
    if (hasEnded) return;
    const [child] = childrenOf(started.pid, started.pid);
    if (child === undefined) clock.after(0, look);
    else end(child);
  };
  look();
}

/** All processes of the sandbox of which `first` is the first process. */
export function treeUsage(first: number): TreeUsage {
  let [memoryKib, cpuMs, queuedMs] = [0, 0, 0];
  for (const folder of processFolders(first)) {
    memoryKib += ownKib(readProc(`${folder}/status`));
    cpuMs += spentMs(readProc(`${folder}/stat`));
    queuedMs += Number(readProc(`${folder}/schedstat`).split(" ")[1] ?? 0) / NANOSECONDS_PER_MS;
  }
  return { memoryKib, cpuMs, queuedMs };
}

/** Passes over a tree that grows while it is stopped: each sees what the processes seen before have started last. */
const MAX_PASSES = 50;

/** Stops all processes of a sandbox until they are continued. False where they multiply faster. */
export function stopTree(first: number): boolean {
  const stopped = new Set<number>();
  for (let [pass, quiet] = [0, 0]; pass < MAX_PASSES; pass++) {
    const running = descendants(first).filter((pid) => !stopped.has(pid));
    quiet = running.length === 0 ? quiet + 1 : 0;
    // One that changed its parent during a pass is seen in the next one.
    if (quiet === 2) return true;
    for (const pid of running) {
      signal(pid, "SIGSTOP");
      stopped.add(pid);
    }
  }
  return false;
}

export function continueTree(first: number): void {
  for (const pid of descendants(first)) signal(pid, "SIGCONT");
}

/** Sends a signal to a process, or with a negative number to a group; harmless where it has ended. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    // It has ended in this moment.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** By their numbers outside, `first` among them: parents before their children. */
export function descendants(first: number): readonly number[] {
  const found = [first];
  for (const pid of found) {
    for (const task of threadsOf(pid)) {
      found.push(...childrenOf(pid, task));
    }
  }
  return found;
}

function threadsOf(pid: number): readonly string[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => name);
  } catch (_error) {
    // It ends in this moment.
    return [];
  }
}

/** Whether a sandbox has a root of its own by now, so that what runs in it is its own. */
export const hasOwnRoot = (first: number): boolean => processFolders(first).length > 0;

/** The sandbox's own listing has all of its processes, and no other; none before it has a root of its own. */
function processFolders(first: number): readonly string[] {
  const root = `/proc/${first}/root`;
  const proc = `${root}/proc`;
  try {
    if (isHostRoot(Deno.statSync(`${root}/`))) return [];
    return [...Deno.readDirSync(proc)].filter(({ name }) => /^\d+$/.test(name)).map(({ name }) =>
      `${proc}/${name}`
    );
  } catch (_error) {
    // It ends in this moment.
    return [];
  }
}

function isHostRoot({ dev, ino }: Deno.FileInfo): boolean {
  const host = Deno.statSync("/");
  return dev === host.dev && ino === host.ino;
}

/**
 * Shared pages of programs count for nobody. Pages of shared memory count for each process that uses them: without
 * them such memory would be seen nowhere.
 */
function ownKib(status: string): number {
  let sum = 0;
  for (const [, kib] of status.matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm)) sum += Number(kib);
  return sum;
}

function spentMs(stat: string): number {
  const fields = stat.split(") ").at(-1)?.split(" ") ?? [];
  const ticks = TIME_FIELDS.reduce((sum, field) => sum + Number(fields[field]), 0);
  return Number.isNaN(ticks) ? 0 : ticks * TICK_MS;
}

/** A file below `/proc`; empty where the process has ended. */
export function readProc(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (_error) {
    // A process that ends between two looks has no file any more.
    return "";
  }
}

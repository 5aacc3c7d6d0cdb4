/** A child process: started at low priority, watched for time and memory, and ended by SIGKILL beyond its limits. */

import { constants, getPriority, setPriority } from "node:os";
import type { Cancel, Clock } from "../../runtime.ts";
import { CLOCK_FACTOR, type RunOutcome, UNCOUNTED_WAIT } from "./messages.ts";

interface WatchedChildOptions {
  /** Arguments that `deno` is run with. */
  readonly args: readonly string[];
  /** All of the environment that the child gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Resident and its own, in KiB. */
  readonly memoryKib: number;
  /** Niceness above the keeper's own; 19 is the lowest priority that there is. */
  readonly niceness: number;
  readonly clock: Clock;
}

/** Milliseconds. */
export interface TimeLeft {
  /** Time of the processor. */
  readonly cpuMs: number;
  readonly clockMs: number;
}

export interface ChildEnd {
  readonly outcome: RunOutcome;
  /** Text that it wrote on its standard error, cut. */
  readonly errorText: string;
}

const MAX_ERROR_BYTES = 16 * 1024;
const SETPRIV = "/usr/bin/setpriv";
/** How V8 ends a program whose heap is full. */
const heapSignals: ReadonlySet<string | null> = new Set(["SIGTRAP", "SIGABRT", "SIGILL"]);

/** Where the system has it, a child ends with the keeper, also when the keeper is killed. */
export const endsWithParent = isFile(SETPRIV);

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A command line that ends with its parent, however early that ends: from the first moment, or where it is gone already. */
export const endsWith = (parent: number, command: readonly string[]): readonly string[] => [
  ...[SETPRIV, "--pdeathsig", "KILL", "/bin/sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', String(parent)],
  ...command,
];

function spawn({ args, env, niceness }: WatchedChildOptions): Deno.ChildProcess {
  const program = [Deno.execPath(), ...args];
  const [command = "", ...rest] = endsWithParent ? endsWith(Deno.pid, program) : program;
  const child = new Deno.Command(command, {
    args: rest,
    env: { ...env, NO_COLOR: "1" },
    clearEnv: true,
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  yieldResources(child.pid, niceness);
  return child;
}

/** The gateway comes first: for the processor, and where the kernel is out of memory. */
function yieldResources(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW));
    if (Deno.build.os === "linux") Deno.writeTextFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch (_error) {
    // It has ended already, or the system does not let us: its limits hold all the same.
  }
}

export class WatchedChild {
  readonly #child: Deno.ChildProcess;
  readonly #options: WatchedChildOptions;
  #watch: Cancel;
  /** As `#elapsed` counts. */
  #deadline = Infinity;
  #queuedMs = 0;
  /** Milliseconds of the processor after which it is ended, where they are limited. */
  #cpuDeadline = Infinity;
  /** Why we have ended it. */
  #ended: RunOutcome | undefined;
  readonly #errorText: Promise<string>;

  /** Throws when the system does not start it. */
  constructor(options: WatchedChildOptions) {
    this.#options = options;
    this.#child = spawn(options);
    this.#errorText = readStart(this.#child.stderr);
    this.#watch = options.clock.after(0, this.#look);
  }

  get pid(): number {
    return this.#child.pid;
  }

  get stdin(): WritableStream<Uint8Array<ArrayBuffer>> {
    return this.#child.stdin;
  }

  get stdout(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#child.stdout;
  }

  /**
   * Milliseconds of the processor from now after which it is ended, where the system tells them, and
   * {@link CLOCK_FACTOR} times as many by the clock, which goes at a third of its speed while other programs have the processor.
   */
  limitTime(ms: number): void {
    this.#deadline = this.#elapsed() + CLOCK_FACTOR * ms;
    this.#cpuDeadline = (cpuMs(this.pid) ?? Infinity) + ms;
  }

  /** The rest of its limits. */
  get timeLeft(): TimeLeft {
    return {
      cpuMs: this.#cpuDeadline - (cpuMs(this.pid) ?? 0),
      clockMs: this.#deadline - this.#elapsed(),
    };
  }

  set timeLeft({ cpuMs: cpu, clockMs }: TimeLeft) {
    this.#cpuDeadline = (cpuMs(this.pid) ?? Infinity) + cpu;
    this.#deadline = this.#elapsed() + clockMs;
  }

  /** It has nothing to do any more: it may take its time, and `ms` of the processor's. */
  limitIdleWork(ms: number): void {
    this.#deadline = Infinity;
    this.#cpuDeadline = (cpuMs(this.pid) ?? Infinity) + ms;
  }

  /** Ends it at once, as `outcome`; harmless when it has ended. */
  kill(outcome: RunOutcome): void {
    if (this.#ended !== undefined) return;
    this.#ended = outcome;
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      // It has ended by itself in this moment.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Milliseconds by the clock; those in which it could have worked and other programs had the processor count a third. */
  #elapsed(): number {
    // One that has just ended has no file any more.
    this.#queuedMs = Math.max(this.#queuedMs, queuedMs(this.pid));
    return this.#options.clock.monotonic() - UNCOUNTED_WAIT * this.#queuedMs;
  }

  /** How it ended, once it has. */
  async end(): Promise<ChildEnd> {
    const [errorText, { code, signal }] = await Promise.all([this.#errorText, this.#child.status]);
    this.#watch();
    const own = code === 0 ? "done" : heapSignals.has(signal) ? "memory_limit" : "failed";
    return { outcome: this.#ended ?? own, errorText };
  }

  /** At every tick of the clock: each 50 ms. */
  readonly #look = (): void => {
    const { memoryKib: limit, clock } = this.#options;
    if (this.#deadline < Infinity && this.#elapsed() > this.#deadline) return this.kill("time_limit");
    if ((memoryKib(this.pid) ?? 0) > limit) return this.kill("memory_limit");
    if (this.#cpuDeadline < Infinity && (cpuMs(this.pid) ?? 0) > this.#cpuDeadline) {
      return this.kill("time_limit");
    }
    this.#watch = clock.after(0, this.#look);
  };
}

/**
 * Resident KiB of its own: pages of files, such as those of Deno's program, are shared with every other process.
 * Undefined where it has ended, or where the system does not say.
 */
function memoryKib(pid: number): number | undefined {
  const counted = [...readProc(pid, "status").matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return counted.length === 0 ? undefined : counted.reduce((sum, [, kib]) => sum + Number(kib), 0);
}

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;
/** Fields behind the name in brackets: the 14th and 15th of all are the processor's time for it and for its calls. */
const USER_FIELD = 11;

/** Milliseconds of the processor so far; undefined as above. */
function cpuMs(pid: number): number | undefined {
  const fields = readProc(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
  const ticks = Number(fields[USER_FIELD]) + Number(fields[USER_FIELD + 1]);
  return Number.isNaN(ticks) ? undefined : ticks * TICK_MS;
}

const NANOSECONDS_PER_MS = 1e6;

/** Milliseconds in which its first thread, which does its work, waited for the processor; 0 where the system does not say. */
function queuedMs(pid: number): number {
  const [, queued = "0"] = readProc(pid, "schedstat").split(" ");
  return Number(queued) / NANOSECONDS_PER_MS;
}

/** Empty where there is nothing to read. */
function readProc(pid: number, name: "stat" | "status" | "schedstat"): string {
  if (Deno.build.os !== "linux") return "";
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch (_error) {
    // A process that ends between two looks has no file any more.
    return "";
  }
}

/** All is read, the beginning kept. */
async function readStart(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (size < MAX_ERROR_BYTES) chunks.push(chunk);
    size += chunk.length;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES));
}

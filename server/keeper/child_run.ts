/** One run of a program: started with limits, watched, and ended by SIGKILL beyond them. */

import { setPriority } from "node:os";
import type { Cancel, Clock } from "../runtime.ts";
import type { RunOutcome } from "./messages.ts";
import type { Program } from "./programs.ts";

export interface ChildRunOptions {
  readonly program: Program;
  readonly input: Uint8Array<ArrayBuffer>;
  /** All of the environment that the program gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export interface RunResult {
  readonly outcome: RunOutcome;
  readonly output: Uint8Array<ArrayBuffer>;
  /** What the program wrote on its standard error, cut. */
  readonly errorText: string;
}

const MAX_ERROR_BYTES = 16 * 1024;
const PRIORITY = 10;
const SETPRIV = "/usr/bin/setpriv";
/** How V8 ends a program whose heap is full. */
const heapSignals: ReadonlySet<string | null> = new Set(["SIGTRAP", "SIGABRT", "SIGILL"]);

/** Where the system has it, a child ends with the keeper, also when the keeper is killed. */
const endsWithParent = isFile(SETPRIV);

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function spawn({ program, env }: ChildRunOptions): Deno.ChildProcess {
  const deno = Deno.execPath();
  const [command, before] = endsWithParent ? [SETPRIV, ["--pdeathsig", "KILL", deno]] : [deno, []];
  const child = new Deno.Command(command, {
    args: [...before, ...program.args],
    env: { ...env, NO_COLOR: "1" },
    clearEnv: true,
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  yieldResources(child.pid);
  return child;
}

/** The gateway comes first: for the processor, and where the kernel is out of memory. */
function yieldResources(pid: number): void {
  try {
    setPriority(pid, PRIORITY);
    if (Deno.build.os === "linux") Deno.writeTextFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch (_error) {
    // It has ended already, or the system does not let us: its limits hold all the same.
  }
}

/** Resident KiB; undefined where it has ended, or where the system does not say. */
function memoryKib(pid: number): number | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
    return kib === undefined ? undefined : Number(kib);
  } catch (_error) {
    // A process that ends between two looks has no file any more.
    return undefined;
  }
}

export class ChildRun {
  readonly #child: Deno.ChildProcess;
  readonly #options: ChildRunOptions;
  readonly #startedAt: number;
  #watch: Cancel;
  /** Why we have ended it. */
  #ended: RunOutcome | undefined;
  readonly result: Promise<RunResult>;

  /** Throws when the system does not start it. */
  constructor(options: ChildRunOptions) {
    this.#options = options;
    this.#child = spawn(options);
    this.#startedAt = options.clock.monotonic();
    this.#watch = options.clock.after(0, this.#look);
    this.result = this.#run();
  }

  get pid(): number {
    return this.#child.pid;
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

  /** At every tick of the clock: each 50 ms. */
  readonly #look = (): void => {
    const { program: { timeMs, memoryKib: limit }, clock } = this.#options;
    if (clock.monotonic() - this.#startedAt > timeMs) return this.kill("time_limit");
    if ((memoryKib(this.pid) ?? 0) > limit) return this.kill("memory_limit");
    this.#watch = clock.after(0, this.#look);
  };

  async #run(): Promise<RunResult> {
    const { program, input } = this.#options;
    const [output, errors] = await Promise.all([
      this.#collect(this.#child.stdout, program.outputBytes),
      this.#collect(this.#child.stderr, Infinity),
      send(this.#child.stdin, input),
    ]);
    const { code, signal } = await this.#child.status;
    this.#watch();
    const own = code === 0 ? "done" : heapSignals.has(signal) ? "memory_limit" : "failed";
    const outcome = this.#ended ?? own;
    return {
      outcome,
      output: outcome === "done" ? output : new Uint8Array(0),
      errorText: new TextDecoder().decode(errors.subarray(0, MAX_ERROR_BYTES)),
    };
  }

  /** Beyond `limit` the program is ended. Of an unlimited stream the start is kept. */
  async #collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, limit: number) {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > limit) this.kill("output_limit");
      else if (limit < Infinity || size - chunk.length < MAX_ERROR_BYTES) chunks.push(chunk);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }
}

/** A program that ends before it has read everything has its reasons. */
async function send(
  stdin: WritableStream<Uint8Array<ArrayBuffer>>,
  input: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(input);
    await writer.close();
  } catch (_error) {
    // The pipe is broken: its status says why.
  }
}

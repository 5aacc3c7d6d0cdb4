/** One program in a sandbox: started, fed, watched and ended by the keeper. */

import type { Clock } from "../../runtime.ts";
import type { BoxEnd } from "./box_messages.ts";
import { CutOutput } from "./box_output.ts";
import { type BoxProgramName, boxPrograms } from "./box_programs.ts";
import { BoxWatch, type ContainerMemory } from "./box_watch.ts";
import { endSandbox } from "./process_tree.ts";
import type { SandboxSessions } from "./sandbox_sessions.ts";

type Bytes = Uint8Array<ArrayBuffer>;
export type OutputName = "stdout" | "stderr";
export type OnOutput = (name: OutputName, bytes: Uint8Array) => Promise<void>;

/** A program, or a call of one that stays, while it runs. */
export interface RunningProgram {
  /** Hands bytes to the program; resolves when it has room for more. One that reads no more gets nothing. */
  write(bytes: Bytes, isLast: boolean): Promise<void>;
  /** Ends it with all of its processes; harmless when it has ended. */
  kill(limit?: BoxEnd["limit"]): void;
  readonly ended: Promise<BoxEnd>;
}

interface BoxRunOptions {
  readonly chain: readonly string[];
  readonly program: BoxProgramName;
  /** Milliseconds of the processor; four times as many by the clock. */
  readonly timeMs: number;
  readonly memory: ContainerMemory;
  readonly sessions: SandboxSessions;
  readonly clock: Clock;
  readonly onOutput: OnOutput;
}

export const ERROR_BYTES = 1024 * 1024;

export class BoxRun implements RunningProgram {
  readonly #options: BoxRunOptions;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Bytes>;
  readonly #watch: BoxWatch;
  /** The limit at which it was ended. */
  #limit: BoxEnd["limit"];
  readonly ended: Promise<BoxEnd>;

  /** Throws where the system does not start it. */
  constructor(options: BoxRunOptions) {
    this.#options = options;
    this.#child = startBox(options.chain);
    this.#input = this.#child.stdin.getWriter();
    this.#watch = new BoxWatch({
      ...options,
      bwrap: this.#child.pid,
      onLimit: (limit) => this.kill(limit),
    });
    this.ended = this.#run();
  }

  async write(bytes: Bytes, isLast: boolean): Promise<void> {
    try {
      if (bytes.length > 0) await this.#input.write(bytes);
      if (isLast) await this.#input.close();
    } catch (_error) {
      // The pipe is broken: its status says why.
    }
  }

  kill(limit: BoxEnd["limit"] = "stopped"): void {
    this.#limit ??= limit;
    endSandbox(this.#child, this.#options.clock);
  }

  async #run(): Promise<BoxEnd> {
    const { program } = this.#options;
    const { outputBytes, cutsMiddle } = boxPrograms[program];
    const [{ code }] = await Promise.all([
      this.#child.status,
      cutsMiddle ? this.#cut("stdout", outputBytes) : this.#pass(outputBytes),
      this.#cut("stderr", ERROR_BYTES),
    ]);
    this.#watch.end();
    return this.#limit === undefined ? { code } : { code, limit: this.#limit };
  }

  /** Reads everything, and tells what is kept at the end. */
  async #cut(name: OutputName, limit: number): Promise<void> {
    const output = new CutOutput(limit);
    for await (const chunk of this.#child[name]) output.add(chunk);
    await this.#options.onOutput(name, output.bytes);
  }

  /** Tells everything as it comes. */
  async #pass(limit: number): Promise<void> {
    let size = 0;
    for await (const chunk of this.#child.stdout) {
      size += chunk.length;
      if (size > limit) this.kill("output");
      else await this.#options.onOutput("stdout", chunk);
    }
  }
}

/** Nothing of this process's environment goes along; the started process leads a session and a group of its own. */
export const PIPED = {
  clearEnv: true,
  env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
  cwd: "/",
  detached: true,
  stdin: "piped",
  stdout: "piped",
  stderr: "piped",
} as const;

/** Throws where the system does not start it. */
export function startBox([command = "", ...args]: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(command, { ...PIPED, args }).spawn();
}

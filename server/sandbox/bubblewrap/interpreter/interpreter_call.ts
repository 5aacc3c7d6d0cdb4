/** One call of an interpreter that stays: its code, its output within the limits, and its end. */

import type { Clock } from "../../../runtime.ts";
import type { BoxEnd } from "../box_messages.ts";
import { CutOutput } from "../box_output.ts";
import { boxPrograms } from "../box_programs.ts";
import { ERROR_BYTES, type OnOutput, type OutputName, type RunningProgram } from "../box_run.ts";
import { BoxWatch, type ContainerMemory } from "../box_watch.ts";
import type { InterpreterRequest } from "./interpreter_program.ts";
import type { SandboxSessions } from "../sandbox_sessions.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface InterpreterCallOptions {
  readonly isNew: boolean;
  readonly bwrap: number;
  /** Milliseconds of the processor; four times as many by the clock. */
  readonly timeMs: number;
  /** Bytes of the first part that a new interpreter begins with. */
  readonly stateBytes: number;
  readonly memory: ContainerMemory;
  readonly sessions: SandboxSessions;
  readonly clock: Clock;
  readonly onOutput: OnOutput;
  readonly begin: (state: Bytes) => Promise<void>;
  readonly send: (request: InterpreterRequest, body?: Bytes) => Promise<void>;
  /** Ends the interpreter. */
  readonly kill: () => void;
}

/** Milliseconds of the processor that code has for its own end, once it was interrupted. */
const GRACE_MS = 300;

export class InterpreterCall implements RunningProgram {
  readonly #options: InterpreterCallOptions;
  readonly #outputs = {
    stdout: new CutOutput(boxPrograms.python.outputBytes),
    stderr: new CutOutput(ERROR_BYTES),
  };
  readonly #done = Promise.withResolvers<BoxEnd>();
  #watch: BoxWatch;
  #hasBegun = false;
  #limit: BoxEnd["limit"];
  /** Status that the interpreter had when it ended. */
  #crashCode: number | undefined;
  readonly ended: Promise<BoxEnd> = this.#done.promise;

  constructor(options: InterpreterCallOptions) {
    this.#options = options;
    this.#watch = this.#watchFor(options.timeMs);
  }

  async write(bytes: Bytes, isLast: boolean): Promise<void> {
    const { begin, send, stateBytes } = this.#options;
    try {
      if (!this.#hasBegun) await begin(bytes.subarray(0, stateBytes));
      await send({ type: "code" }, bytes.subarray(this.#hasBegun ? 0 : stateBytes));
      this.#hasBegun = true;
      if (isLast) await send({ type: "run" });
    } catch (_error) {
      // The pipe is broken: the interpreter's end says why.
    }
  }

  kill(limit: BoxEnd["limit"] = "stopped"): void {
    this.#limit ??= limit;
    this.#options.kill();
  }

  add(name: OutputName, bytes: Bytes): void {
    this.#outputs[name].add(bytes);
  }

  /** The interpreter ends: its processes are waited for. */
  crashed(code: number): void {
    this.#crashCode = code;
  }

  async finish(code: number): Promise<void> {
    const { isNew, onOutput } = this.#options;
    this.#watch.end();
    await onOutput("stdout", this.#outputs.stdout.bytes);
    await onOutput("stderr", this.#outputs.stderr.bytes);
    this.#done.resolve({ code: this.#crashCode ?? code, limit: this.#limit, isNew });
  }

  #watchFor(timeMs: number): BoxWatch {
    return new BoxWatch({ ...this.#options, timeMs, onLimit: (limit) => this.#reach(limit) });
  }

  /** At the end of its time it may end by itself. */
  #reach(limit: "time" | "memory"): void {
    if (limit === "memory" || this.#limit !== undefined) return this.kill(limit);
    this.#limit = limit;
    this.#watch = this.#watchFor(GRACE_MS);
    this.#options.send({ type: "interrupt" }).catch(() => {
      // The pipe is broken: the interpreter's end says why.
    });
  }
}

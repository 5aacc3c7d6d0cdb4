/** A program that stays: it gets frames and sends frames, until it ends or is ended. */

import type { Clock } from "../../runtime.ts";
import { FrameError, FrameReader, FrameWriter, streamReader } from "./frames.ts";
import { betweenFrames, MAX_UNCOUNTED_MS, type RunOutcome, UNCOUNTED_REACH } from "./messages.ts";
import type { SessionProgram, SessionProgramOptions } from "./programs.ts";
import { type ChildEnd, type TimeLeft, WatchedChild } from "./watched_child.ts";
import * as z from "zod";

interface ChildSessionOptions extends SessionProgramOptions {
  readonly program: SessionProgram;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Gets the program's frames. */
  readonly onFrame: (header: FrameHeader, body: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Called when the program has to start Python without its start memory. */
  readonly onNoStartMemory: () => void;
}

const headerSchema = z.record(z.string(), z.unknown());
type FrameHeader = z.output<typeof headerSchema>;

interface SentFrame {
  readonly header: FrameHeader;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Time limit of the processor until it is answered, in ms. */
  readonly timeMs: number | undefined;
}

/** As JSON: the gateway takes a frame with a longer header for a broken keeper. */
const MAX_HEADER_CHARS = 1_024;

/** Throws for what is no header, and for one that is longer than any of ours. */
function parseHeader(value: unknown): FrameHeader {
  const header = headerSchema.parse(value);
  if (JSON.stringify(header).length > MAX_HEADER_CHARS) throw new FrameError("A header is too long");
  return header;
}

const KIB_PER_MIB = 1024;
/**
 * A session refuses what does not fit into its memory. It is ended where it takes so many times as much: what the
 * engine needs for a moment, until it has collected what is unused, does not end it.
 */
const MEMORY_REACH = 1.25;

const uncountedTime: TimeLeft = { cpuMs: UNCOUNTED_REACH * MAX_UNCOUNTED_MS, clockMs: 600_000 };
const noTime: TimeLeft = { cpuMs: 0, clockMs: 0 };

export class ChildSession {
  readonly #child: WatchedChild;
  readonly #frames: FrameWriter;
  readonly #options: ChildSessionOptions;
  /** How it ended. */
  readonly result: Promise<ChildEnd>;
  /** Whether it has sent its first frame. */
  hasStarted = false;
  /** Time for work that does not count, until the program answers. */
  #uncountedLeft = noTime;
  /** The rest of the program's time while it does such work; undefined while its time counts. */
  #waitingTime: TimeLeft | undefined;

  /** Throws when the system does not start it. */
  constructor(options: ChildSessionOptions) {
    const { program, memoryMib, env, clock } = options;
    this.#options = options;
    this.#child = new WatchedChild({
      args: program.args(options),
      env,
      memoryKib: memoryMib * KIB_PER_MIB * MEMORY_REACH,
      niceness: program.niceness,
      clock,
    });
    this.#child.limitTime(program.startMs);
    this.#frames = new FrameWriter(this.#child.stdin);
    this.result = this.#listen();
  }

  /** Ends it at once, as `outcome`; harmless when it has ended. */
  kill(outcome: RunOutcome): void {
    this.#child.kill(outcome);
  }

  send({ header, body, timeMs }: SentFrame): void {
    if (timeMs !== undefined) {
      this.#child.limitTime(timeMs);
      this.#uncountedLeft = uncountedTime;
      this.#waitingTime = undefined;
    }
    this.#frames.write(header, body).catch(() => {
      // The pipe is broken: its end says why.
    });
  }

  /** Within bounds: a program that was taken over must not have time without an end. */
  #leaveUncounted(): void {
    if (this.#waitingTime !== undefined) return;
    this.#waitingTime = this.#child.timeLeft;
    this.#child.timeLeft = this.#uncountedLeft;
  }

  #countAgain(): void {
    if (this.#waitingTime === undefined) return;
    this.#uncountedLeft = this.#child.timeLeft;
    this.#child.timeLeft = this.#waitingTime;
    this.#waitingTime = undefined;
  }

  #rest(): void {
    this.#child.limitIdleWork(this.#options.program.idleWorkMs);
    this.#uncountedLeft = noTime;
    this.#waitingTime = undefined;
  }

  async #listen(): Promise<ChildEnd> {
    const frames = new FrameReader(streamReader(this.#child.stdout));
    try {
      for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
        const header = parseHeader(frame.header);
        this.hasStarted = true;
        if (!betweenFrames.has(header.type)) this.#rest();
        if (header.type === "uncounted") this.#leaveUncounted();
        else if (header.type === "counted") this.#countAgain();
        else if (header.type === "no_start_memory") this.#options.onNoStartMemory();
        else await this.#options.onFrame(header, frame.body);
      }
    } catch (_error) {
      // What it says makes no sense: it is broken, or was taken over by what it runs.
      this.kill("failed");
    }
    await this.#frames.close();
    return await this.#child.end();
  }
}

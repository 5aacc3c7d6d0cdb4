/**
 * Watches what runs in a sandbox: its time, and its memory with that of the container's files; and makes it give way to
 * the gateway.
 */

import { statfsSync } from "node:fs";
import type { Cancel, Clock } from "../../runtime.ts";
import { CLOCK_FACTOR, UNCOUNTED_WAIT } from "../keeper/messages.ts";
import { firstProcess, treeUsage } from "./process_tree.ts";
import type { SandboxSessions } from "./sandbox_sessions.ts";

/** Memory of a container besides that of what runs. */
export interface ContainerMemory {
  /** Limit for all processes together and the files that the container holds in memory, in KiB. */
  readonly limitKib: number;
  /** Folder that the container's files are mounted on, as this process sees it. */
  readonly files: string;
  /** KiB of an interpreter that rests meanwhile. */
  readonly restingKib: () => number;
  /** Ends it: what runs has the first claim. */
  readonly endResting: () => void;
}

interface BoxWatchOptions {
  /** Process that has made the sandbox. */
  readonly bwrap: number;
  /**
   * Milliseconds of the processor from now on; {@link CLOCK_FACTOR} times as many by the clock, which goes at a third of
   * its speed while other programs have the processor.
   */
  readonly timeMs: number;
  readonly memory: ContainerMemory;
  /** Shared by all sandboxes. */
  readonly sessions: SandboxSessions;
  readonly clock: Clock;
  /** Called once, at the first limit that is reached. */
  readonly onLimit: (limit: "time" | "memory") => void;
}

const BYTES_PER_KIB = 1024;

export class BoxWatch {
  readonly #options: BoxWatchOptions;
  readonly #cpuEnd: number;
  /** Milliseconds that the clock may still count. */
  #clockLeft: number;
  #lookedAt: number;
  /** As at the last look. */
  #queuedMs: number;
  #cancel: Cancel;

  constructor(options: BoxWatchOptions) {
    const { clock, timeMs } = options;
    this.#options = options;
    const { cpuMs, queuedMs } = this.#usage();
    this.#cpuEnd = cpuMs + timeMs;
    this.#clockLeft = CLOCK_FACTOR * timeMs;
    this.#lookedAt = clock.monotonic();
    this.#queuedMs = queuedMs;
    this.#cancel = clock.after(0, this.#look);
  }

  end(): void {
    this.#cancel();
    this.#options.sessions.leave(this.#options.bwrap);
  }

  /** At every tick of the clock: each 50 ms. */
  readonly #look = (): void => {
    const { clock, onLimit } = this.#options;
    const { cpuMs, memoryKib, queuedMs } = this.#usage();
    this.#countClock(queuedMs);
    if (cpuMs > this.#cpuEnd || this.#clockLeft < 0) return onLimit("time");
    if (!this.#fits(memoryKib)) return onLimit("memory");
    this.#cancel = clock.after(0, this.#look);
  };

  /** Processes that wait beside each other count as one. */
  #countClock(queuedMs: number): void {
    const now = this.#options.clock.monotonic();
    const passed = now - this.#lookedAt;
    const waited = Math.min(Math.max(queuedMs - this.#queuedMs, 0), passed);
    this.#clockLeft -= passed - UNCOUNTED_WAIT * waited;
    this.#lookedAt = now;
    this.#queuedMs = queuedMs;
  }

  #usage(): ReturnType<typeof treeUsage> {
    const { bwrap, sessions } = this.#options;
    const first = firstProcess(bwrap);
    if (first === undefined) return { memoryKib: 0, cpuMs: 0, queuedMs: 0 };
    sessions.giveWay(bwrap, first);
    return treeUsage(first);
  }

  #fits(usedKib: number): boolean {
    const { limitKib, files, restingKib, endResting } = this.#options.memory;
    const used = usedKib + filesKib(files);
    if (used + restingKib() <= limitKib) return true;
    endResting();
    return used <= limitKib;
  }
}

function filesKib(folder: string): number {
  try {
    const { bsize, blocks, bfree } = statfsSync(folder);
    return (blocks - bfree) * bsize / BYTES_PER_KIB;
  } catch (_error) {
    // Their holder ends in this moment, and all with it.
    return 0;
  }
}

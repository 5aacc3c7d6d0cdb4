/**
 * Watches what runs in a sandbox: its time, and its memory with that of the container's files; and makes it give way to
 * the gateway.
 */

import { statfsSync } from "node:fs";
import type { Cancel, Clock } from "../../runtime.ts";
import { CLOCK_FACTOR } from "../keeper/messages.ts";
import { firstProcess, giveWay, treeUsage } from "./process_tree.ts";

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
  /** Milliseconds of the processor from now on; {@link CLOCK_FACTOR} times as many by the clock. */
  readonly timeMs: number;
  readonly memory: ContainerMemory;
  readonly clock: Clock;
  /** Called once, at the first limit that is reached. */
  readonly onLimit: (limit: "time" | "memory") => void;
}

const BYTES_PER_KIB = 1024;

export class BoxWatch {
  readonly #options: BoxWatchOptions;
  readonly #cpuEnd: number;
  readonly #clockEnd: number;
  #cancel: Cancel;

  constructor(options: BoxWatchOptions) {
    const { clock, timeMs } = options;
    this.#options = options;
    this.#cpuEnd = this.#usage().cpuMs + timeMs;
    this.#clockEnd = clock.monotonic() + CLOCK_FACTOR * timeMs;
    this.#cancel = clock.after(0, this.#look);
  }

  end(): void {
    this.#cancel();
  }

  /** At every tick of the clock: each 50 ms. */
  readonly #look = (): void => {
    const { clock, onLimit } = this.#options;
    const { cpuMs, memoryKib } = this.#usage();
    if (cpuMs > this.#cpuEnd || clock.monotonic() > this.#clockEnd) return onLimit("time");
    if (!this.#fits(memoryKib)) return onLimit("memory");
    this.#cancel = clock.after(0, this.#look);
  };

  #usage(): ReturnType<typeof treeUsage> {
    const first = firstProcess(this.#options.bwrap);
    if (first === undefined) return { memoryKib: 0, cpuMs: 0 };
    giveWay(first);
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

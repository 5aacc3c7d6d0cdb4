/**
 * Gives back at the end what was taken, in the opposite order. Nothing of it keeps the rest from its turn: neither
 * what fails nor what does not end.
 */

import { endsWithin } from "../../shared/util/within.ts";
import type { Clock, Runtime } from "../runtime.ts";

/** Milliseconds that all closers without a time of their own may take together, where the process runs. */
export const COMMON_END_MS = 1_500;
/** Between two looks at the time. */
const STEP_MS = 50;
/** Milliseconds that count of a step at most: where it takes longer, the process has waited for the processor. */
const MOST_COUNTED_MS = 150;

interface Closer {
  /** For the log. */
  readonly name: string;
  readonly close: () => Promise<unknown>;
  /** A time of its own, ms. */
  readonly ms?: number;
}

export class CleanupStack {
  readonly #runtime: Pick<Runtime, "clock" | "log">;
  readonly #closers: Closer[] = [];

  constructor(runtime: Pick<Runtime, "clock" | "log">) {
    this.#runtime = runtime;
  }

  push(closer: Closer): void {
    this.#closers.unshift(closer);
  }

  /** The names of those that have failed, or not ended while others did. Does not throw. */
  async close(): Promise<readonly string[]> {
    const { clock, log } = this.#runtime;
    const closers = this.#closers.splice(0);
    const common = new CommonTime(clock);
    // deno-lint-ignore tollgate/kept-promises -- none of them rejects
    const open = new Map<Closer, Promise<void>>();
    const failed = new Set<Closer>();
    for (const closer of closers) {
      const ending = this.#hasEnded(closer).then((hasEnded) => {
        open.delete(closer);
        if (!hasEnded) failed.add(closer);
      });
      open.set(closer, ending);
      await endsWithin(ending, { clock, ms: closer.ms ?? 0 });
      if (closer.ms !== undefined) common.add(closer.ms);
      await common.wait(() => [...open].flatMap(([{ ms }, ending]) => ms === undefined ? [ending] : []));
    }
    for (const { name } of open.keys()) log.error("Cannot wait any longer for the end of a part", { name });
    return closers.filter((closer) => open.has(closer) || failed.has(closer)).map(({ name }) => name);
  }

  async #hasEnded({ name, close }: Closer): Promise<boolean> {
    try {
      await close();
      return true;
    } catch (error) {
      this.#runtime.log.error("Cannot end a part", { name, error: String(error) });
      return false;
    }
  }
}

/**
 * Time of closers that have none of their own. Where the process waits for the processor it lasts longer by the clock:
 * as long as the closers before have left of their times.
 */
class CommonTime {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  #countedMs = 0;
  /** Monotonic ms. */
  #end: number;

  constructor(clock: Pick<Clock, "monotonic" | "after">) {
    this.#clock = clock;
    this.#end = clock.monotonic() + COMMON_END_MS;
  }

  /** Adds the time of a closer that has had its turn. */
  add(ms: number): void {
    this.#end += ms;
  }

  /** Waits for these as long as there is time. */
  async wait(endings: () => readonly Promise<void>[]): Promise<void> {
    const clock = this.#clock;
    for (let open = endings(); open.length > 0; open = endings()) {
      const begun = clock.monotonic();
      const ms = Math.min(STEP_MS, COMMON_END_MS - this.#countedMs, this.#end - begun);
      if (ms <= 0) return;
      await endsWithin(Promise.all(open), { clock, ms });
      this.#countedMs += Math.min(MOST_COUNTED_MS, clock.monotonic() - begun);
    }
  }
}

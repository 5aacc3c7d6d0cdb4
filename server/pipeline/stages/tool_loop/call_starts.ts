/** Which calls of a turn run at the same time. */

import type { ServerCall } from "../../tools/call_items.ts";

/** Calls of one turn that run at the same time, and those of them that run models. */
const MOST_AT_ONCE = 16;
const MOST_RUNS_AT_ONCE = 8;

interface CallStartsOptions {
  /** One after the other. */
  readonly areAlone: boolean;
}

const runsModels = ({ tool: { definition } }: ServerCall): boolean => definition.innerTools !== undefined;

export class CallStarts {
  readonly #mostAtOnce: number;
  #waiting: readonly ServerCall[];
  readonly #running = new Set<ServerCall>();

  constructor(calls: readonly ServerCall[], { areAlone }: CallStartsOptions) {
    this.#mostAtOnce = areAlone ? 1 : MOST_AT_ONCE;
    this.#waiting = calls;
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#running.size > 0;
  }

  /** The calls that begin now, in their order; one that waits for others of its kind holds nobody up. */
  next(): readonly ServerCall[] {
    const begun = this.#waiting.filter((call) => {
      if (!this.#hasRoomFor(call)) return false;
      this.#running.add(call);
      return true;
    });
    this.#waiting = this.#waiting.filter((call) => !this.#running.has(call));
    return begun;
  }

  end(call: ServerCall): void {
    this.#running.delete(call);
  }

  #hasRoomFor(call: ServerCall): boolean {
    if (this.#running.size >= this.#mostAtOnce) return false;
    return !runsModels(call) || [...this.#running].filter(runsModels).length < MOST_RUNS_AT_ONCE;
  }
}

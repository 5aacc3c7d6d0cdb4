/** Waits for turns of the event loop, in each of which the runtime looks at what the network has brought. */

import { clearTimeout, setTimeout } from "node:timers";

/** Hands items on two turns after they were added, by one timer however many wait. */
export class TwoTurnsLater<Item> {
  readonly #run: (item: Item) => void;
  /** Added since the last turn. */
  #added: Item[] = [];
  /** One turn has passed. */
  #waiting: Item[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(run: (item: Item) => void) {
    this.#run = run;
  }

  add(item: Item): void {
    this.#added.push(item);
    if (this.#timer === undefined) this.#next();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#added = [];
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * A quiet runtime comes to an immediate within a microsecond, before what was sent already can be here. For the
   * shortest time it waits for the network.
   */
  #next(): void {
    // deno-lint-ignore tollgate/clock-only-in-runtime -- no deadline: the shortest time in which the runtime does nothing else
    this.#timer = setTimeout(this.#turn, 0);
  }

  readonly #turn = (): void => {
    const due = this.#waiting;
    this.#waiting = this.#added;
    this.#added = [];
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#next();
    for (const item of due) this.#run(item);
  };
}

export function twoTurns(): Promise<void> {
  return new Promise((resolve) => new TwoTurnsLater<void>(resolve).add());
}

/** Waits for turns of the event loop, in each of which the runtime looks at what the network has brought. */

import { afterPause } from "../../../shared/util/pause.ts";

/** Hands items on two turns after they were added, by one timer however many wait. */
export class TwoTurnsLater<Item> {
  readonly #run: (item: Item) => void;
  /** Added since the last turn. */
  #added: Item[] = [];
  /** One turn has passed. */
  #waiting: Item[] = [];
  /** Calls off the next turn, if there is to be one. */
  #cancel: (() => void) | undefined;

  constructor(run: (item: Item) => void) {
    this.#run = run;
  }

  add(item: Item): void {
    this.#added.push(item);
    this.#cancel ??= afterPause(this.#turn);
  }

  /** Forgets what waits. */
  clear(): void {
    this.#added = [];
    this.#waiting = [];
    this.#cancel?.();
    this.#cancel = undefined;
  }

  readonly #turn = (): void => {
    const due = this.#waiting;
    this.#waiting = this.#added;
    this.#added = [];
    this.#cancel = this.#waiting.length > 0 ? afterPause(this.#turn) : undefined;
    for (const item of due) this.#run(item);
  };
}

export function twoTurns(): Promise<void> {
  return new Promise((resolve) => new TwoTurnsLater<void>(resolve).add());
}

/** Something that happens once at most: the client disconnects, the gateway stops. */

import { LinkedList } from "../shared/util/linked_list.ts";

/** Says once that something is over, such as a client that has left. Listeners run once, at once where it is over already. */
export interface CancelSignal {
  readonly fired: boolean;
  onFire(run: () => void): () => void;
}

export class OneShotSignal implements CancelSignal {
  #gone = false;
  #listeners = new LinkedList<() => void>();

  get fired(): boolean {
    return this.#gone;
  }

  onFire(run: () => void): () => void {
    const listeners = this.#listeners;
    const place = listeners.add(run);
    if (this.#gone && listeners.remove(place)) run();
    return () => {
      listeners.remove(place);
    };
  }

  /** It happens: tells everyone who listens at this moment, once, in their order. */
  fire(): void {
    if (this.#gone) return;
    this.#gone = true;
    const listeners = this.#listeners.all();
    this.#listeners = new LinkedList();
    for (const run of listeners) run();
  }
}

/** Something that happens once at most: the client leaves, the gateway stops. */

import { OpenList } from "../../shared/util/linked_list.ts";
import type { Hangup } from "./request_context.ts";

export class Once implements Hangup {
  #gone = false;
  #listeners = new OpenList<() => void>();

  get gone(): boolean {
    return this.#gone;
  }

  on(run: () => void): () => void {
    const listeners = this.#listeners;
    const place = listeners.enter(run);
    if (this.#gone && listeners.leave(place)) run();
    return () => {
      listeners.leave(place);
    };
  }

  /** It happens: tells everyone who listens at this moment, once, in their order. */
  fire(): void {
    if (this.#gone) return;
    this.#gone = true;
    const told = this.#listeners.all();
    this.#listeners = new OpenList();
    for (const run of told) run();
  }
}

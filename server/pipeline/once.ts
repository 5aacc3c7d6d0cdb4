/** Something that happens once at most: the client leaves, the gateway stops. */

import type { Hangup } from "./turn.ts";

export class Once implements Hangup {
  #gone = false;
  readonly #listeners = new Set<() => void>();

  get gone(): boolean {
    return this.#gone;
  }

  on(run: () => void): () => void {
    if (this.#gone) run();
    else this.#listeners.add(run);
    return () => {
      this.#listeners.delete(run);
    };
  }

  /** It happens: tells everyone, once. */
  fire(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const run of [...this.#listeners]) run();
    this.#listeners.clear();
  }
}

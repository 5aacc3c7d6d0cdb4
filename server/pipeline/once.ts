/** Something that happens once at most: the client leaves, the gateway stops. */

import type { Hangup } from "./turn.ts";

/** In a ring with those before and after it; alone in a ring of its own once it is taken out. */
class Listener {
  readonly run: () => void;
  before: Listener = this;
  after: Listener = this;

  constructor(run: () => void) {
    this.run = run;
  }

  insertBefore(other: Listener): void {
    this.before = other.before;
    this.after = other;
    this.before.after = this;
    other.before = this;
  }

  takeOut(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }
}

/** Every call listens and stops listening, so both are a few assignments: a set grows and is built anew all the time. */
export class Once implements Hangup {
  #gone = false;
  /** Between the last listener and the first. */
  readonly #gap = new Listener(() => {});

  get gone(): boolean {
    return this.#gone;
  }

  on(run: () => void): () => void {
    const listener = new Listener(run);
    if (this.#gone) run();
    else listener.insertBefore(this.#gap);
    return () => listener.takeOut();
  }

  /** It happens: tells everyone who listens at this moment, once, in their order. */
  fire(): void {
    if (this.#gone) return;
    this.#gone = true;
    const told: Listener[] = [];
    for (let one = this.#gap.after; one !== this.#gap; one = one.after) told.push(one);
    this.#gap.takeOut();
    for (const { run } of told) run();
  }
}

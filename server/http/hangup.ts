/** Notices that the client has left. */

import type { Hangup } from "../pipeline/turn.ts";
import type { Cancel, Clock } from "../world.ts";

/** Touching `req.signal` costs a fifth of the throughput (hot-path.md §3), so it waits for the slow requests. */
const ATTACH_AFTER_MS = 50;

export class ClientHangup implements Hangup {
  #gone = false;
  readonly #listeners = new Set<() => void>();
  #cancel: Cancel = () => {};

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

  /** The client has left: tells everyone, once. */
  fire(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const run of [...this.#listeners]) run();
    this.#listeners.clear();
  }

  /** Watches the request until the response is returned; from then on only the stream's `cancel()` is reliable. */
  watch(request: Request, clock: Clock): void {
    const left = () => this.fire();
    this.#cancel = clock.after(ATTACH_AFTER_MS, () => {
      if (request.signal.aborted) return left();
      request.signal.addEventListener("abort", left);
      this.#cancel = () => request.signal.removeEventListener("abort", left);
    });
  }

  /** The response is on its way. */
  unwatch(): void {
    this.#cancel();
  }
}

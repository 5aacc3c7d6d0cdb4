/**
 * Notices that the client has left, as far as Deno tells: ARCHITECTURE.md, "How a stream is built", says of which
 * requests it does so late.
 */

import { Once } from "../pipeline/once.ts";
import type { Cancel, Clock } from "../world.ts";

/** Touching `req.signal` costs a fifth of the throughput (hot-path.md §3), so it waits for the slow requests. */
const ATTACH_AFTER_MS = 50;

export class ClientHangup extends Once {
  #cancel: Cancel = () => {};

  /** Watches the request until the response is returned; from then on only the stream's `cancel()` is reliable. */
  watch(request: Request, clock: Clock): void {
    const left = () => this.fire();
    this.#cancel = clock.after(ATTACH_AFTER_MS, () => {
      if (request.signal.aborted) return left();
      request.signal.addEventListener("abort", left);
      const unlisten = () => request.signal.removeEventListener("abort", left);
      this.#cancel = unlisten;
    });
  }

  /** The response is on its way. */
  unwatch(): void {
    this.#cancel();
  }
}

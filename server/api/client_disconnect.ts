/** Notices that the client has disconnected. */

import type { ClientRequest } from "../http/http_server/incoming_request.ts";
import { OneShotSignal } from "../one_shot_signal.ts";
import type { Cancel, Clock } from "../runtime.ts";

/** Touching `req.signal` costs a fifth of the throughput, so it waits for the slow requests. */
const ATTACH_AFTER_MS = 50;

export class ClientDisconnect extends OneShotSignal {
  #cancel: Cancel = () => {};

  /** Watches the request until the response is returned; from then on its body's `cancel()` tells. */
  watch(request: ClientRequest, clock: Clock): void {
    const left = () => this.fire();
    if ("onDisconnect" in request) {
      this.#cancel = request.onDisconnect(left);
      return;
    }
    // What a platform hands in: http/http_server/README.md says of which requests it hears late.
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

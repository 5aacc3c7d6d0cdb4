/**
 * The requests of a connection that wait for an answer. The client's own promises wait for ever where a stream breaks
 * off; these reject.
 */

import type { Clock } from "../../runtime.ts";
import { toMcpError } from "./failed_request.ts";

/** Milliseconds for an answer that was read to be taken, once its stream has ended. */
const GRACE_MS = 100;

/** Names the request in a header that no server sees. */
export const PENDING_HEADER = "x-pending-request";

interface Waiting {
  readonly reject: (error: unknown) => void;
  failure?: unknown;
  cancel?: () => void;
}

export class PendingRequests {
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Map<string, Waiting>();
  #last = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** A request came to nothing. Without its name all that wait did. */
  fail(failure: unknown, name: string | null): void {
    for (const [own, waiting] of this.#waiting) {
      if (name !== null && own !== name) continue;
      waiting.failure ??= failure;
      waiting.reject(failure);
    }
  }

  /** The whole answer to a request has been read. */
  end(name: string | null): void {
    const waiting = this.#waiting.get(name ?? "");
    if (waiting === undefined) return;
    waiting.cancel = this.#clock.after(
      GRACE_MS,
      () => waiting.reject(new Error("The answer's stream has ended")),
    );
  }

  /** Rejects with an McpError, or with the signal's reason as soon as it fires, whatever becomes of the work. */
  async run<T>(signal: AbortSignal, work: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const waiting: Waiting = { reject };
    const name = String(this.#last++);
    this.#waiting.set(name, waiting);
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const working = work({ [PENDING_HEADER]: name });
    working.catch(() => {
      // Those who wait hear of it by the race.
    });
    try {
      return await Promise.race([working, promise]);
    } catch (error) {
      signal.throwIfAborted();
      throw toMcpError(error, waiting.failure);
    } finally {
      waiting.cancel?.();
      this.#waiting.delete(name);
      signal.removeEventListener("abort", abort);
    }
  }
}

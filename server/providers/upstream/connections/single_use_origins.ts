/** Origins that have sent bytes which nobody asked for: each connection to one of them carries one request. */

import type { Clock, Logger } from "../../../runtime.ts";

interface SingleUseOptions {
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** Milliseconds for which connections are used once, from the last byte on that nobody asked for. */
export const SINGLE_USE_MS = 600_000;

export class SingleUseOrigins {
  readonly #options: SingleUseOptions;
  /** Monotonic ms at which connections may be used again, by origin. */
  readonly #until = new Map<string, number>();

  constructor(options: SingleUseOptions) {
    this.#options = options;
  }

  /** Bytes have come from there that belong to no request: reported once for as long as its connections are used once. */
  add(origin: string): void {
    const { clock, log } = this.#options;
    if (!this.has(origin)) {
      const seconds = SINGLE_USE_MS / 1_000;
      log.warn("Provider sent bytes that belong to no request, using each connection once", {
        address: origin,
        seconds,
      });
    }
    this.#until.set(origin, clock.monotonic() + SINGLE_USE_MS);
  }

  has(origin: string): boolean {
    const until = this.#until.get(origin);
    if (until === undefined) return false;
    if (this.#options.clock.monotonic() < until) return true;
    this.#until.delete(origin);
    return false;
  }

  /** Seconds until connections to the origin of this URL may be used again; undefined where they may now. */
  secondsLeft(url: string): number | undefined {
    if (this.#until.size === 0) return undefined;
    const { origin } = new URL(url);
    if (!this.has(origin)) return undefined;
    return Math.ceil(((this.#until.get(origin) ?? 0) - this.#options.clock.monotonic()) / 1_000);
  }
}

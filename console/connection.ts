/** Whether the gateway can be reached; while it cannot, it is tried again after 1, 2, 4 … 30 seconds. */

import { computed, signal } from "@preact/signals";
import type { Clock } from "./clock.ts";

const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 30_000;

interface Outage {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** When it is tried next. */
  readonly retryAt: number;
  readonly waitMs: number;
}

interface ConnectionDeps {
  readonly clock: Clock;
  /** Rejects while the gateway cannot be reached. */
  readonly probe: () => Promise<unknown>;
}

export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #outage = signal<Outage | undefined>(undefined);
  #cancel: (() => void) | undefined;
  /** Grows by one each time the gateway is back: views read again. */
  readonly returns = signal(0);
  readonly lost = computed(() => this.#outage.value !== undefined);
  readonly since = computed(() => this.#outage.value?.since);
  readonly retryAt = computed(() => this.#outage.value?.retryAt);

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  /** A call got no answer. */
  reportLost(): void {
    if (this.#outage.value === undefined) this.#wait(this.#deps.clock.now(), FIRST_WAIT_MS);
  }

  /** A call got an answer, whatever it says. */
  reportAnswer(): void {
    if (this.#outage.value === undefined) return;
    this.#cancel?.();
    this.#outage.value = undefined;
    this.returns.value++;
  }

  retryNow(): void {
    this.#cancel?.();
    this.#try();
  }

  #wait(since: number, waitMs: number): void {
    const { clock } = this.#deps;
    this.#outage.value = { since, waitMs, retryAt: clock.now() + waitMs };
    this.#cancel = clock.after(waitMs, () => this.#try());
  }

  #try(): void {
    const outage = this.#outage.value;
    if (outage === undefined) return;
    this.#deps.probe().then(
      () => this.reportAnswer(),
      () => {
        // Still no answer, unless a call of a page was quicker.
        if (this.#outage.value === outage) {
          this.#wait(outage.since, Math.min(2 * outage.waitMs, MOST_WAIT_MS));
        }
      },
    );
  }
}

/** Failed sign-ins of an address: after five in a minute it has to wait, whatever it presents. */

import { networkPrefix } from "../../management/keys/auth_failure_limit.ts";
import type { Clock } from "../../runtime.ts";

export const PER_MINUTE = 5;
const WINDOW_MS = 60_000;
/** Addresses counted at a time; beyond it the one counted longest is forgotten. */
const MOST_ADDRESSES = 10_000;

interface SignInAttempt {
  /** How many more are allowed in this minute, should it fail. */
  readonly left: number;
  /** To be called at most once: it was no failure. */
  takeBack(): void;
}

interface Window {
  /** Monotonic ms. */
  readonly endsAt: number;
  readonly failures: number;
}

export class SignInAttempts {
  readonly #clock: Pick<Clock, "monotonic">;
  /** In the order in which they end. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Seconds to wait; undefined while the address may try. */
  waitOf(address: string): number | undefined {
    const window = this.#open(networkPrefix(address));
    if (window === undefined || window.failures < PER_MINUTE) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - this.#clock.monotonic()) / 1_000));
  }

  /** Counts an attempt as a failure until it is taken back, so that those at the same time count too. */
  start(address: string): SignInAttempt {
    const network = networkPrefix(address);
    const window = this.#open(network);
    if (window === undefined) this.#makeRoom();
    const endsAt = window?.endsAt ?? this.#clock.monotonic() + WINDOW_MS;
    const failures = (window?.failures ?? 0) + 1;
    this.#windows.set(network, { endsAt, failures });
    return { left: Math.max(0, PER_MINUTE - failures), takeBack: () => this.#takeBack(network, endsAt) };
  }

  #takeBack(network: string, endsAt: number): void {
    const window = this.#windows.get(network);
    if (window?.endsAt === endsAt) this.#windows.set(network, { endsAt, failures: window.failures - 1 });
  }

  #open(network: string): Window | undefined {
    const window = this.#windows.get(network);
    if (window === undefined || this.#clock.monotonic() < window.endsAt) return window;
    this.#windows.delete(network);
    return undefined;
  }

  #makeRoom(): void {
    const now = this.#clock.monotonic();
    for (const [network, { endsAt }] of this.#windows) {
      if (now < endsAt && this.#windows.size < MOST_ADDRESSES) return;
      this.#windows.delete(network);
    }
  }
}

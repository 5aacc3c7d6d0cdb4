/**
 * Failed sign-ins of an address: after five in a minute it is told to wait. Only failures count, and only a failure is
 * told so: the right key is never refused because of others in its network.
 */

import { networkPrefix } from "../../management/keys/auth_failure_limit.ts";
import type { Clock } from "../../runtime.ts";

export const PER_MINUTE = 5;
const WINDOW_MS = 60_000;
/** Addresses counted at a time; beyond it the one counted longest is forgotten. */
const MOST_ADDRESSES = 10_000;

/** How many more failures are allowed in this minute, or how many seconds to wait. */
export type FailedSignIn = { readonly left: number } | { readonly retryAfter: number };

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

  /** Counts a failure. */
  fail(address: string): FailedSignIn {
    const network = networkPrefix(address);
    const window = this.#open(network);
    if (window === undefined) this.#makeRoom();
    const now = this.#clock.monotonic();
    const endsAt = window?.endsAt ?? now + WINDOW_MS;
    const failures = (window?.failures ?? 0) + 1;
    this.#windows.set(network, { endsAt, failures });
    if (failures <= PER_MINUTE) return { left: PER_MINUTE - failures };
    return { retryAfter: Math.max(1, Math.ceil((endsAt - now) / 1_000)) };
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

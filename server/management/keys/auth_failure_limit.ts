/**
 * How often an address may come with a key that is none. Only failures count, and only a failure is told to
 * wait: a valid key is never refused because of its neighbours (SECURITY.md).
 */

import type { Clock } from "../../runtime.ts";

interface AuthFailureLimitOptions {
  readonly clock: Clock;
  /** As it holds when it is asked. */
  readonly perMinute: () => number;
  /** Addresses counted at a time; beyond it the one counted longest is forgotten. */
  readonly maxAddresses?: number;
}

interface FailingClient {
  readonly address: string;
  /** A header says so, and not the connection: it may be made up. */
  readonly isForwarded: boolean;
}

interface Window {
  /** Monotonic ms. */
  readonly endsAt: number;
  failures: number;
}

const WINDOW_MS = 60_000;

export class AuthFailureLimit {
  readonly #options: AuthFailureLimitOptions;
  readonly #maxAddresses: number;
  readonly #windows = new Map<string, Window>();

  constructor(options: AuthFailureLimitOptions) {
    this.#options = options;
    this.#maxAddresses = options.maxAddresses ?? 50_000;
  }

  /** Counts a failure. Seconds to wait when the address has failed too often; undefined while it has not. */
  failed({ address, isForwarded }: FailingClient): number | undefined {
    if (!isForwarded && isLoopback(address)) return undefined;
    const now = this.#options.clock.monotonic();
    const window = this.#window(networkPrefix(address), now);
    window.failures++;
    if (window.failures <= this.#options.perMinute()) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - now) / 1_000));
  }

  #window(network: string, now: number): Window {
    const open = this.#windows.get(network);
    if (open && now < open.endsAt) return open;
    this.#windows.delete(network);
    this.#makeRoom(now);
    const window = { endsAt: now + WINDOW_MS, failures: 0 };
    this.#windows.set(network, window);
    return window;
  }

  /** Windows stand in the order in which they end, so the oldest are the first to go. */
  #makeRoom(now: number): void {
    for (const [network, { endsAt }] of this.#windows) {
      if (now < endsAt && this.#windows.size < this.#maxAddresses) return;
      this.#windows.delete(network);
    }
  }
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}

/** An IPv6 host commands at least the 2^64 addresses of its network, so that is what counts. */
export function networkPrefix(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address.replace(/^::ffff:/, "");
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "").toLowerCase()).join(":")}::/64`;
}

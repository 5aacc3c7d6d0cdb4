/** Tokens that are kept until shortly before they expire. */

import { SharedWork } from "../../../shared/util/memo.ts";
import type { Clock } from "../../runtime.ts";

export interface AccessToken {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A token is renewed so long before it expires, or earlier when it does not live that long. */
const AHEAD_MS = 5 * 60_000;
/** After a renewal that failed, the old token is used so long before the next try. */
const RETRY_MS = 30_000;

interface CachedToken {
  readonly token: AccessToken;
  readonly renewAt: number;
}

/** One token a key, minted once however many ask for it (single flight). Keys are compared by identity. */
export class TokenCache<Key extends object> {
  readonly #clock: Clock;
  readonly #mint: (key: Key) => Promise<AccessToken>;
  readonly #held = new WeakMap<Key, CachedToken>();
  readonly #minting = new SharedWork<Key, string>();

  constructor(clock: Clock, mint: (key: Key) => Promise<AccessToken>) {
    this.#clock = clock;
    this.#mint = mint;
  }

  /** A token that is still good. One that will soon expire is renewed beside the call, not before it. */
  async get(key: Key): Promise<string> {
    const held = this.#held.get(key);
    const now = this.#clock.now();
    if (held === undefined || now >= held.token.expiresAt) return await this.#flight(key);
    if (now >= held.renewAt) this.#flight(key).catch(() => this.#postpone(key));
    return held.token.value;
  }

  forget(key: Key): void {
    this.#held.delete(key);
  }

  #flight(key: Key): Promise<string> {
    return this.#minting.run(key, async () => this.#hold(key, await this.#mint(key)));
  }

  #hold(key: Key, token: AccessToken): string {
    const now = this.#clock.now();
    const ahead = Math.min(AHEAD_MS, (token.expiresAt - now) / 5);
    this.#held.set(key, { token, renewAt: token.expiresAt - ahead });
    return token.value;
  }

  /** The old token is still good, so nobody has to hear of it yet. */
  #postpone(key: Key): void {
    const held = this.#held.get(key);
    if (held !== undefined) this.#held.set(key, { ...held, renewAt: this.#clock.now() + RETRY_MS });
  }
}

/**
 * The link that the first start prints, and that a manager may have made anew: somebody at the machine opens the
 * console without pasting a key. Its token is held in memory only, works once, for ten minutes, and for clients on
 * this machine.
 */

import { timingSafeEqual } from "node:crypto";
import { hashSecret } from "./session_rows.ts";
import { SECRET_BYTES } from "./session_cookie.ts";
import type { Runtime } from "../../runtime.ts";

export const LINK_MS = 10 * 60_000;

interface OpenLink {
  readonly tokenHash: string;
  readonly keyHash: string;
  /** Monotonic ms. */
  readonly endsAt: number;
}

export class SignInLink {
  readonly #runtime: Pick<Runtime, "clock" | "randomToken">;
  #open: OpenLink | undefined;

  constructor(runtime: Pick<Runtime, "clock" | "randomToken">) {
    this.#runtime = runtime;
  }

  /** The token of a link that signs in with a management key; a link of before ends. */
  create(keyHash: string): string {
    const token = this.#runtime.randomToken(SECRET_BYTES);
    this.#open = { tokenHash: hashSecret(token), keyHash, endsAt: this.#runtime.clock.monotonic() + LINK_MS };
    return token;
  }

  /** The hash of the key that the token signs in with; undefined where it does not. Works once. */
  redeem(token: string): string | undefined {
    const open = this.#open;
    if (open === undefined || this.#runtime.clock.monotonic() >= open.endsAt) return undefined;
    const encode = (text: string) => new TextEncoder().encode(text);
    if (!timingSafeEqual(encode(open.tokenHash), encode(hashSecret(token)))) return undefined;
    this.#open = undefined;
    return open.keyHash;
  }
}

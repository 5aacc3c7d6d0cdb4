/**
 * The link that the first start prints, and that a manager may have made anew: somebody at the machine opens the
 * console without pasting a key. The store has the hash of its token, so that every instance takes it; it works once,
 * for ten minutes, and for clients on this machine.
 */

import { timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { keyHashSchema, timestampSchema } from "../../../shared/keys.ts";
import type { Runtime } from "../../runtime.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import { hashSecret } from "./session_rows.ts";
import { SECRET_BYTES } from "./session_cookie.ts";

const LINK_MS = 10 * 60_000;

const linkRowSchema = z.object({
  token_hash: z.string(),
  /** The management key that it signs in with. */
  key_hash: keyHashSchema,
  expires_at: timestampSchema,
});

/** There is one at a time. */
const ID = ["newest"];

interface SignInLinkOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "randomToken">;
}

interface CreatedLink {
  readonly token: string;
  readonly expires_at: string;
}

export class SignInLink {
  readonly #options: SignInLinkOptions;
  readonly #rows: Collection<typeof linkRowSchema>;

  constructor(options: SignInLinkOptions) {
    this.#options = options;
    this.#rows = new Collection({ store: options.store, name: "console_links", schema: linkRowSchema });
  }

  /** A link that signs in with a management key; the one of before ends. */
  async create(keyHash: string): Promise<CreatedLink> {
    const { store, runtime: { clock, randomToken } } = this.#options;
    const token = randomToken(SECRET_BYTES);
    const expires_at = new Date(clock.now() + LINK_MS).toISOString();
    const row = { token_hash: hashSecret(token), key_hash: keyHash, expires_at };
    await store.commit({ puts: [this.#rows.put(ID, row)], small: true });
    return { token, expires_at };
  }

  /** The hash of the key that the token signs in with; undefined where it does not. Works once, on one instance. */
  async redeem(token: string): Promise<string | undefined> {
    const { store, runtime: { clock } } = this.#options;
    const open = await this.#rows.get(...ID);
    if (open === undefined || clock.now() >= Date.parse(open.record.expires_at)) return undefined;
    const encode = (text: string) => new TextEncoder().encode(text);
    if (!timingSafeEqual(encode(open.record.token_hash), encode(hashSecret(token)))) return undefined;
    const used = await store.commit({
      checks: [this.#rows.check(ID, open.version)],
      deletes: [this.#rows.key(ID)],
    });
    return used.type === "ok" ? open.record.key_hash : undefined;
  }
}

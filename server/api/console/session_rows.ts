/** Sessions as they are stored: by the hash of their secret, which is nowhere kept. */

import { hash } from "node:crypto";
import * as z from "zod";
import { sessionKindSchema } from "../../../shared/console.ts";
import { keyHashSchema, timestampSchema } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";

const sessionRowSchema = z.object({
  kind: sessionKindSchema,
  key_hash: keyHashSchema,
  /** Expiry of the key when the session began: rotation changes it, and ends the session. */
  key_expires_at: timestampSchema.nullable(),
  created_at: timestampSchema,
  last_seen_at: timestampSchema,
  /** Address of the client that signed in. */
  address: z.string().nullable(),
});
export type SessionRow = z.infer<typeof sessionRowSchema>;

export type SessionCollection = Collection<typeof sessionRowSchema>;

export const sessionCollection = (store: Store): SessionCollection =>
  new Collection({ store, name: "console_sessions", schema: sessionRowSchema });

/** Hashes the secret that a session is stored under. */
export const hashSecret = (secret: string): string => hash("sha256", `session:${secret}`);

/** Makes the value of `X-CSRF`: known to who has the secret, and no way back to it. */
export const csrfOf = (secret: string): string => hash("sha256", `csrf:${secret}`, "base64url");

/** Names a session in lists and in the audit log. */
export const publicSessionId = (secretHash: string): string => `cs_${secretHash.slice(0, 24)}`;

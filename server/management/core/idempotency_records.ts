/** Claims on an `Idempotency-Key` as they are stored, and the index that finds those that have expired. */

import * as z from "zod";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";

const claimSchema = z.object({
  /** SHA-256 of operation and body: another request under the same key is a mistake of the caller. */
  fingerprint: z.string(),
  /** Milliseconds since the epoch. */
  expires_at: z.int(),
  renewed_at: z.int(),
  /** Process that works on it. */
  holder: z.string(),
  done: z.boolean(),
  /** Null while the work is not done, or where the answer was too large to keep. */
  sealed: z.string().nullable(),
});
export type IdempotencyRecord = z.infer<typeof claimSchema>;

/** An answer as it is kept. */
export const storedReplySchema = z.object({
  status: z.int(),
  text: z.string(),
  /** Id of the exchange that gave it. */
  id: z.string(),
  /** Sentences of its header on what did not reach the model; absent in replies of before. */
  notes: z.array(z.string()).optional(),
});
export type StoredReply = z.infer<typeof storedReplySchema>;

const expirySchema = z.object({});

/** Claims by the hash of caller and key. */
export const idempotencyCollection = (store: Store) =>
  new Collection({ store, name: "idempotency", schema: claimSchema });
/** Below the moment of their expiry (ms). */
export const idempotencyExpiries = (store: Store) =>
  new Collection({ store, name: "idempotency_by_expiry", schema: expirySchema });

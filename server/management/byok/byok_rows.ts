/** Provider keys of workspaces as they are stored: the key itself only encrypted. */

import * as z from "zod";
import { type ByokRecord, byokRecordSchema } from "../../../shared/byok.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import { ciphertextSchema } from "./vault.ts";

const byokRowSchema = byokRecordSchema.extend({
  /** Counts up with every key that takes the place of another. */
  key_version: z.int().positive(),
  sealed: ciphertextSchema,
});
export type ByokRow = z.infer<typeof byokRowSchema>;

/** By id. */
export function byokCollection(store: Store): Collection<typeof byokRowSchema> {
  return new Collection({ store, name: "byok", schema: byokRowSchema });
}

type Placed = Pick<ByokRow, "id" | "workspace_id" | "provider" | "key_version">;

/**
 * Context to which the ciphertext is bound: in another workspace's record, or another provider's, it cannot be read.
 */
export const byokEncryptionContext = ({ id, workspace_id, provider, key_version }: Placed): string =>
  `byok|${workspace_id ?? "*"}|${provider}|${id}.${key_version}`;

/** As the operations show it. */
export function serializeByokKey({ key_version: _, sealed: __, ...record }: ByokRow): ByokRecord {
  return record;
}

const SHOWN = 3;
/** Shortest text of which three characters are shown. */
const MASKED = 12;

/** By which people tell keys apart: the word in front, and the last three characters. */
export function maskKey(key: string): string {
  if (key.startsWith("{")) return "{...}";
  if (key.length < MASKED) return "...";
  const prefix = /^[A-Za-z]{1,6}[-_]/.exec(key)?.[0] ?? "";
  return `${prefix}...${key.slice(-SHOWN)}`;
}

/** Connect clients as they are stored. Their secrets are keys of the kind `client`. */

import * as z from "zod";
import { connectClientSchema } from "../../../shared/management/clients.ts";
import { keyHashSchema } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import { listIndexedKeys } from "../keys/lists/key_index.ts";
import { keyCollection, type KeyRow } from "../keys/key_rows.ts";

/** `secret_hash` is that of the newest secret; null once the client is revoked. */
const clientRowSchema = connectClientSchema.extend({ secret_hash: keyHashSchema.nullable() });
export type ClientSchema = typeof clientRowSchema;
export type ClientRow = z.infer<ClientSchema>;

/** Clients by id. */
export function clientCollection(store: Store): Collection<ClientSchema> {
  return new Collection({ store, name: "connect_clients", schema: clientRowSchema });
}

/** All secrets of a client, those in an overlap too. */
export async function clientSecrets(
  { store }: { readonly store: Store },
  id: string,
): Promise<readonly KeyRow[]> {
  const rows = keyCollection(store);
  const secrets: KeyRow[] = [];
  for await (const { hash } of listIndexedKeys(store, { name: "secret", of: id })) {
    const found = await rows.get(hash);
    if (found) secrets.push(found.record);
  }
  return secrets;
}

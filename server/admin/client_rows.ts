/** Connect clients as they are stored. Their secrets are keys of the kind `client`. */

import * as z from "zod";
import { connectClientSchema } from "../../shared/api/clients.ts";
import { keyHashSchema } from "../../shared/keys.ts";
import { Collection } from "../stores/collection.ts";
import type { Store } from "../stores/store.ts";

/** `secret_hash` is that of the newest secret; null once the client is revoked. */
const clientRowSchema = connectClientSchema.extend({ secret_hash: keyHashSchema.nullable() });
export type ClientRow = z.infer<typeof clientRowSchema>;

/** Clients by id. */
export function clientRows(store: Store): Collection<typeof clientRowSchema> {
  return new Collection({ store, name: "connect_clients", schema: clientRowSchema });
}

/** The audit log: who changed what, before and after, and when. Append-only, without secrets. */

import { auditSchema } from "../../../shared/management/audit.ts";
import type { Caller } from "../../../shared/keys.ts";
import { Collection } from "../../stores/collection.ts";
import type { Put, Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";

export const auditRows = (store: Store): Collection<typeof auditSchema> =>
  new Collection({ store, name: "audit", schema: auditSchema });

export interface Change {
  readonly operation: string;
  readonly caller?: Caller;
  readonly requestId?: string;
  readonly subject: { readonly type: string; readonly id: string };
  /** Records as the API shows them; null where there was or is none. Never a secret. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface Audit {
  /** Belongs into the commit that makes the change, so that neither is without the other. */
  put(change: Change): Put;
}

export function auditOf(store: Store, world: Pick<World, "clock" | "id">): Audit {
  const rows = auditRows(store);
  let moment = { at: NaN, changes: 0 };
  return {
    put: ({ operation, caller, requestId, subject, before, after }) => {
      const at = world.clock.now();
      moment = { at, changes: at === moment.at ? moment.changes + 1 : 0 };
      const id = world.id();
      // Changes of one moment are told in their order.
      return rows.put([at, moment.changes, id], {
        id,
        at: new Date(at).toISOString(),
        operation,
        actor: caller === undefined ? null : { kind: caller.kind, key_hash: caller.keyHash },
        request_id: requestId ?? null,
        subject,
        before: before ?? null,
        after: after ?? null,
      });
    },
  };
}

/** The audit log: who changed what, before and after, and when. Append-only, without secrets. */

import { auditRowSchema } from "../../../shared/management/audit.ts";
import type { Caller } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store, StorePut } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";

export const auditCollection = (store: Store): Collection<typeof auditRowSchema> =>
  new Collection({ store, name: "audit", schema: auditRowSchema });

export interface AuditChange {
  readonly operation: string;
  readonly caller?: Caller;
  readonly requestId?: string;
  readonly subject: { readonly type: string; readonly id: string };
  /** Records as the API shows them; null where there was or is none. Never a secret. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditWriter {
  /** Belongs into the commit that makes the change, so that neither is without the other. */
  put(change: AuditChange): StorePut;
}

export function createAuditWriter(store: Store, runtime: Pick<Runtime, "clock" | "id">): AuditWriter {
  const rows = auditCollection(store);
  let moment = { at: NaN, changes: 0 };
  return {
    put: ({ operation, caller, requestId, subject, before, after }) => {
      const at = runtime.clock.now();
      moment = { at, changes: at === moment.at ? moment.changes + 1 : 0 };
      const id = runtime.id();
      // Changes of one moment are told in their order.
      return rows.put([at, moment.changes, id], {
        id,
        at: new Date(at).toISOString(),
        operation,
        actor: actorOf(caller),
        request_id: requestId ?? null,
        subject,
        before: before ?? null,
        after: after ?? null,
      });
    },
  };
}

function actorOf(caller: Caller | undefined) {
  if (caller === undefined) return null;
  const { kind, keyHash, session } = caller;
  return session === undefined ? { kind, key_hash: keyHash } : { kind, key_hash: keyHash, session };
}

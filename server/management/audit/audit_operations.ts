/** Reading the audit log. */

import type { auditApi, AuditRow } from "../../../shared/management/audit.ts";
import { DEFAULT_PAGE_SIZE, type OperationQuery } from "../../../shared/management/operation.ts";
import type { Store, StoreKey } from "../../storage/stores/store.ts";
import type { OperationHandlers } from "../core/operation.ts";
import { auditCollection } from "./audit_log.ts";
import type { ManagementDeps } from "../core/management_deps.ts";

type Table = typeof auditApi;
type AuditQuery = OperationQuery<Table["audit.list"]>;

const PAGE = 1_000;
/** Rows looked through for one answer: the log is never shortened, and a store answers in pages. */
const SEARCHED = 20_000;

export function auditOperations({ store }: Pick<ManagementDeps, "store">): OperationHandlers<Table> {
  return {
    "audit.list": async ({ query }) => {
      const { offset = 0, limit = DEFAULT_PAGE_SIZE } = query;
      const data: AuditRow[] = [];
      let found = 0;
      for await (const row of changes(store, query)) {
        if (!matches(row, query)) continue;
        if (found >= offset && data.length < limit) data.push(row);
        found++;
      }
      return { data, total_count: found };
    },
  };
}

/** The youngest first, from `until` back to `since`. */
async function* changes(store: Store, { since, until }: AuditQuery): AsyncGenerator<AuditRow> {
  const rows = auditCollection(store);
  const least = since === undefined ? -Infinity : Date.parse(since);
  // Rows stand below their moment, and a key comes before its extensions: behind the next moment is all of this one.
  let after: StoreKey | undefined = until === undefined ? undefined : [Date.parse(until) + 1];
  for (let seen = 0; seen < SEARCHED; seen += PAGE) {
    const page = await rows.list({ after, reverse: true, limit: PAGE });
    for (const { record } of page) {
      if (Date.parse(record.at) < least) return;
      yield record;
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.id;
  }
}

function matches(row: AuditRow, { operation, subject_type, subject_id, actor }: AuditQuery): boolean {
  return (operation === undefined || row.operation === operation) &&
    (subject_type === undefined || row.subject.type === subject_type) &&
    (subject_id === undefined || row.subject.id === subject_id) &&
    (actor === undefined || row.actor?.key_hash === actor);
}

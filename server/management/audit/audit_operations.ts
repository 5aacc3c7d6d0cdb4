/** Reading the audit log. */

import { type auditApi, type AuditRow, auditRowSchema } from "../../../shared/management/audit.ts";
import { DEFAULT_PAGE_SIZE, type OperationQuery } from "../../../shared/management/operation.ts";
import type { Store, StoreKey } from "../../storage/stores/store.ts";
import type { OperationHandlers } from "../core/operation.ts";
import { type ExportDeps, exportFile } from "../core/export_file.ts";
import { auditCollection } from "./audit_log.ts";
import type { ManagementDeps } from "../core/management_deps.ts";

type Table = typeof auditApi;
type AuditQuery = Omit<OperationQuery<Table["audit.list"]>, "offset" | "limit">;

const PAGE = 1_000;
/** Rows looked through for one answer: the log is never shortened, and a store answers in pages. */
const SEARCHED = 20_000;

type AuditDeps = Pick<ManagementDeps, "store"> & ExportDeps;

export function auditOperations(deps: AuditDeps): OperationHandlers<Table> {
  const { store } = deps;
  return {
    "audit.list": async ({ query }) => {
      const { offset = 0, limit = DEFAULT_PAGE_SIZE } = query;
      const data: AuditRow[] = [];
      let found = 0;
      let scannedUntil: string | null = null;
      for await (const { rows, until } of scan(store, { ...query, most: SEARCHED })) {
        scannedUntil = until;
        for (const row of rows) {
          if (found >= offset && data.length < limit) data.push(row);
          found++;
        }
      }
      return { data, total_count: found, scanned_until: scannedUntil };
    },
    "audit.export": ({ query: { format, ...query } }) => {
      const columns = Object.keys(auditRowSchema.shape);
      const pages = rowsOf(scan(store, { ...query, most: Infinity }));
      return Promise.resolve(exportFile(deps, { name: "audit", format, columns, pages }));
    },
  };
}

interface Scan extends AuditQuery {
  /** Rows that are looked through. */
  readonly most: number;
}

interface ScannedPage {
  readonly rows: readonly AuditRow[];
  /** Moment of the last row that was looked at; null where none is left to look at. */
  readonly until: string | null;
}

async function* rowsOf(pages: AsyncIterable<ScannedPage>): AsyncGenerator<readonly AuditRow[]> {
  for await (const { rows } of pages) yield rows;
}

/** The youngest first, from `until` back to `since`, in pages. */
async function* scan(store: Store, { most, ...query }: Scan): AsyncGenerator<ScannedPage> {
  const { since, until } = query;
  const rows = auditCollection(store);
  const least = since === undefined ? -Infinity : Date.parse(since);
  // Rows stand below their moment, and a key comes before its extensions: behind the next moment is all of this one.
  let after: StoreKey | undefined = until === undefined ? undefined : [Date.parse(until) + 1];
  for (let seen = 0; seen < most; seen += PAGE) {
    const page = await rows.list({ after, reverse: true, limit: PAGE });
    const within = page.filter(({ record }) => Date.parse(record.at) >= least);
    const isLast = page.length < PAGE || within.length < page.length;
    yield {
      rows: within.map(({ record }) => record).filter((row) => matches(row, query)),
      until: isLast ? null : page.at(-1)?.record.at ?? null,
    };
    if (isLast) return;
    after = page.at(-1)?.id;
  }
}

function matches(row: AuditRow, { operation, subject_type, subject_id, actor }: AuditQuery): boolean {
  return (operation === undefined || row.operation === operation) &&
    (subject_type === undefined || row.subject.type === subject_type) &&
    (subject_id === undefined || row.subject.id === subject_id) &&
    (actor === undefined || row.actor?.key_hash === actor);
}

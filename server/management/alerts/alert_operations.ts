/** Lists the alerts of the last days, for people to read. */

import { alertSchema } from "../../../shared/management/alerts.ts";
import type { alertApi } from "../../../shared/management/gateway/alerts.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationHandlers } from "../core/operation.ts";
import { paginate } from "../core/pages.ts";
import { KEPT_MS, MOST_LOGGED } from "./alert_book.ts";
import { alertLog } from "./alert_rows.ts";

export function alertOperations(
  { store, runtime: { clock } }: Pick<ManagementDeps, "store" | "runtime">,
): OperationHandlers<typeof alertApi> {
  return {
    "alerts.list": async ({ query }) => {
      const rows = await alertLog(store).list({ reverse: true, limit: MOST_LOGGED });
      const since = clock.now() - KEPT_MS;
      const listed = rows.filter(({ id: [at] }) => Number(at) >= since).flatMap(({ id: [, id], record }) => {
        // Kinds that this version does not have are a newer one's to show.
        const { data: alert } = alertSchema.safeParse(record.alert);
        const { status, ended_at: end } = record;
        const ended_at = end === null ? null : new Date(end).toISOString();
        return alert === undefined ? [] : [{ id: String(id), alert, status, ended_at }];
      });
      return paginate(listed, query);
    },
  };
}

/** Says at the first start after an upgrade which guardrails have filters that nothing enforced before. */

import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";
import { iterateRecords } from "../core/pages.ts";
import { hasFilters } from "./content_filters.ts";
import { guardrailCollection } from "./guardrail_rows.ts";

interface AnnounceDeps {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "log">;
}

/** A line in the log for each of them, once. Rejects with a StoreError. */
export async function announceFilters({ store, runtime: { log } }: AnnounceDeps): Promise<void> {
  const rows = guardrailCollection(store);
  for await (const { record } of iterateRecords(rows)) {
    if (record.deleting || record.filters_enforced || !hasFilters(record)) continue;
    log.warn("Content filters of a guardrail are enforced from now on", {
      guardrail: record.id,
      name: record.name,
    });
    await rows.update([record.id], (row) => ({ ...row, filters_enforced: true }));
  }
}

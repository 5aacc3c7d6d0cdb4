/** Content filters of guardrails. Nothing enforces them yet, so none is taken, and those that are stored are named. */

import { ApiError } from "../../../shared/errors.ts";
import type { Store } from "../../stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { guardrailCollection, type GuardrailRow } from "./guardrail_rows.ts";
import { iterateRecords } from "../core/pages.ts";

type Filters = Pick<GuardrailRow, "content_filters" | "content_filter_builtins">;

const names = ["content_filters", "content_filter_builtins"] as const;

/** Throws an ApiError (400) for a body that would store a filter: a guardrail that nothing enforces protects nobody. */
export function assertNoContentFilters(body: Partial<Filters>, verb: string): void {
  const path = names.find((name) => (body[name]?.length ?? 0) > 0);
  if (path === undefined) return;
  throw new ApiError(
    "invalid_request",
    `Cannot ${verb}: ${path} has a filter, and this version does not enforce content filters. Leave ${path} out`,
    { metadata: { path } },
  );
}

const hasFilters = (row: Filters): boolean => names.some((name) => (row[name]?.length ?? 0) > 0);

interface Warned {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "log">;
}

/** A line in the log for each guardrail with filters. Rejects with a StoreError. */
export async function warnOfContentFilters({ store, runtime: { log } }: Warned): Promise<void> {
  for await (const { record } of iterateRecords(guardrailCollection(store))) {
    if (record.deleting || !hasFilters(record)) continue;
    log.warn("Content filters of a guardrail are not enforced", {
      guardrail: record.id,
      name: record.name,
    });
  }
}

/** The guard of a request with one filter, without a gateway around it. */

import assert from "node:assert/strict";
import { RequestRecord } from "../../../server/pipeline/request_record.ts";
import { compileContentFilters } from "../../../server/pipeline/guardrails/content_filters.ts";
import type { FilterAction } from "../../../server/pipeline/guardrails/filter_strength.ts";
import { MaskMap } from "../../../server/pipeline/guardrails/mask_map.ts";
import { ContentGuard } from "../../../server/pipeline/stages/guardrails/content_guard.ts";
import { FilterFindings } from "../../../server/pipeline/stages/guardrails/filter_findings.ts";

const quiet = { error: () => {} };
const clock = { monotonic: () => 0 };

/** Finds `id-4711-x`, in whole or in the encoded forms of addresses. */
export function guardFor(action: FilterAction): ContentGuard {
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: [{ pattern: "id-\\d{4}-[a-z]", action, label: "ID" }],
    content_filter_builtins: null,
  }]);
  assert.ok(filters);
  return new ContentGuard({ clock, log: quiet, pause: () => Promise.resolve() }, {
    filters,
    findings: new FilterFindings(new RequestRecord()),
    masks: new MaskMap(),
  });
}

/** A limit that was in the way, as the routing metadata shows it (specification, openrouter_metadata). */

import type { ApiError } from "../../../shared/errors.ts";
import type { RequestRecord } from "../request_context.ts";

/** A guardrail's limit leaves a stage of its own; the others say all in the API error. Noted once a guardrail. */
export function recordLimit(record: RequestRecord, { message, details }: ApiError): void {
  const { limit_source: source, guardrail_id: id } = details.metadata ?? {};
  if (source !== "guardrail" || record.stages.some((one) => one.guardrail_id === id)) return;
  record.addStage({
    type: "guardrail",
    name: "limit",
    ...(typeof id === "string" ? { guardrail_id: id } : {}),
    guardrail_scope: "api-key",
    summary: message,
    data: { action: "blocked", detected: true, engines: [], patterns: [] },
  });
}

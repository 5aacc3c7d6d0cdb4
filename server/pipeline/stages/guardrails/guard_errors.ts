/** Makes the errors with which a guardrail blocks. */

import { ApiError } from "../../../../shared/errors.ts";
import type { GuardedSide } from "../../../../shared/external_guardrail.ts";
import type { ContentFilters, FilteringGuardrail } from "../../guardrails/content_filters.ts";
import { WorkLeft } from "../../../../shared/util/run_work.ts";
import { BlockedContent } from "../../guardrails/scanners/text_scanner.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import type { FilterFindings } from "./filter_findings.ts";

/** Between two log lines that texts cannot be read. */
const LOG_MS = 60_000;

/** When it was last logged that texts cannot be read. */
const logged = { at: -Infinity };

/** Texts that a guardrail reads: the side for its findings, the name for the sentences of its errors. */
export interface GuardedTexts {
  readonly side: GuardedSide;
  readonly name: string;
}

export const REQUEST: GuardedTexts = { side: "input", name: "request" };
export const RESPONSE: GuardedTexts = { side: "output", name: "response" };
/** `bringer`: "server tool web_search". */
export const resultOf = (bringer: string): GuardedTexts => ({
  side: "tools",
  name: `result of the ${bringer}`,
});

interface FailedReading {
  readonly texts: GuardedTexts;
  readonly findings: FilterFindings;
  readonly filters: ContentFilters;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Logger, "error">;
}

/** A filter that fails blocks: nobody knows what it would have found. */
export function guardError(
  error: unknown,
  { texts: { side, name }, findings, filters, clock, log }: FailedReading,
): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof WorkLeft) return new ApiError("timeout", "Client disconnected.");
  if (error instanceof BlockedContent) {
    const { patterns, guardrailId } = findings.blocked(side);
    return new ApiError("blocked", `A guardrail blocked the ${name}: it matches a content filter.`, {
      metadata: { patterns, guardrail_id: guardrailId },
    });
  }
  if (clock.monotonic() - logged.at >= LOG_MS) {
    logged.at = clock.monotonic();
    log.error("Cannot apply content filters", { error: error instanceof Error ? error.name : "unknown" });
  }
  const guardrailId = findings.failed(filters);
  return new ApiError("blocked", `A guardrail blocked the ${name}: it could not be judged.`, {
    metadata: { patterns: [], guardrail_id: guardrailId },
  });
}

/** A guardrail lets nothing through that it cannot read. */
export const unreadableError = ({ id }: FilteringGuardrail, { name }: GuardedTexts): ApiError =>
  new ApiError(
    "blocked",
    `A guardrail blocked the ${name}: it has a part that cannot be read.`,
    { metadata: { patterns: [], guardrail_id: id } },
  );

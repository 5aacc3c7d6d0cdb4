/** Result of a run: for the model that called it, and for the item that the client sees. */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { cutMiddleBytes } from "../../../../shared/util/text.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ToolOutcome } from "../tool_definition.ts";
import type { WebSource } from "../tool_memory.ts";
import type { AnalysisResult } from "./analysis.ts";
import type { PanelAnswer } from "./fusion_requests.ts";
import type { FailedMember, PanelResult } from "./panel.ts";

type RunFailure =
  | "all_panels_failed"
  | "insufficient_credits"
  | "rate_limited"
  | "invalid_model"
  | "fusion_invocation_capped"
  | "unexpected_error";

interface FailedRun {
  readonly reason: RunFailure;
  readonly error: string;
  readonly failed?: readonly FailedMember[];
}

/** A run without a result: its item is completed, and says why. */
export function failedRun({ reason, error, failed = [] }: FailedRun): ToolOutcome {
  const fields = omitUndefined({
    error,
    failure_reason: reason,
    failed_models: failed.length === 0 ? undefined : failed,
  });
  return {
    output: JSON.stringify({ status: "error", ...fields }),
    fields,
    failed: true,
    itemStatus: "completed",
  };
}

/** The run of a panel of which nobody has answered. */
export function failedPanel({ failed, kinds }: PanelResult): ToolOutcome {
  const reason = reasonOf(kinds);
  return failedRun({ reason, error: sentences[reason], failed });
}

function reasonOf(
  kinds: readonly ApiErrorKind[],
): "insufficient_credits" | "rate_limited" | "all_panels_failed" {
  if (kinds.includes("payment_required")) return "insufficient_credits";
  return kinds.includes("rate_limited") ? "rate_limited" : "all_panels_failed";
}

const sentences = {
  insufficient_credits: "No model of the panel has answered, and money was missing for some.",
  rate_limited: "No model of the panel has answered, and some are limited in rate.",
  all_panels_failed: "No model of the panel has answered.",
} as const;

interface WholeRun {
  readonly panel: PanelResult;
  readonly analysis: AnalysisResult;
}

export function wholeRun({ panel, analysis: { analysis, failure, sources } }: WholeRun): ToolOutcome {
  const { answers, failed } = panel;
  const told = omitUndefined({ analysis, failed_models: failed.length === 0 ? undefined : failed });
  const room = MOST - JSON.stringify(told).length;
  return {
    output: JSON.stringify({ status: "ok", ...told, responses: shortened(answers, room) }),
    fields: omitUndefined({
      ...told,
      responses: answers,
      sources: once([...panel.sources, ...sources]),
      failure_reason: failure,
    }),
  };
}

/** Bytes of the result that the model is given; the rest of what every tool may give is for names and signs. */
const MOST = 56 * 1024;
/** Bytes that an answer gets at least. */
const LEAST = 1_024;

/** Short answers leave their room to the longer ones, which are cut in the middle. */
function shortened(answers: readonly PanelAnswer[], room: number): readonly PanelAnswer[] {
  const sizes = answers.map(({ content }) => JSON.stringify(content).length);
  let most = room / answers.length;
  for (let round = 0; round < answers.length; round++) {
    const long = sizes.filter((size) => size > most).length;
    if (long === 0) return answers;
    const short = sizes.reduce((sum, size) => sum + (size > most ? 0 : size), 0);
    most = (room - short) / long;
  }
  const cap = Math.max(LEAST, Math.floor(most));
  return answers.map(({ model, content }) => ({ model, content: cutMiddleBytes(content, cap) }));
}

/** Each address once, with the first title. */
function once(sources: readonly WebSource[]): readonly JsonObject[] | undefined {
  const byUrl = new Map<string, JsonObject>();
  for (const { url, title } of sources) if (!byUrl.has(url)) byUrl.set(url, { url, title });
  return byUrl.size === 0 ? undefined : [...byUrl.values()];
}

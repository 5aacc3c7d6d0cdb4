/** A provider's whole answer, not streamed, as the events that a stream would have brought. */

import type { ModelEvent } from "../../hub/event.ts";
import { broken, failureOf, findError } from "./outbound_failure.ts";
import { settleAll } from "./outbound_items.ts";
import { endOf, readResult, type Result } from "./outbound_result.ts";

/** A failure is the only event of an answer that is none; what failed is told before anything of it. */
export function parseAnswer(body: unknown): readonly ModelEvent[] {
  const result = readResult(body);
  if (result === undefined) return [broken("The provider's answer is not a JSON object.")];
  const { output } = result;
  if (output === undefined) return [result.error ? failureOf(findError(result)) : noOutput];
  const end = endOf(result, result.status ?? (result.error ? "failed" : "completed"));
  if (end.type === "failure") return [end];
  const [, events] = settleAll([], { output, cutShort: false });
  return [begin(result), ...events, end];
}

const noOutput = broken("The provider's answer holds no output.");

const begin = ({ id, model }: Result): ModelEvent => ({ type: "begin", upstreamId: id, model });

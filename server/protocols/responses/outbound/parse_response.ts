/** A provider's whole answer, not streamed, as the events that a stream would have brought. */

import type { ModelEvent } from "../../../canonical/event.ts";
import { broken, failureOf, findError } from "./parse_failure.ts";
import { endOf, readResult } from "./parse_result.ts";
import { tellItems } from "./whole_items.ts";

/** A failure is the only event of an answer that is none; what failed is told before anything of it. */
export function parseAnswer(body: unknown): readonly ModelEvent[] {
  const result = readResult(body);
  if (result === undefined) return [broken("The provider's answer is not a JSON object.")];
  const { id, model, output, status, told } = result;
  if (output === undefined) return [told.error ? failureOf(findError(told)) : noOutput];
  const end = endOf(result, status ?? (told.error ? "failed" : "completed"));
  if (end.type === "failure") return [end];
  const events: ModelEvent[] = [{ type: "begin", upstreamId: id, model }];
  tellItems(output, events);
  events.push(end);
  return events;
}

const noOutput = broken("The provider's answer holds no output.");

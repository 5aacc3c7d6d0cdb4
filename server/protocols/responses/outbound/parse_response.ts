/** A provider's whole answer, not streamed, as the events that a stream would have brought. */

import type { ModelEvent } from "../../canonical/event.ts";
import { brokenResponse, findError, toFailureEvent } from "./parse_failure.ts";
import { parseEnd, parseResult } from "./parse_result.ts";
import { emitItems } from "./whole_items.ts";

/** A failure is the only event of an answer that is none; it is the last one of an answer that holds something. */
export function parseResponse(body: unknown): readonly ModelEvent[] {
  const result = parseResult(body);
  if (result === undefined) return [brokenResponse("The provider's answer is not a JSON object.")];
  const { id, model, output, status, unknownFields } = result;
  if (output === undefined) {
    return [unknownFields.error ? toFailureEvent(findError(unknownFields)) : noOutput];
  }
  const end = parseEnd(result, status ?? (unknownFields.error ? "failed" : "completed"));
  if (end.type === "failure" && output.length === 0) return [end];
  const events: ModelEvent[] = [{ type: "begin", upstreamId: id, model }];
  emitItems(output, events);
  events.push(end);
  return events;
}

const noOutput = brokenResponse("The provider's answer holds no output.");

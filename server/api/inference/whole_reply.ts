/** The reply that is not streamed: a response's events, all at once. */

import { ApiError } from "../../../shared/errors.ts";
import { WholeReply } from "../../http/http_server/reply.ts";
import type { FailureEvent, ModelEvent } from "../../protocols/canonical/event.ts";
import type { ModelResponse } from "../../pipeline/request_context.ts";
import type { Source } from "../../protocols/stream/source.ts";

/** The body that a response's events come to. */
type RenderWhole = (events: readonly ModelEvent[]) => string;

/** The reply, once the receipt is written. Throws an ApiError for a response that failed before anything was paid. */
export async function wholeReply(response: ModelResponse, render: RenderWhole): Promise<WholeReply> {
  const events = await readEvents(asModelEvents(response));
  const failed = events.find(isFailure);
  if (failed === undefined || failed.partial === true) return new WholeReply(render(events));
  const { kind, message, retryAfter, metadata } = failed.failure;
  throw new ApiError(kind, message, { retryAfter, metadata });
}

const isFailure = (event: ModelEvent): event is FailureEvent => event.type === "failure";

/** The events up to the last one of a response: nothing comes behind that. */
async function readEvents(source: Source<ModelEvent>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  while (!isOver(events)) {
    const batch = await source.pull();
    if (batch === undefined) return events;
    for (const event of batch) events.push(event);
  }
  return events;
}

function isOver(events: readonly ModelEvent[]): boolean {
  const last = events.at(-1);
  return last?.type === "finish" || last?.type === "failure";
}

/** Audio stands in responses to speech requests only, and no request of these routes is one. */
export const asModelEvents = ({ source }: ModelResponse) => source as Source<ModelEvent>;

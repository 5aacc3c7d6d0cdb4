/** The reply that is not streamed: an answer's events, all at once. */

import { ApiError } from "../../../shared/errors.ts";
import { HeldReply, type HttpReply, WholeReply } from "../../http_server/reply.ts";
import type { FailureEvent, ModelEvent, OutputEvent } from "../../canonical/event.ts";
import type { ModelResponse } from "../../pipeline/request_context.ts";
import type { Source } from "../../stream/source.ts";

/** The body that an answer's events come to. */
export type RenderWhole = (events: readonly ModelEvent[]) => string;

export interface WholeReplyOptions {
  readonly render: RenderWhole;
  /** The reply in place of one whose receipt cannot be written. */
  readonly onError: (error: unknown) => Response;
}

/** Throws an ApiError for an answer that failed. */
export async function wholeReply(
  response: ModelResponse,
  rendering: WholeReplyOptions,
): Promise<HttpReply | HeldReply> {
  const { render } = rendering;
  const source = asModelEvents(response);
  const pulled = source.pull();
  const coming = asModelBatch(response.pendingLastBatch?.());
  if (pulled instanceof Promise && coming !== undefined && !coming.some(isFailure)) {
    return await deferReply({ coming, written: pulled }, rendering);
  }
  const first = await pulled ?? [];
  // Most whole answers are one batch.
  return replyOf(isOver(first) ? first : await untilOver(source, first), render);
}

/** The last batch of an answer, and when its receipt is written: then it comes, or another one with a failure. */
interface PendingReply {
  readonly coming: readonly ModelEvent[];
  readonly written: Promise<readonly ModelEvent[] | undefined>;
}

/** The reply is made while its receipt is being written: nothing else is to be done meanwhile. */
async function deferReply(closing: PendingReply, rendering: WholeReplyOptions): Promise<HeldReply> {
  const until = releaseReply(closing, rendering);
  // The commit is sent first.
  await undefined;
  try {
    return new HeldReply(replyOf(closing.coming, rendering.render), until);
  } catch (error) {
    await until;
    throw error;
  }
}

/** Resolves when the reply may leave, with what leaves in its place where the receipt could not be written. */
async function releaseReply(
  { coming, written }: PendingReply,
  { onError: refused }: WholeReplyOptions,
): Promise<Response | undefined> {
  try {
    const batch = await written;
    const failed = batch === coming ? undefined : batch?.find(isFailure);
    return failed && refused(refusalOf(failed));
  } catch (error) {
    return refused(error);
  }
}

function replyOf(events: readonly ModelEvent[], render: RenderWhole): WholeReply {
  const failed = events.find(isFailure);
  if (failed === undefined) return new WholeReply(render(events));
  throw refusalOf(failed);
}

const refusalOf = ({ failure: { kind, message, retryAfter } }: FailureEvent) =>
  new ApiError(kind, message, { retryAfter });

const isFailure = (event: ModelEvent): event is FailureEvent => event.type === "failure";

/** What an answer has to say behind `first`, until its last word: nothing comes behind that. */
async function untilOver(
  source: Source<ModelEvent>,
  first: readonly ModelEvent[],
): Promise<readonly ModelEvent[]> {
  const events = [...first];
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

/** Sound stands in answers to speech requests only, and no request of these doors is one. */
export const asModelEvents = ({ source }: ModelResponse) => source as Source<ModelEvent>;
const asModelBatch = (batch: readonly OutputEvent[] | undefined) =>
  batch as readonly ModelEvent[] | undefined;

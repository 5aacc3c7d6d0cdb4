/** The reply that is not streamed: an answer's events, all at once. */

import { Refusal } from "../../shared/errors.ts";
import type { AnswerEvent, ModelEvent } from "../hub/event.ts";
import type { Answer } from "../pipeline/turn.ts";
import type { Source } from "../stream/source.ts";

/** The body that an answer's events come to. */
export type Render = (events: readonly ModelEvent[]) => string;

/** Throws a Refusal for an answer that failed. */
export async function wholeReply(answer: Answer, render: Render): Promise<Response> {
  const source = asModelEvents(answer);
  const pulled = source.pull();
  const making = replyAhead(answer, render);
  making.catch(() => {
    // Told below, once the receipt is written.
  });
  const first = await pulled ?? [];
  const ahead = await making;
  if (ahead !== undefined && first === ahead.events) return ahead.reply;
  // Most whole answers are one batch.
  return replyOf(isOver(first) ? first : await untilOver(source, first), render);
}

interface Ahead {
  readonly events: readonly ModelEvent[];
  readonly reply: Response;
}

/** The reply is made while its receipt is being written: nothing else is to be done meanwhile. */
async function replyAhead({ coming }: Answer, render: Render): Promise<Ahead | undefined> {
  const events = asModelBatch(coming?.());
  if (events === undefined || events.some(isFailure)) return undefined;
  // The commit is sent first.
  await undefined;
  return { events, reply: replyOf(events, render) };
}

function replyOf(events: readonly ModelEvent[], render: Render): Response {
  const failed = events.find(isFailure);
  if (failed === undefined) {
    return new Response(render(events), { status: 200, headers: { "content-type": "application/json" } });
  }
  const { kind, message, retryAfter } = failed.failure;
  throw new Refusal(kind, message, { retryAfter });
}

const isFailure = (event: ModelEvent) => event.type === "failure";

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
export const asModelEvents = ({ source }: Answer) => source as Source<ModelEvent>;
const asModelBatch = (batch: readonly AnswerEvent[] | undefined) =>
  batch as readonly ModelEvent[] | undefined;

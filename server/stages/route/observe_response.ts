/** An answer on its way up: its figures are taken, and its ciphers get their maker's name. */

import type { AnswerEvent, FinishEvent } from "../../canonical/event.ts";
import type { Answer, Turn } from "../../pipeline/request_context.ts";
import { markEvent } from "../../routing/encrypted_reasoning.ts";
import type { LiveStats } from "../../routing/health/endpoint_stats.ts";
import { seen, type Source } from "../../stream/source.ts";
import type { Clock } from "../../runtime.ts";

export interface Watching {
  readonly deps: { readonly stats: LiveStats; readonly clock: Clock };
  readonly turn: Turn;
  /** Monotonic ms. */
  readonly startedAt: number;
}

export function watched({ endpoint, source }: Answer, { deps, turn, startedAt }: Watching): Answer {
  const { stats, clock } = deps;
  let since = startedAt;
  if (turn.request.stream) {
    since = clock.monotonic();
    stats.began(endpoint.id, since - startedAt);
  }
  const end = (event: AnswerEvent) => {
    // A call that we cut, because the client left or for reasons of our own, says nothing about the endpoint.
    if (turn.hangup.gone || turn.notes.ended !== undefined) return;
    stats.ended(endpoint.id, event.type === "finish");
    if (event.type !== "finish") return;
    // Reasoning is written before the answer begins to come.
    const reasoned = (event.usage?.reasoningTokens ?? 0) > 0;
    measure(event, reasoned ? startedAt : since);
  };
  const measure = ({ usage }: FinishEvent, from: number) => {
    const seconds = Math.max(1, clock.monotonic() - from) / 1_000;
    if (usage !== undefined && usage.outputTokens > 0) stats.wrote(endpoint.id, usage.outputTokens / seconds);
  };
  const look = (event: AnswerEvent): AnswerEvent => {
    if (event.type === "finish" || event.type === "failure") end(event);
    return event.type === "audio" ? event : markEvent(event, endpoint);
  };
  return { endpoint, source: looking(source, look) };
}

/** Most batches are deltas, which are passed on as they are. */
function looking(
  source: Source<AnswerEvent>,
  look: (event: AnswerEvent) => AnswerEvent,
): Source<AnswerEvent> {
  const see = (batch: readonly AnswerEvent[] | undefined) =>
    batch?.some(isRemarkable) === true ? batch.map(look) : batch;
  return { pull: () => seen(source.pull(), see), cancel: (reason) => source.cancel(reason) };
}

const isRemarkable = ({ type }: AnswerEvent) =>
  type === "item" || type === "item_done" || type === "finish" || type === "failure";

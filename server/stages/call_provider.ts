/** Call: the innermost step. Makes the call of an endpoint with what was rendered for it, and translates what comes back. */

import type { FailureEvent, ModelEvent } from "../canonical/event.ts";
import type { WireId } from "../canonical/item.ts";
import type { Answer, Handler, Rendered, UsageReader } from "../pipeline/request_context.ts";
import type { Outbound } from "../protocols/wire.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { Fault } from "../routing/upstream_error.ts";
import { prepend, run, type Running, type Source, sourceOf } from "../stream/source.ts";
import { brokenConnection } from "../upstream/connection_failure.ts";
import type { Line } from "../upstream/upstream_call.ts";
import type { UpstreamAnswer } from "../upstream/transport.ts";
import {
  type Attempt,
  type AttemptDeps,
  attemptOf,
  came,
  failed,
  note,
  piecesOf,
  refused,
  send,
} from "./upstream_attempt.ts";
import { framesOf, streamTypes } from "./stream_framing.ts";
import { cleanFailure } from "./provider_message.ts";
import { maxEventBytes } from "./event_limit.ts";

export interface CallDeps extends AttemptDeps {
  readonly outbound: (wire: WireId) => Outbound<unknown>;
}

interface Call extends Attempt {
  readonly wire: Outbound<unknown>;
  readonly rendered: Rendered;
}

export function call(deps: CallDeps): Handler {
  return (turn) => {
    const { endpoint, rendered } = turn;
    if (endpoint === undefined) throw new Error("Cannot call: no endpoint was routed to");
    if (rendered === undefined) throw new Error("Cannot call: the request was not rendered");
    const wire = deps.outbound(endpoint.provider.wire);
    turn.onUpstreamBody?.(rendered.body);
    return make({ ...attemptOf(deps, { turn, endpoint }), wire, rendered });
  };
}

async function make(call: Call): Promise<Answer> {
  const { rendered } = call;
  try {
    const accept = call.turn.request.stream ? streamTypes[call.wire.framing ?? "sse"] : "application/json";
    const reply = await send(call, { rendered, accept });
    if (reply.status < 200 || reply.status > 299) throw await refusedBy(call, reply);
    const answer = streams(call, reply)
      ? await beginStream(call, reply)
      : wholeAnswer(call, { status: reply.status, text: await wholeText(call, reply) });
    call.turn.notes.dropped.push(...rendered.dropped);
    return answer;
  } catch (error) {
    throw came(call, error);
  }
}

function refusedBy(call: Call, reply: UpstreamAnswer): Promise<Fault> {
  const { parseError } = call.wire;
  return refused(call, { reply, parseError });
}

/** Some providers do not stream although they were asked to. */
function streams({ turn, wire }: Call, reply: UpstreamAnswer): boolean {
  if (!turn.request.stream) return false;
  const type = reply.header("content-type") ?? "";
  return type.includes(streamTypes[wire.framing ?? "sse"]);
}

function wholeText({ line, turn, deps }: Call, reply: UpstreamAnswer): Promise<string> {
  if (!turn.request.stream) line.heard();
  return reply.text(deps.limits.maxAnswerBytes);
}

interface Whole {
  readonly status: number;
  readonly text: string;
}

function wholeAnswer(call: Call, { status, text }: Whole): Answer {
  const { line, endpoint, wire, turn } = call;
  line.end();
  const events = wire.parseAnswer(parsed(text), turn.request, endpoint.provider.quirks.dialect);
  const failure = events.find(isFailure);
  if (failure !== undefined) throw failed(call, { ...failure, status });
  note(call, { status });
  return { endpoint, source: sourceOf(events) };
}

const isFailure = (event: ModelEvent) => event.type === "failure";

/** Undefined for what is not JSON: the wire's parser says what is wrong with it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * A stream has begun when its first event after the greeting is here. Until then nothing of the answer can have
 * reached the client, so a failure makes room for the next candidate (promises S2).
 */
async function beginStream(call: Call, reply: UpstreamAnswer): Promise<Answer> {
  const source = modelEvents(call, reply);
  const batches: (readonly ModelEvent[])[] = [];
  for (let begun = false; !begun;) {
    const batch = await source.pull();
    if (batch === undefined) break;
    const failure = batch.find(isFailure);
    if (failure !== undefined) {
      reply.discard();
      throw failed(call, { ...failure, status: reply.status });
    }
    batches.push(batch);
    begun = batch.some((event) => event.type !== "begin");
  }
  note(call, { status: reply.status });
  return { endpoint: call.endpoint, source: prepend(batches, source) };
}

/** The provider's bytes as model events. It never throws: a broken connection is a failure event. */
function modelEvents(call: Call, reply: UpstreamAnswer): Source<ModelEvent> {
  const { line, wire, turn, deps, endpoint, rendered } = call;
  const frames = framesOf(wire.framing ?? "sse", piecesOf(call, reply), {
    maxEventBytes: maxEventBytes(turn, rendered),
    repeats: true,
    maxBytes: deps.limits.maxAnswerBytes,
  });
  const events = run(wire.parseEvents(turn.request, endpoint.provider.quirks.dialect), frames);
  report(call, events);
  const letGo = () => {
    line.end();
    reply.discard();
  };
  return guarded({ events, line, letGo, endpoint });
}

/** Lets `spend` see what the provider has counted, also when the stream never comes to its end. */
function report(
  { turn: { reported }, wire: { usageSoFar } }: Call,
  events: Running<unknown, ModelEvent>,
): void {
  if (reported === undefined) return;
  const reader: UsageReader = {
    counts: () => usageSoFar.counts(events.state()),
    usage: () => usageSoFar.usage(events.state()),
  };
  reported.reader = reader;
}

interface Guarded {
  readonly events: Source<ModelEvent>;
  readonly line: Line;
  readonly letGo: () => void;
  readonly endpoint: Endpoint;
}

function guarded({ events, line, letGo, endpoint }: Guarded): Source<ModelEvent> {
  let over = false;
  const end = () => {
    if (!over) letGo();
    over = true;
  };
  const pull = async () => {
    if (over) return undefined;
    try {
      const batch = await events.pull();
      if (batch === undefined || batch.some(isLast)) end();
      return batch?.map((event) => event.type === "failure" ? cleaned(event, endpoint) : event);
    } catch (error) {
      end();
      return [{ type: "failure" as const, failure: line.cutFor ?? brokenConnection(error) }];
    }
  };
  return { pull, cancel: (reason) => (line.cut({ kind: "timeout", message: reason }), end()) };
}

function cleaned(event: FailureEvent, endpoint: Endpoint): FailureEvent {
  return { ...event, failure: cleanFailure(event.failure, endpoint) };
}

/** What a provider sends after its last word is not read (faults U15). */
const isLast = (event: ModelEvent) => event.type === "finish" || event.type === "failure";

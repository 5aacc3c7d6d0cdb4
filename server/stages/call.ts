/** Call: the innermost step. Makes the call of an endpoint with what was rendered for it, and translates what comes back. */

import type { Failure, FailureEvent, ModelEvent } from "../hub/event.ts";
import type { WireId } from "../hub/item.ts";
import type { Answer, Handler, Hangup, Rendered, Turn } from "../pipeline/turn.ts";
import type { Outbound } from "../protocols/wire.ts";
import { CredentialError } from "../credentials/credential_error.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { urlOf } from "../providers/address.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import { Fault } from "../routing/fault.ts";
import { prepend, run, type Source, sourceOf } from "../stream/source.ts";
import { brokenConnection } from "../upstream/broken.ts";
import { type CallLimits, Line } from "../upstream/line.ts";
import { retryAfter } from "../upstream/retry_after.ts";
import type { Transport, UpstreamAnswer } from "../upstream/transport.ts";
import { framesOf, streamTypes } from "./frames.ts";
import type { Clock } from "../world.ts";
import { cleanFailure } from "./provider_words.ts";
import { maxEventBytes } from "./event_limit.ts";

export interface CallDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Authorises calls of providers that a fixed header does not do for. */
  readonly credentials: Credentials;
  readonly limits: CallLimits;
  /** The gateway stops: answers that still run end now. */
  readonly stop: Hangup;
  readonly outbound: (wire: WireId) => Outbound<unknown>;
}

/** Bytes of a provider's error answer that are read; the rest is noise. */
const ERROR_BYTES = 64 * 1024;

interface Call {
  readonly deps: CallDeps;
  readonly turn: Turn;
  readonly endpoint: Endpoint;
  readonly wire: Outbound<unknown>;
  readonly line: Line;
  readonly startedAt: number;
}

export function call(deps: CallDeps): Handler {
  return async (turn) => {
    const { endpoint, rendered } = turn;
    if (endpoint === undefined) throw new Error("Cannot call: no endpoint was routed to");
    if (rendered === undefined) throw new Error("Cannot call: the request was not rendered");
    const wire = deps.outbound(endpoint.provider.wire);
    turn.onUpstreamBody?.(rendered.body);
    const line = new Line({
      clock: deps.clock,
      limits: deps.limits,
      streamed: turn.request.stream,
      hangup: turn.hangup,
      stop: deps.stop,
    });
    turn.notes.cut = (failure) => line.cut(failure);
    const attempt = { deps, turn, endpoint, wire, line, startedAt: deps.clock.monotonic() };
    const answer = await make(attempt, rendered);
    turn.notes.dropped.push(...rendered.dropped);
    return answer;
  };
}

async function make(call: Call, rendered: Rendered): Promise<Answer> {
  try {
    const reply = await send(call, rendered);
    return await begin(call, reply);
  } catch (error) {
    call.line.end();
    const fault = error instanceof Fault ? error : faultOf(call, error);
    note(call, { status: fault.info.status, code: fault.info.code ?? fault.info.kind });
    throw fault;
  }
}

async function send(
  { deps, endpoint, line, turn, wire }: Call,
  { path, text: body, headers }: Rendered,
): Promise<UpstreamAnswer> {
  const { provider } = endpoint;
  const { stream } = turn.request;
  const call = {
    url: urlOf(endpoint, { path, stream }),
    headers: {
      "content-type": "application/json",
      accept: stream ? streamTypes[wire.framing ?? "sse"] : "application/json",
      ...headers,
      ...provider.headers,
    },
    body,
    signal: line.signal,
  };
  if (provider.credential === undefined) return await deps.transport(call);
  const own = await deps.credentials.headersFor(provider.credential, call);
  return await deps.transport({ ...call, headers: { ...call.headers, ...own } });
}

/** Every attempt leaves its trace for the routing metadata and the receipt. */
function note(
  { turn, endpoint, deps, startedAt }: Call,
  { status, code }: { status: number; code?: string },
): void {
  const latencyMs = deps.clock.monotonic() - startedAt;
  turn.notes.upstreamMs += latencyMs;
  turn.notes.attempts.push({ endpoint, status, code, latencyMs });
}

/** A failure of the connection, or one that we caused by cutting the line. */
function faultOf({ endpoint, line }: Call, error: unknown): Fault {
  const failure = line.cutFor ??
    (error instanceof CredentialError ? unsigned(error) : brokenConnection(error));
  return new Fault({ ...failure, endpoint, status: 0, endpointSpecific: false, cause: error });
}

const unsigned = ({ message }: CredentialError): Failure => ({
  kind: "upstream_failed",
  message,
  code: "credential_failed",
});

async function begin(call: Call, reply: UpstreamAnswer): Promise<Answer> {
  if (reply.status < 200 || reply.status > 299) throw await refused(call, reply);
  const type = reply.header("content-type") ?? "";
  const streams = type.includes(streamTypes[call.wire.framing ?? "sse"]);
  if (call.turn.request.stream && streams) return await beginStream(call, reply);
  return await whole(call, reply);
}

/** The provider's own refusal, in our words; the message is passed on trimmed, with secrets redacted. */
async function refused({ deps, endpoint, wire }: Call, reply: UpstreamAnswer): Promise<Fault> {
  const { status } = reply;
  const after = retryAfter(reply.header("retry-after"), deps.clock.now());
  const { credential } = endpoint.provider;
  if (status === 401 && credential !== undefined) deps.credentials.forget(credential);
  if (status >= 300 && status < 400) {
    reply.discard();
    const message = "The provider redirects its callers, which is not followed.";
    return new Fault({ endpoint, status, kind: "upstream_failed", message, endpointSpecific: false });
  }
  const text = await reply.text(ERROR_BYTES).catch((error: unknown) =>
    `Unreadable error answer (${String(error)})`
  );
  const error = cleanFailure(wire.parseError(status, text), endpoint);
  return new Fault({ ...error, endpoint, status, retryAfter: after ?? error.retryAfter });
}

/** A whole answer, also from a provider that does not stream although it was asked to. */
async function whole(call: Call, reply: UpstreamAnswer): Promise<Answer> {
  const { line, endpoint, wire, turn, deps } = call;
  if (!turn.request.stream) line.heard();
  const text = await reply.text(deps.limits.maxAnswerBytes);
  line.end();
  const events = wire.parseAnswer(parsed(text), turn.request, endpoint.provider.quirks.dialect);
  const failure = events.find((event) => event.type === "failure");
  if (failure !== undefined) throw failed(call, { event: failure, status: reply.status });
  note(call, { status: reply.status });
  return { endpoint, source: sourceOf(events) };
}

/** Undefined for what is not JSON: the wire's parser says what is wrong with it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Failed {
  readonly event: FailureEvent;
  readonly status: number;
}

function failed({ endpoint }: Call, { event, status }: Failed): Fault {
  const failure = cleanFailure(event.failure, endpoint);
  return new Fault({ ...failure, endpoint, status, endpointSpecific: false });
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
    const failure = batch.find((event) => event.type === "failure");
    if (failure !== undefined) {
      reply.discard();
      throw failed(call, { event: failure, status: reply.status });
    }
    batches.push(batch);
    begun = batch.some((event) => event.type !== "begin");
  }
  note(call, { status: reply.status });
  return { endpoint: call.endpoint, source: prepend(batches, source) };
}

/** The provider's bytes as model events. It never throws: a broken connection is a failure event. */
function modelEvents({ line, wire, turn, deps, endpoint }: Call, reply: UpstreamAnswer): Source<ModelEvent> {
  const read = async () => {
    const bytes = await reply.read();
    if (bytes !== undefined) line.heard();
    return bytes;
  };
  const frames = framesOf(wire.framing ?? "sse", read, {
    maxEventBytes: maxEventBytes(turn),
    maxBytes: deps.limits.maxAnswerBytes,
  });
  const events = run(wire.parseEvents(turn.request, endpoint.provider.quirks.dialect), frames);
  const letGo = () => {
    line.end();
    reply.discard();
  };
  return guarded({ events, line, letGo, endpoint });
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

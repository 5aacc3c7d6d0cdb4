/** Call: the innermost step. Makes the call of an endpoint with what was rendered for it, and translates what comes back. */

import { tryParseJson } from "../../../shared/util/json.ts";
import type { FailureEvent, ModelEvent } from "../../protocols/canonical/event.ts";
import type { Handler, ModelResponse, ProviderRequest, UsageReader } from "../request_context.ts";
import type { Outbound } from "../../protocols/wire.ts";
import { traitsOf } from "../../providers/family_traits.ts";
import { isRetryable, type UpstreamError } from "../routing/upstream_error.ts";
import { bodyFormOf, peekBody, readAllAtOnce } from "../../protocols/stream/body_form.ts";
import type { ReadBytes } from "../../protocols/stream/sse.ts";
import { foldEvents } from "../../protocols/stream/state_machine.ts";
import { prepend, runMachine, type Running, type Source, sourceFrom } from "../../protocols/stream/source.ts";
import { connectionFailure } from "../../providers/upstream/connections/connection_failure.ts";
import type { UpstreamCall } from "../../providers/upstream/upstream_call.ts";
import { ResponseTooLarge, type UpstreamResponse } from "../../providers/upstream/transport.ts";
import {
  attemptError,
  failureInResponse,
  providerErrorResponse,
  readBodyChunks,
  recordAttempt,
  sendRequest,
  startAttempt,
  type UpstreamAttempt,
  type UpstreamAttemptDeps,
} from "./upstream_attempt.ts";
import type { RenderDeps } from "./render_provider_request.ts";
import { LeftOutNotes, type LeftOutNotesDeps } from "./left_out_notes.ts";
import { decodeFrames, streamContentTypes } from "./stream_framing.ts";
import { type MessageSource, redactFailure } from "./provider_message.ts";

export interface CallProviderDeps
  extends UpstreamAttemptDeps, LeftOutNotesDeps, Pick<RenderDeps, "outbound"> {}

interface Call extends UpstreamAttempt {
  readonly wire: Outbound<unknown>;
  readonly rendered: ProviderRequest;
}

export function callProvider(deps: CallProviderDeps): Handler {
  const notes = new LeftOutNotes(deps);
  return (context) => {
    const { endpoint, providerRequest } = context;
    if (endpoint === undefined) throw new Error("Cannot call: no endpoint was routed to");
    if (providerRequest === undefined) throw new Error("Cannot call: the request was not rendered");
    const wire = deps.outbound(endpoint.provider.wire, context.request);
    context.onUpstreamBody?.(providerRequest.body);
    notes.write({ context, endpoint, rendered: providerRequest });
    return makeCall({ ...startAttempt(deps, { context, endpoint }), wire, rendered: providerRequest });
  };
}

async function makeCall(call: Call): Promise<ModelResponse> {
  const { rendered, call: upstreamCall, context: { reported = {} } } = call;
  reported.wasCut = () => upstreamCall.abortReason !== undefined;
  try {
    const accept = call.context.request.stream
      ? streamContentTypes[call.wire.framing ?? "sse"]
      : "application/json";
    const reply = await sendRequest(call, { providerRequest: rendered, accept });
    if (reply.status < 200 || reply.status > 299) throw await errorResponseOf(call, reply);
    reported.hasBegun = true;
    const response = await readAnswer(call, reply);
    call.context.call.dropped.push(...rendered.dropped);
    return response;
  } catch (error) {
    throw attemptError(call, error);
  }
}

function errorResponseOf(call: Call, reply: UpstreamResponse): Promise<UpstreamError> {
  const { parseError } = call.wire;
  return providerErrorResponse(call, { reply, parseError });
}

/** An answer is read as what it is: whatever was asked for, and whatever its content type says. */
async function readAnswer(call: Call, reply: UpstreamResponse): Promise<ModelResponse> {
  const { context, wire, deps } = call;
  const type = reply.header("content-type") ?? "";
  const framing = wire.framing ?? "sse";
  const isStreamType = type.includes(streamContentTypes[framing]);
  const { status } = reply;
  // AWS's messages are no text.
  if (!context.request.stream && !isStreamType && framing === "sse") {
    call.call.stopIdleTimer();
    const text = await reply.text(deps.limits.maxResponseBytes);
    if (bodyFormOf(text) !== "stream") return wholeResponse(call, { status, events: parseWhole(call, text) });
    const read = readAllAtOnce(new TextEncoder().encode(text));
    return wholeResponse(call, { status, events: await readToEnd(eventsIn(call, read)) });
  }
  const { form, read } = await peekBody(readBodyChunks(call, reply));
  if ((form ?? (isStreamType ? "stream" : "whole")) === "whole") {
    const text = await readText({ read, reply, cap: deps.limits.maxResponseBytes });
    return wholeResponse(call, { status, events: parseWhole(call, text) });
  }
  if (!context.request.stream) {
    try {
      return wholeResponse(call, { status, events: await readToEnd(eventsIn(call, read)) });
    } finally {
      reply.discard();
    }
  }
  return await startStream(call, { status, source: modelEvents(call, { reply, read }) });
}

interface CappedBody {
  readonly read: ReadBytes;
  readonly reply: UpstreamResponse;
  /** In bytes. */
  readonly cap: number;
}

async function readText({ read, reply, cap }: CappedBody): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
    size += bytes.length;
    if (size > cap) {
      reply.discard();
      throw new ResponseTooLarge(`The provider's answer is longer than ${cap} bytes.`);
    }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** Throws where the connection breaks: of an answer that was to come whole nothing has reached the client. */
async function readToEnd(source: Source<ModelEvent>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    for (const event of batch) events.push(event);
    if (batch.some(isLast)) break;
  }
  return events;
}

/** The chunks of a stream may come as the list that they would be without events. */
function parseWhole({ wire, context, endpoint }: Call, text: string): readonly ModelEvent[] {
  const options = { traits: traitsOf(endpoint) };
  const body = tryParseJson(text);
  if (!Array.isArray(body)) return wire.parseResponse(body, context.request, options);
  const frames = body.map((chunk) => ({ data: JSON.stringify(chunk) }));
  return foldEvents(wire.parseEvents(context.request, options), frames);
}

interface WholeResponseInput {
  readonly status: number;
  readonly events: readonly ModelEvent[];
}

function wholeResponse(call: Call, { status, events }: WholeResponseInput): ModelResponse {
  const { call: upstreamCall, endpoint, context } = call;
  upstreamCall.end();
  const failure = events.find(isFailure);
  if (failure !== undefined) {
    verifyOutputStands(call, { events, failure, status });
    context.record.keepsOutput = true;
  }
  recordAttempt(call, { status });
  const shown = failure === undefined
    ? events
    : events.map((event) => redactEvent(event, { endpoint, guards: context.guards }));
  return { endpoint, source: sourceFrom(shown) };
}

const isFailure = (event: ModelEvent): event is FailureEvent => event.type === "failure";

interface FailedResponse {
  readonly events: readonly ModelEvent[];
  readonly failure: FailureEvent;
  /** The provider's. */
  readonly status: number;
}

/**
 * Throws the failure of an answer of which nothing has reached the client, where another endpoint may be asked instead
 * (promises S2) or nothing was made before it. Else what was made stands, and is paid (promises M6).
 */
function verifyOutputStands(call: Call, { events, failure, status }: FailedResponse): void {
  const error = failureInResponse(call, { ...failure, status });
  const isReplaced = call.context.hasFallback === true && isRetryable(error.info);
  if (isReplaced || !events.some(isOutput)) throw error;
}

/** Something that was made, as billing counts it. */
const isOutput = (event: ModelEvent): boolean =>
  "delta" in event ? event.delta !== "" : event.type === "item_done" && event.item?.type === "foreign";

/**
 * A stream has begun when something of its answer is here, which the greeting and the opening of a message are not.
 * Until then nothing of it can have reached the client, so a failure makes room for the next candidate (promises S2).
 */
async function startStream(
  call: Call,
  { status, source }: { readonly status: number; readonly source: Source<ModelEvent> },
): Promise<ModelResponse> {
  const batches: (readonly ModelEvent[])[] = [];
  for (let begun = false; !begun;) {
    const batch = await source.pull();
    if (batch === undefined) break;
    const failure = batch.find(isFailure);
    if (failure !== undefined) verifyOutputStands(call, { events: batch, failure, status });
    batches.push(batch);
    begun = batch.some(isOfAnswer);
  }
  recordAttempt(call, { status });
  return { endpoint: call.endpoint, source: prepend(batches, source) };
}

/** The first word follows a message that opens. What else opens is something to show, and may take long. */
const isOfAnswer = (event: ModelEvent): boolean =>
  event.type !== "begin" && !(event.type === "item" && event.item.type === "message");

/** The provider's bytes as model events. It never throws: a broken connection is a failure event. */
function modelEvents(call: Call, { reply, read }: Omit<CappedBody, "cap">): Source<ModelEvent> {
  const { call: upstreamCall, context, endpoint } = call;
  const letGo = () => {
    upstreamCall.end();
    reply.discard();
  };
  const events = eventsIn(call, read);
  return guardSource({ events, call: upstreamCall, letGo, endpoint, guards: context.guards });
}

function eventsIn(call: Call, read: ReadBytes): Source<ModelEvent> {
  const { wire, context, deps, endpoint } = call;
  const { maxResponseBytes } = deps.limits;
  // The last events of an answer repeat all of it, and the first ones the request.
  const limits = { maxEventBytes: maxResponseBytes, maxBytes: maxResponseBytes };
  const frames = decodeFrames(wire.framing ?? "sse", read, limits);
  const events = runMachine(wire.parseEvents(context.request, { traits: traitsOf(endpoint) }), frames);
  report(call, events);
  return events;
}

/** Lets `billing` see what the provider has counted, also when the stream never comes to its end. */
function report(
  { context: { reported }, wire: { usageSoFar } }: Call,
  events: Running<unknown, ModelEvent>,
): void {
  if (reported === undefined) return;
  const reader: UsageReader = {
    counts: () => usageSoFar.counts(events.state()),
    usage: () => usageSoFar.usage(events.state()),
  };
  reported.reader = reader;
}

interface GuardedSource extends MessageSource {
  readonly events: Source<ModelEvent>;
  readonly call: UpstreamCall;
  readonly letGo: () => void;
}

function guardSource({ events, call, letGo, ...source }: GuardedSource): Source<ModelEvent> {
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
      return batch?.map((event) => redactEvent(event, source));
    } catch (error) {
      end();
      return [{ type: "failure" as const, failure: call.abortReason ?? connectionFailure(error) }];
    }
  };
  return { pull, cancel: (reason) => (call.abort({ kind: "timeout", message: reason }), end()) };
}

function redactEvent(event: ModelEvent, source: MessageSource): ModelEvent {
  return event.type === "failure" ? { ...event, failure: redactFailure(event.failure, source) } : event;
}

/** True for the last event of a provider; what comes behind it is not read (faults U15). */
const isLast = (event: ModelEvent) => event.type === "finish" || event.type === "failure";

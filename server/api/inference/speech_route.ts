/** POST /audio/speech: a text in, its sound out as it comes (specification, Create speech). */

import { ApiError } from "../../../shared/errors.ts";
import { joinStrings } from "../../../shared/util/text.ts";
import { StreamedReply } from "../../http/http_server/reply.ts";
import type { Failure, OutputEvent } from "../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { SpeechOutputFormat } from "../../protocols/canonical/speech.ts";
import type { Caller, ModelResponse, RequestContext } from "../../pipeline/request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { parseSpeechRequest } from "../../speech/parse_speech_request.ts";
import { audioBody } from "./audio_body.ts";
import { authenticate, requireWork } from "../authenticate.ts";
import { readJsonBody } from "../body/read_json.ts";
import { type HttpExchange, metadataPreference } from "../http_exchange.ts";
import { ClientDisconnect } from "../client_disconnect.ts";
import { RequestRecord } from "../../pipeline/request_record.ts";
import type { InferenceDeps } from "./inference_route.ts";
import { requestOrigin } from "../request_origin.ts";
import { errorReply } from "../error_reply.ts";
import { renderRoutingMetadata } from "./routing_metadata.ts";
import { speechFrames } from "./speech_frames.ts";
import { sseBody } from "./sse_body.ts";
import { withoutPresets } from "./use_preset.ts";

export async function speechRoute(deps: InferenceDeps, exchange: HttpExchange): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  requireWork(deps, caller);
  exchange.rateLimitStanding = () => deps.rateLimitStanding(caller);
  const { request } = exchange;
  const { value } = await readJsonBody(request, { clock: deps.runtime.clock, limits: deps.limits });
  const parsed = parseSpeechRequest(withoutPresets(value, "speech"), {
    sessionId: request.headers.get("x-session-id") ?? undefined,
  });
  const job = createSpeechJob(exchange, { request: parsed, caller });
  exchange.rateLimitStanding = () => job.context.record.rateLimitStanding?.();
  return await runSpeechJob(deps, { ...job, exchange });
}

interface SpeechJob {
  readonly context: RequestContext;
  readonly clientDisconnect: ClientDisconnect;
  readonly exchange: HttpExchange;
}

interface SpeechInput {
  readonly request: ModelRequest;
  readonly caller: Caller;
}

function createSpeechJob(
  exchange: HttpExchange,
  { request, caller }: SpeechInput,
): Omit<SpeechJob, "exchange"> {
  const clientDisconnect = new ClientDisconnect();
  const record = new RequestRecord();
  const context: RequestContext = {
    request,
    caller,
    ids: { generation: joinStrings("gen-", exchange.id), request: joinStrings("req_", exchange.id) },
    clientDisconnect,
    record,
    call: record.first,
    startedAt: exchange.startedAt,
    origin: requestOrigin(exchange.request, "speech"),
  };
  return { context, clientDisconnect };
}

async function runSpeechJob(deps: InferenceDeps, job: SpeechJob): Promise<Response> {
  const { exchange, clientDisconnect, context } = job;
  clientDisconnect.watch(exchange.request, deps.runtime.clock);
  let response: ModelResponse | undefined;
  try {
    response = await deps.handler(context);
    return await audioReply(deps, { ...job, response });
  } catch (error) {
    const metadata = metadataOf(deps, { ...job, winner: response?.endpoint });
    return errorReply(error, { exchange, log: deps.runtime.log, metadata });
  } finally {
    clientDisconnect.unwatch();
    exchange.upstreamMs = context.record.upstreamMs;
    exchange.generation = context.record.receiptId;
  }
}

function metadataOf(
  { runtime, region }: InferenceDeps,
  { context, exchange, winner }: Pick<SpeechJob, "context" | "exchange"> & {
    readonly winner: Endpoint | undefined;
  },
) {
  const ms = runtime.clock.monotonic() - context.startedAt;
  return renderRoutingMetadata(context, {
    preference: metadataPreference(exchange.request.headers),
    endpoint: winner,
    region,
    ms,
  });
}

const contentTypes: { readonly [F in SpeechOutputFormat]: string } = { mp3: "audio/mpeg", pcm: "audio/pcm" };

/** The status goes out with the first sound. */
async function audioReply(
  { runtime, limits }: InferenceDeps,
  { context, clientDisconnect, response }: SpeechJob & { readonly response: ModelResponse },
): Promise<Response> {
  const sound = new AudioReplyInput(response);
  // One who left while the answer was awaited pulls no more, and nobody else would end it.
  if (clientDisconnect.fired) {
    response.source.cancel("Client disconnected.");
    throw new ApiError("timeout", "Client disconnected before its response.");
  }
  const { sampleRate, channels } = await sound.begun();
  const { format = "pcm", events = false } = context.request.speech ?? {};
  const onGone = (reason: string) => {
    clientDisconnect.fire();
    response.source.cancel(reason);
  };
  const { clock } = runtime;
  const body = events
    ? sseBody({
      clock,
      limits,
      next: speechFrames(() => sound.event()),
      startWithComment: false,
      onDisconnect: onGone,
    })
    : audioBody({ clock, writeStallMs: limits.writeStallMs, next: () => sound.next(), onDisconnect: onGone });
  const headers = {
    "content-type": events ? "text/event-stream" : contentTypes[format],
    "x-audio-sample-rate": String(sampleRate),
    "x-audio-channels": String(channels),
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  };
  return new StreamedReply(body, { status: 200, headers });
}

/** An answer's events as bytes. */
class AudioReplyInput {
  readonly #source: ModelResponse["source"];
  #waiting: readonly OutputEvent[] = [];

  constructor({ source }: ModelResponse) {
    this.#source = source;
  }

  /** How the sound is to be played: the answer's first event says it. */
  async begun(): Promise<{ readonly sampleRate: number; readonly channels: number }> {
    const event = await this.event();
    if (event?.type === "failure") throw refusalOf(event.failure);
    if (event?.type === "begin" && event.audio !== undefined) return event.audio;
    throw new Error(`Cannot speak: the answer begins with ${event?.type ?? "nothing"}`);
  }

  /** Rejects where the sound breaks off. The end waits for the receipt, as every last word does (promises M5). */
  async next(): Promise<Uint8Array | undefined> {
    for (let event = await this.event(); event !== undefined; event = await this.event()) {
      if (event.type === "audio") return event.bytes;
      if (event.type === "finish") return undefined;
      // The runtime prints what a body ends in; why it did stands in the receipt.
      if (event.type === "failure") throw new Error("The speech broke off");
    }
    throw new Error("The speech ended without a last word");
  }

  async event(): Promise<OutputEvent | undefined> {
    while (this.#waiting.length === 0) {
      const batch = await this.#source.pull();
      if (batch === undefined) return undefined;
      this.#waiting = batch;
    }
    const [first, ...others] = this.#waiting;
    this.#waiting = others;
    return first;
  }
}

const refusalOf = ({ kind, message, retryAfter }: Failure): ApiError =>
  new ApiError(kind, message, { retryAfter });

/** POST /audio/speech: a text in, its sound out as it comes (gateway-api.md, Create speech). */

import { Refusal } from "../../../shared/errors.ts";
import { joined } from "../../../shared/util/text.ts";
import { StreamedReply } from "../../http_server/reply.ts";
import type { AnswerEvent, Failure } from "../../canonical/event.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import type { SpokenFormat } from "../../canonical/speech.ts";
import type { Answer, Caller, Turn } from "../../pipeline/request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { parseSpeech } from "../../speech/parse_speech_request.ts";
import { audioBody } from "./audio_body.ts";
import { authenticate, requireInference } from "../authenticate.ts";
import { readBody } from "../read_body.ts";
import { type Exchange, metadataWish } from "../http_exchange.ts";
import { ClientHangup } from "../client_disconnect.ts";
import { blankNotes, type InferenceDeps } from "./inference_route.ts";
import { parseJson } from "../parse_json.ts";
import { originOf } from "../request_origin.ts";
import { refuse } from "../error_reply.ts";
import { routingMetadata } from "./routing_metadata.ts";
import { speechFrames } from "./speech_frames.ts";
import { sseBody } from "./sse_body.ts";

export async function speechRoute(deps: InferenceDeps, exchange: Exchange): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  requireInference(caller);
  const known = () => deps.rateOf(caller);
  exchange.rate = known;
  const { request } = exchange;
  const text = await readBody(request, { clock: deps.world.clock, limits: deps.limits });
  const parsed = parseSpeech(parseJson(text), {
    sessionId: request.headers.get("x-session-id") ?? undefined,
  });
  const job = jobOf(exchange, { request: parsed, caller });
  const told = () => job.turn.notes.rate?.();
  exchange.rate = told;
  return await answered(deps, { ...job, exchange });
}

interface Job {
  readonly turn: Turn;
  readonly hangup: ClientHangup;
  readonly exchange: Exchange;
}

interface Asked {
  readonly request: ModelRequest;
  readonly caller: Caller;
}

function jobOf(exchange: Exchange, { request, caller }: Asked): Omit<Job, "exchange"> {
  const hangup = new ClientHangup();
  const turn: Turn = {
    request,
    caller,
    ids: { generation: joined("gen-", exchange.id), request: joined("req_", exchange.id) },
    hangup,
    notes: blankNotes(),
    startedAt: exchange.startedAt,
    origin: originOf(exchange.request, "speech"),
  };
  return { turn, hangup };
}

async function answered(deps: InferenceDeps, job: Job): Promise<Response> {
  const { exchange, hangup, turn } = job;
  hangup.watch(exchange.request, deps.world.clock);
  let answer: Answer | undefined;
  try {
    answer = await deps.handler(turn);
    return await spoken(deps, { ...job, answer });
  } catch (error) {
    const metadata = metadataOf(deps, { ...job, winner: answer?.endpoint });
    return refuse(error, { exchange, log: deps.world.log, metadata });
  } finally {
    hangup.unwatch();
    exchange.upstreamMs = turn.notes.upstreamMs;
    exchange.generation = turn.notes.toldIn;
  }
}

function metadataOf(
  { world, region }: InferenceDeps,
  { turn, exchange, winner }: Pick<Job, "turn" | "exchange"> & { readonly winner: Endpoint | undefined },
) {
  const ms = world.clock.monotonic() - turn.startedAt;
  return routingMetadata(turn, { wish: metadataWish(exchange.request.headers), winner, region, ms });
}

const contentTypes: { readonly [F in SpokenFormat]: string } = { mp3: "audio/mpeg", pcm: "audio/pcm" };

/** The status goes out with the first sound. */
async function spoken(
  { world, limits }: InferenceDeps,
  { turn, hangup, answer }: Job & { readonly answer: Answer },
): Promise<Response> {
  const sound = new Sound(answer);
  // One who left while the answer was awaited pulls no more, and nobody else would end it.
  if (hangup.gone) {
    answer.source.cancel("The client left.");
    throw new Refusal("timeout", "The client left before its answer.");
  }
  const { sampleRate, channels } = await sound.begun();
  const { format = "pcm", events = false } = turn.request.speech ?? {};
  const onGone = (reason: string) => {
    hangup.fire();
    answer.source.cancel(reason);
  };
  const { clock } = world;
  const body = events
    ? sseBody({ clock, limits, next: speechFrames(() => sound.event()), startWithComment: false, onGone })
    : audioBody({ clock, writeStallMs: limits.writeStallMs, next: () => sound.next(), onGone });
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
class Sound {
  readonly #source: Answer["source"];
  #waiting: readonly AnswerEvent[] = [];

  constructor({ source }: Answer) {
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

  async event(): Promise<AnswerEvent | undefined> {
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

const refusalOf = ({ kind, message, retryAfter }: Failure): Refusal =>
  new Refusal(kind, message, { retryAfter });

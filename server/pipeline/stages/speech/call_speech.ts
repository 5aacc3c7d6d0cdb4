/**
 * Call, for a text that is to be spoken: the chunks of the text one after the other, each chunk's sound as it
 * comes, in the format that was asked for. The first sound begins the answer (promises S2).
 */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { SpeechOutputFormat } from "../../../protocols/canonical/speech.ts";
import type { Handler, ModelResponse } from "../../request_context.ts";
import { type AudioTarget, convert, type EncodedAudioStream } from "../../../speech/audio/convert.ts";
import { joinSegments } from "../../../speech/audio/join_segments.ts";
import { prepend } from "../../../protocols/stream/source.ts";
import {
  attemptError,
  failureInResponse,
  recordAttempt,
  startAttempt,
  type UpstreamAttempt,
  type UpstreamAttemptDeps,
} from "../upstream_attempt.ts";
import { renderSpeechChunk, speechChunks, speechDialectOf, type SpeechRenderDeps } from "./render_speech.ts";
import {
  callForAudio,
  type EncodedAudio,
  type ProviderReport,
  SpeechFailure,
  speechFailureOf,
} from "./speech_audio.ts";
import { SpeechProgress } from "./speech_progress.ts";
import { AudioError } from "../../../speech/audio/audio_error.ts";

export interface SpeechCallDeps extends UpstreamAttemptDeps, SpeechRenderDeps {}

/** Raw samples are those of OpenAI's service, which clients play without being told. */
const targets: { readonly [F in SpeechOutputFormat]: AudioTarget } = {
  pcm: { codec: "pcm", sampleRate: 24_000, channels: 1 },
  mp3: { codec: "mp3" },
};

export function callSpeech(deps: SpeechCallDeps): Handler {
  return async (context) => {
    const { endpoint } = context;
    if (endpoint === undefined) throw new Error("Cannot call: no endpoint was routed to");
    const dialect = speechDialectOf(deps, endpoint);
    const chunks = speechChunks(deps, { context, endpoint });
    const attempt = startAttempt(deps, { context, endpoint });
    const speech = new SpeechProgress({ attempt, dialect, chunks });
    try {
      return await startSpeech(deps, speech);
    } catch (error) {
      throw attemptError(attempt, faultOf(attempt, { error, report: speech.report }));
    }
  };
}

interface BrokenSpeech {
  readonly error: unknown;
  readonly report: ProviderReport;
}

/** Finds the fault of a broken answer: the endpoint's where the answer is wrong, else the connection's. */
function faultOf(attempt: UpstreamAttempt, { error, report }: BrokenSpeech): unknown {
  if (attempt.call.abortReason !== undefined) return error;
  if (!(error instanceof SpeechFailure || error instanceof AudioError)) return error;
  return failureInResponse(attempt, { failure: speechFailureOf(error), status: report.status ?? 0 });
}

/** The answer has begun when its first sound is here: until then a failure makes room for the next candidate. */
async function startSpeech(deps: SpeechCallDeps, speech: SpeechProgress): Promise<ModelResponse> {
  const { attempt, report } = speech;
  const converted = await readFirstAudio(deps, speech);
  const first = await converted.source.pull();
  if (first === undefined) throw new AudioError("empty", "there is none");
  recordAttempt(attempt, { status: report.status ?? 0 });
  attempt.context.call.dropped.push(...attempt.context.providerRequest?.dropped ?? []);
  const { sampleRate, channels } = converted;
  const greeting: OutputEvent = {
    type: "begin",
    upstreamId: report.upstreamId,
    audio: { sampleRate, channels },
  };
  const source = speech.finish(prepend([first], converted.source));
  return { endpoint: attempt.endpoint, source: prepend([[greeting]], source) };
}

/** The sound of all chunks in the client's format. One that is already in it passes as it is. */
async function readFirstAudio(deps: SpeechCallDeps, speech: SpeechProgress): Promise<EncodedAudioStream> {
  const { attempt: { context }, chunks } = speech;
  const to = targets[context.request.speech?.format ?? "pcm"];
  if (chunks.length < 2) {
    const { source, format } = await audioOfChunk(deps, { speech, at: 0 });
    return await convert(source, { from: format, to });
  }
  let at = 0;
  const next = async () => {
    if (at >= chunks.length) return undefined;
    const { source, format } = await audioOfChunk(deps, { speech, at: at++ });
    return { source, from: format };
  };
  return await joinSegments({ next, to });
}

interface Place {
  readonly speech: SpeechProgress;
  readonly at: number;
}

async function audioOfChunk(deps: SpeechCallDeps, { speech, at }: Place): Promise<EncodedAudio> {
  const { attempt, dialect, chunks, report } = speech;
  const { context, endpoint } = attempt;
  // `billing` has rendered the first chunk already, which may hold a recording.
  const spoken = at === 0 && context.providerRequest
    ? context.providerRequest
    : renderSpeechChunk(deps, { context, endpoint, pieces: chunks, at });
  speech.chunkSent(at);
  const sound = await callForAudio({ attempt, dialect, speech: spoken, report, at });
  return { ...sound, source: speech.timed(sound) };
}

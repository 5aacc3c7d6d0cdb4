/** `POST /audio/speech` and `GET /audio/voices` of the built-in provider: a text as sound, sentence by sentence. */

import { pause } from "../../../shared/util/pause.ts";
import { type SampleBlock, splitBlock } from "../../speech/audio/samples.ts";
import { encode } from "../../speech/audio/encode.ts";
import { splitSentences, splitText } from "../../speech/audio/split_text.ts";
import { renderWavHeader } from "../../speech/audio/codecs/wav.ts";
import { prepend, type Source } from "../../protocols/stream/source.ts";
import type { Runtime } from "../../runtime.ts";
import type { LocalRequest } from "../local_request.ts";
import { WireError } from "../wire_error.ts";
import { VOICE_SAMPLE_RATE } from "./worker_messages.ts";
import { type PackageOptions, VoicesUnavailable } from "./voice_package.ts";
import {
  emptySpeechError,
  type LocalAudioFormat,
  type LocalSpeechRequest,
  parseLocalSpeechRequest,
} from "./parse_speech_request.ts";
import { VoicesComing, VoiceSupply } from "./voice_supply.ts";
import { SpeechWorkerPool } from "./speech_worker_pool.ts";
import { voiceNames } from "../../../shared/embedded_voices.ts";

export interface SpeechSynthesizer {
  /** Answers `POST /audio/speech`. Throws a WireError. */
  readonly speak: (request: LocalRequest) => Promise<Response>;
  readonly workers: SpeechWorkerPool;
  readonly close: () => void;
}

export interface SpeechSynthesizerOptions extends Omit<PackageOptions, "runtime"> {
  readonly runtime: Runtime;
}

/** Samples a second of the answers: what callers of the original take raw samples to have. */
const SPOKEN_RATE = 24_000;
/** Characters that are spoken at one go, at most: under a second of work. */
const LONGEST_SENTENCE = 400;
/** Requests at a time. */
const MOST_REQUESTS = 32;

const contentTypes = { mp3: "audio/mpeg", wav: "audio/wav", pcm: "audio/pcm" } as const;

export function createSpeechSynthesizer(options: SpeechSynthesizerOptions): SpeechSynthesizer {
  const supply = new VoiceSupply(options);
  const talkers = new SpeechWorkerPool({ clock: options.runtime.clock, files: () => supply.files() });
  let open = 0;
  const speak = async (request: LocalRequest) => {
    const wanted = parseLocalSpeechRequest(await request.text());
    if (open >= MOST_REQUESTS) throw tooManySpeechRequests();
    open++;
    try {
      await supply.ready(request.signal);
      const left = () => open--;
      return await answerTo(wanted, { talkers, signal: request.signal, left });
    } catch (error) {
      open--;
      // Nobody reads what is answered to a caller who has left.
      if (request.signal.aborted) return new Response(null, { status: 499 });
      if (error instanceof VoicesUnavailable) throw missing(error);
      if (error instanceof VoicesComing) throw coming(error);
      throw error;
    }
  };
  return { speak, workers: talkers, close: () => talkers.close() };
}

/** The voices that there are, as some compatible hosts list theirs. */
export function voicesResponse(): Response {
  return Response.json({ voices: voiceNames });
}

interface Speaking {
  readonly talkers: SpeechWorkerPool;
  readonly signal: AbortSignal;
  /** The answer is over, however it ended. */
  readonly left: () => void;
}

/** Resolves when the first sentence is spoken, so that what cannot be spoken is told by a status. */
async function answerTo(wanted: LocalSpeechRequest, { talkers, signal, left }: Speaking): Promise<Response> {
  const blocks = speakSentences(wanted, { talkers, signal });
  const first = await blocks.pull();
  if (first === undefined) throw emptySpeechError();
  const sound = {
    sampleRate: VOICE_SAMPLE_RATE,
    channels: 1,
    blocks: prepend([first], blocks),
  };
  const codec = wanted.format === "mp3" ? "mp3" : "pcm";
  const speech = await encode(sound, { codec, sampleRate: SPOKEN_RATE });
  const source = headed(speech.source, wanted.format);
  return new Response(bodyOf(source, left), {
    headers: {
      "content-type": contentTypes[wanted.format],
      "x-audio-sample-rate": String(speech.sampleRate),
      "x-audio-channels": String(speech.channels),
      "cache-control": "no-store",
    },
  });
}

function headed(source: Source<Uint8Array>, format: LocalAudioFormat): Source<Uint8Array> {
  if (format !== "wav") return source;
  return prepend([[renderWavHeader({ sampleRate: SPOKEN_RATE, channels: 1 })]], source);
}

/** Block by block; the next sentence is spoken when the one before has been taken. */
function speakSentences(
  wanted: LocalSpeechRequest,
  { talkers, signal }: Omit<Speaking, "left">,
): Source<SampleBlock> {
  const { input, voice, speed } = wanted;
  const texts = splitSentences(input).flatMap((sentence) => splitText(sentence, LONGEST_SENTENCE));
  const gone = new AbortController();
  const either = AbortSignal.any([signal, gone.signal]);
  let next = 0;
  let blocks: readonly SampleBlock[] = [];
  const pull = async (): Promise<readonly SampleBlock[] | undefined> => {
    while (blocks.length === 0 && next < texts.length && !gone.signal.aborted) {
      const text = texts[next++] ?? "";
      if (text.trim() !== "") blocks = splitBlock([await talkers.speak({ text, voice, speed }, either)]);
    }
    const [block, ...rest] = blocks;
    blocks = rest;
    // A sentence is there at once; what is made of it must not hold up everybody else.
    await pause();
    return block === undefined ? undefined : [block];
  };
  return { pull, cancel: (reason) => gone.abort(new Error(reason)) };
}

function bodyOf(source: Source<Uint8Array>, left: () => void): ReadableStream<Uint8Array> {
  let open = true;
  const end = () => {
    if (open) left();
    open = false;
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const batch = await source.pull();
      if (batch !== undefined) return batch.forEach((bytes) => controller.enqueue(bytes));
      end();
      controller.close();
    } catch (error) {
      end();
      throw error;
    }
  };
  const cancel = () => {
    end();
    source.cancel("the caller has left");
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

function tooManySpeechRequests(): WireError {
  const message = "Too many texts are being spoken. Try again in a moment.";
  const body = { message, type: "requests", code: "rate_limit_exceeded" };
  return new WireError(429, body, { "retry-after": "2" });
}

/** Not there at all, until somebody does what the message says: a model that has to be installed first. */
function missing({ message }: VoicesUnavailable): WireError {
  return new WireError(404, { message, type: "invalid_request_error", code: "voices_missing" });
}

function coming({ message }: VoicesComing): WireError {
  const body = { message, type: "server_error", code: "voices_loading" };
  return new WireError(503, body, { "retry-after": "10" });
}

/**
 * Call, for a text that is to be spoken: the pieces of the text one after the other, each piece's sound as it comes,
 * in the format that was asked for. The first sound begins the answer (promises S2).
 */

import type { AnswerEvent } from "../../canonical/event.ts";
import type { SpokenFormat } from "../../canonical/speech.ts";
import type { Answer, Handler } from "../../pipeline/request_context.ts";
import { type AudioTarget, convert, type Converted } from "../../speech/audio/convert.ts";
import { join } from "../../speech/audio/join_segments.ts";
import { prepend } from "../../stream/source.ts";
import { type Attempt, type AttemptDeps, attemptOf, came, failed, note } from "../upstream_attempt.ts";
import { dialectAt, piecesOf, renderPiece, type SpeechRenderDeps } from "./render_speech.ts";
import { failureOfSound, type Heard, type Sound, SoundFailure, soundOf } from "./speech_audio.ts";
import { Speech } from "./speech_progress.ts";
import { AudioFault } from "../../speech/audio/audio_error.ts";

export interface SpeechCallDeps extends AttemptDeps, SpeechRenderDeps {}

/** Raw samples are those of OpenAI's service, which clients play without being told. */
const targets: { readonly [F in SpokenFormat]: AudioTarget } = {
  pcm: { codec: "pcm", sampleRate: 24_000, channels: 1 },
  mp3: { codec: "mp3" },
};

export function speechCall(deps: SpeechCallDeps): Handler {
  return async (turn) => {
    const { endpoint } = turn;
    if (endpoint === undefined) throw new Error("Cannot call: no endpoint was routed to");
    const dialect = dialectAt(deps, endpoint);
    const pieces = piecesOf(deps, { turn, endpoint });
    const attempt = attemptOf(deps, { turn, endpoint });
    const speech = new Speech({ attempt, dialect, pieces });
    try {
      return await begin(deps, speech);
    } catch (error) {
      throw came(attempt, faultOf(attempt, { error, heard: speech.heard }));
    }
  };
}

interface Broken {
  readonly error: unknown;
  readonly heard: Heard;
}

/** What is wrong with an answer is the endpoint's fault; what is wrong with the line is told by the line. */
function faultOf(attempt: Attempt, { error, heard }: Broken): unknown {
  if (attempt.line.cutFor !== undefined) return error;
  if (!(error instanceof SoundFailure || error instanceof AudioFault)) return error;
  return failed(attempt, { failure: failureOfSound(error), status: heard.status ?? 0 });
}

/** The answer has begun when its first sound is here: until then a failure makes room for the next candidate. */
async function begin(deps: SpeechCallDeps, speech: Speech): Promise<Answer> {
  const { attempt, heard } = speech;
  const converted = await heardIn(deps, speech);
  const first = await converted.source.pull();
  if (first === undefined) throw new AudioFault("empty", "there is none");
  note(attempt, { status: heard.status ?? 0 });
  attempt.turn.notes.dropped.push(...attempt.turn.rendered?.dropped ?? []);
  const { sampleRate, channels } = converted;
  const greeting: AnswerEvent = {
    type: "begin",
    upstreamId: heard.upstreamId,
    audio: { sampleRate, channels },
  };
  const source = speech.told(prepend([first], converted.source));
  return { endpoint: attempt.endpoint, source: prepend([[greeting]], source) };
}

/** The sound of all pieces in the client's format. One that is already in it passes as it is. */
async function heardIn(deps: SpeechCallDeps, speech: Speech): Promise<Converted> {
  const { attempt: { turn }, pieces } = speech;
  const to = targets[turn.request.speech?.format ?? "pcm"];
  if (pieces.length < 2) {
    const { source, format } = await soundAt(deps, { speech, at: 0 });
    return await convert(source, { from: format, to });
  }
  let at = 0;
  const next = async () => {
    if (at >= pieces.length) return undefined;
    const { source, format } = await soundAt(deps, { speech, at: at++ });
    return { source, from: format };
  };
  return await join({ next, to });
}

interface Place {
  readonly speech: Speech;
  readonly at: number;
}

async function soundAt(deps: SpeechCallDeps, { speech, at }: Place): Promise<Sound> {
  const { attempt, dialect, pieces, heard } = speech;
  const { turn, endpoint } = attempt;
  // `spend` has rendered the first piece already, which may hold a recording.
  const spoken = at === 0 && turn.rendered
    ? turn.rendered
    : renderPiece(deps, { turn, endpoint, pieces, at });
  speech.gave(at);
  const sound = await soundOf({ attempt, dialect, spoken, heard, at });
  return { ...sound, source: speech.timed(sound) };
}

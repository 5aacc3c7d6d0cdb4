/** The provider's answer to one chunk of a text, as sound in its own format. */

import { ApiError } from "../../../../shared/errors.ts";
import type { ReportedCounts } from "../../../protocols/canonical/usage.ts";
import type { Failure } from "../../../protocols/canonical/event.ts";
import type { AudioFormat } from "../../../protocols/canonical/speech.ts";
import { UpstreamError } from "../../routing/upstream_error.ts";
import { AudioError } from "../../../speech/audio/convert.ts";
import type { SpeechDialect, SpeechFrame, SpeechResponseFormat } from "../../../speech/dialect.ts";
import { sseSource } from "../../../protocols/stream/sse.ts";
import type { Source } from "../../../protocols/stream/source.ts";
import { connectionFailure } from "../../../providers/upstream/connections/connection_failure.ts";
import type { UpstreamResponse } from "../../../providers/upstream/transport.ts";
import {
  providerErrorResponse,
  readBodyChunks,
  sendRequest,
  type UpstreamAttempt,
} from "../upstream_attempt.ts";
import type { ProviderRequest } from "../../request_context.ts";

/** The state of the provider's answers so far. */
export interface ProviderReport {
  /** Status of the first answer. */
  status?: number;
  upstreamId?: string;
  /** Last counts that each chunk's answer reported, by the chunk's position. */
  readonly metered: Map<number, ReportedCounts>;
}

export interface EncodedAudio {
  readonly format: AudioFormat;
  /** Rejects with a {@link SpeechFailure} for what the provider tells, and with whatever the connection does. */
  readonly source: Source<Uint8Array>;
}

/** The provider says in its answer that there will be no (more) sound. */
export class SpeechFailure extends Error {
  override readonly name = "SpeechFailure";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The failure that broke an answer which had begun. */
export function speechFailureOf(error: unknown): Failure {
  if (error instanceof SpeechFailure) return error.failure;
  if (error instanceof AudioError) {
    return {
      kind: "upstream_failed",
      message: `The provider's sound is unusable: ${error.message}`,
      code: error.kind,
    };
  }
  if (error instanceof UpstreamError || error instanceof ApiError) {
    const { kind, message } = error instanceof UpstreamError ? error.info : error;
    return { kind, message };
  }
  return connectionFailure(error);
}

interface SpeechCallInput {
  readonly attempt: UpstreamAttempt;
  readonly dialect: SpeechDialect;
  /** With its `call`. */
  readonly speech: ProviderRequest;
  readonly report: ProviderReport;
  /** The chunk's place. */
  readonly at: number;
}

/** Makes the call. Throws an UpstreamError for the provider's error. */
export async function callForAudio(
  { attempt, dialect, speech, report, at }: SpeechCallInput,
): Promise<EncodedAudio> {
  const { speech: call } = speech;
  if (call === undefined) throw new Error("Cannot speak: what was rendered is no call for speech");
  const reply = await sendRequest(attempt, { providerRequest: speech, further: report.status !== undefined });
  report.status ??= reply.status;
  if (reply.status < 200 || reply.status > 299) {
    throw await providerErrorResponse(attempt, { reply, parseError: dialect.parseError });
  }
  const contentType = reply.header("content-type") ?? "";
  const answer = dialect.parseResponse({ contentType, header: (name) => reply.header(name) }, call);
  return opened({ attempt, reply, report, at }, answer);
}

interface Reading {
  readonly attempt: UpstreamAttempt;
  readonly reply: UpstreamResponse;
  readonly report: ProviderReport;
  readonly at: number;
}

function opened(reading: Reading, answer: SpeechResponseFormat): EncodedAudio {
  const { reply, report, at } = reading;
  switch (answer.type) {
    case "failure":
      reply.discard();
      throw new SpeechFailure(answer.failure);
    case "sound":
      report.upstreamId ??= answer.upstreamId;
      if (answer.usage !== undefined) report.metered.set(at, answer.usage);
      return { format: answer.format, source: bodyOf(reading) };
    case "frames":
      return { format: answer.format, source: framed(reading, answer) };
    default:
      return answer satisfies never;
  }
}

/** The body, chunk by chunk. */
function bodyOf({ attempt, reply }: Reading): Source<Uint8Array> {
  const read = readBodyChunks(attempt, reply);
  const pull = async () => {
    const bytes = await read();
    return bytes === undefined ? undefined : [bytes];
  };
  return { pull, cancel: () => reply.discard() };
}

type Frames = Extract<SpeechResponseFormat, { readonly type: "frames" }>;
interface Frame {
  readonly data: string;
  readonly event?: string;
}

/** Base64 in frames: an event is a second of sound or some, an object in all may be a whole speech. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

function framed(reading: Reading, answer: Frames): Source<Uint8Array> {
  const { reply, report, at } = reading;
  const frames = framesOf(reading, answer);
  let last = false;
  const noted = ({ usage, upstreamId, failure, last: over, audio }: SpeechFrame): readonly Uint8Array[] => {
    if (failure !== undefined) {
      reply.discard();
      throw new SpeechFailure(failure);
    }
    report.upstreamId ??= upstreamId;
    if (usage !== undefined) report.metered.set(at, usage);
    last ||= over === true;
    return audio === undefined ? [] : [audio];
  };
  const pull = async (): Promise<readonly Uint8Array[] | undefined> => {
    while (!last) {
      const batch = await frames.pull();
      if (batch === undefined) {
        if (answer.demandsLast) throw new SpeechFailure(cutOff);
        return undefined;
      }
      const sound = batch.flatMap(({ data, event }) => last ? [] : noted(answer.read(data, event)));
      if (last) reply.discard();
      if (sound.length > 0) return sound;
    }
    return undefined;
  };
  return { pull, cancel: () => reply.discard() };
}

const cutOff: Failure = {
  kind: "upstream_failed",
  message: "The provider's answer ended without its last word.",
  code: "cut",
};

function framesOf({ attempt, reply }: Reading, { framing }: Frames): Source<Frame> {
  const read = readBodyChunks(attempt, reply);
  switch (framing) {
    case "sse":
      return sseSource(read, { maxEventBytes: MAX_FRAME_BYTES });
    case "lines":
      return linesOf(read);
    case "whole":
      return readWholeAudio(reply);
    default:
      return framing satisfies never;
  }
}

function readWholeAudio(reply: UpstreamResponse): Source<Frame> {
  let over = false;
  const pull = async () => {
    if (over) return undefined;
    over = true;
    return [{ data: await reply.text(MAX_WHOLE_BYTES) }];
  };
  return { pull, cancel: () => reply.discard() };
}

/** Objects a line (NDJSON); the last one needs no end of line. */
function linesOf(read: () => Promise<Uint8Array | undefined>): Source<Frame> {
  const decoder = new TextDecoder();
  let rest = "";
  let over = false;
  const pull = async (): Promise<readonly Frame[] | undefined> => {
    if (over) return undefined;
    const bytes = await read();
    over = bytes === undefined;
    const lines = (rest + decoder.decode(bytes, { stream: !over })).split(/\r?\n/);
    rest = over ? "" : lines.pop() ?? "";
    if (rest.length > MAX_FRAME_BYTES) {
      throw new SpeechFailure({ ...cutOff, message: "The provider sent more than it may." });
    }
    return lines.filter((line) => line.trim() !== "").map((data) => ({ data }));
  };
  return { pull, cancel: () => {} };
}

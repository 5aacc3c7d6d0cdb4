/** The body of POST /audio/speech → the canonical request: a text, and how it is to be spoken. */

import { ApiError } from "../../shared/errors.ts";
import { countCodePoints, validate } from "../../shared/validation/validate.ts";
import { MAX_INPUT_CHARACTERS, type SpeechRequest, speechRequest } from "../../shared/speech.ts";
import type { Item } from "../protocols/canonical/item.ts";
import type { ModelRequest } from "../protocols/canonical/request.ts";
import type { SpeechOptions } from "../protocols/canonical/speech.ts";
import { invalidRequestError } from "../protocols/common/inbound/request_errors.ts";
import { parseSessionId } from "../protocols/common/inbound/parse_session_id.ts";
import type { ParseOptions } from "../protocols/wire.ts";
import { type ParsedReference, parseVoiceReference } from "./voice_reference.ts";

/** Throws API errors: 400 that names the place, 413 for a recording that is too large. */
export function parseSpeechRequest(body: unknown, { sessionId }: ParseOptions = {}): ModelRequest {
  const checked = validate(speechRequest, body);
  if (!checked.ok) throw invalidRequestError(checked.faults);
  return requestOf(checked.value, sessionId);
}

function requestOf(body: SpeechRequest, sessionId: string | undefined): ModelRequest {
  const input = parseVoiceReference(body.input_references);
  const { options: _, ...preferences } = body.provider ?? {};
  return {
    model: body.model ?? undefined,
    models: body.models ?? [],
    instructions: body.instructions || undefined,
    input: [
      received(requireText(body.input)),
      ...(input?.transcript === undefined ? [] : [received(input.transcript)]),
    ],
    tools: [],
    sampling: {},
    format: { type: "text" },
    speech: parseSpeechOptions(body, input),
    // Sound flows as it comes, so that it is a stream for deadlines, rate limits and the receipt.
    stream: true,
    include: [],
    endUser: { user: body.user || undefined },
    sessionId: parseSessionId(body.session_id, sessionId),
    plugins: [],
    provider: body.provider ? preferences : undefined,
    trace: body.trace ?? undefined,
    echoUpstreamBody: false,
    dropped: [],
  };
}

function parseSpeechOptions(body: SpeechRequest, input: ParsedReference | undefined): SpeechOptions {
  const { voice } = body;
  return {
    voice: typeof voice === "string" ? voice : voice?.id,
    customVoice: typeof voice === "object" && voice !== null,
    format: body.response_format ?? "pcm",
    events: body.stream_format === "sse",
    speed: body.speed ?? undefined,
    reference: input?.reference,
    options: body.provider?.options ?? {},
  };
}

/** Refuses a text of nothing but spaces: providers answer it with an error or an empty file. */
function requireText(input: string): string {
  if (input.length > MAX_INPUT_CHARACTERS && countCodePoints(input) > MAX_INPUT_CHARACTERS) {
    const message = `input is ${
      countCodePoints(input)
    } characters long; at most ${MAX_INPUT_CHARACTERS} are allowed`;
    throw new ApiError("too_large", message, { metadata: { path: "input" } });
  }
  if (input.trim() !== "") return input;
  throw new ApiError("invalid_request", "input holds nothing but spaces; a text to be spoken is expected", {
    metadata: { path: "input" },
  });
}

const received = (text: string): Item => ({ type: "message", role: "user", parts: [{ type: "text", text }] });

/**
 * A text that is to be spoken, in the words of an endpoint's dialect: a call for each chunk that it takes at a
 * time.
 */

import { ApiError } from "../../../../shared/errors.ts";
import { writeJson } from "../../../../shared/util/json.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { SpeechDialectId } from "../../../protocols/canonical/speech.ts";
import type { ProviderRequest, RequestContext } from "../../request_context.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { splitText } from "../../../speech/audio/split_text.ts";
import type {
  RenderedSpeechRequest,
  SpeechDialect,
  SpeechEndpoint,
  SpeechRequestPart,
} from "../../../speech/dialect.ts";
import { renderMultipart } from "../../../speech/multipart_form.ts";
import { referenceTranscript, speechInputText } from "../../../protocols/canonical/request.ts";

export interface SpeechRenderDeps {
  readonly dialectOf: (id: SpeechDialectId) => SpeechDialect;
}

export interface SpeechTarget {
  readonly context: Pick<RequestContext, "request">;
  readonly endpoint: Endpoint;
}

/** How an endpoint is asked to speak. Routing passes over those that have no way. */
export function speechDialectOf({ dialectOf }: SpeechRenderDeps, { provider }: Endpoint): SpeechDialect {
  if (provider.speech === undefined) throw new Error(`Cannot speak: ${provider.id} has no dialect`);
  return dialectOf(provider.speech);
}

/** The chunks in which the endpoint gets the text: at least one. */
export function speechChunks(deps: SpeechRenderDeps, { context, endpoint }: SpeechTarget): readonly string[] {
  const { request } = context;
  const most = endpoint.speech?.maxChars ?? speechDialectOf(deps, endpoint).maxChars;
  const known = split.get(request.input);
  if (known?.most === most) return known.pieces;
  const chunks = splitText(speechInputText(request), most);
  split.set(request.input, { most, pieces: chunks });
  return chunks;
}

/** Long texts take their time, and are asked for when their price is told and when they are spoken. */
const split = new WeakMap<RequestContext["request"]["input"], Split>();

interface Split {
  readonly most: number;
  readonly pieces: readonly string[];
}

interface SpeechChunkInput extends SpeechTarget {
  readonly pieces: readonly string[];
  readonly at: number;
}

/** Throws an ApiError (400) where the dialect cannot say what was asked. */
export function renderSpeechChunk(deps: SpeechRenderDeps, chunk: SpeechChunkInput): ProviderRequest {
  const { endpoint } = chunk;
  const call = speechDialectOf(deps, endpoint).render(buildUtterance(chunk), speechEndpoint(endpoint));
  return { speech: call, path: call.path, dropped: call.dropped, ...bodyOf(call) };
}

function speechEndpoint({ upstreamModel, speech, provider: { quirks } }: Endpoint): SpeechEndpoint {
  return {
    upstreamModel,
    traits: speech ?? { clones: false },
    omit: quirks.speechOmit ?? [],
    extraBody: quirks.speechBody ?? {},
  };
}

function buildUtterance(
  { context: { request }, endpoint, pieces, at }: SpeechChunkInput,
): SpeechRequestPart {
  const { speech } = request;
  if (speech === undefined) throw new Error("Cannot speak: the request asks for no speech");
  const { reference, customVoice, format, speed, options } = speech;
  return {
    text: pieces[at] ?? "",
    before: pieces[at - 1],
    after: pieces[at + 1],
    voice: voiceAt(speech, endpoint),
    customVoice,
    format,
    speed,
    instructions: request.instructions,
    reference: reference && {
      data: reference.data,
      mediaType: reference.mediaType,
      transcript: referenceTranscript(request),
    },
    options: optionsFor(endpoint, options),
  };
}

/** Fields that decide what is charged: no request changes them behind the back of the price. */
const fixed: ReadonlySet<string> = new Set([
  "candidate_count",
  "candidatecount",
  "contents",
  "input",
  "model",
  "model_id",
  "modelid",
  "n",
  "ssml",
  "stream_format",
  "text",
  "transcript",
]);

/** Under the provider's own name, or that of which it is a variant. */
function optionsFor(
  { provider: { id } }: Endpoint,
  options: VoiceRequest["options"],
): VoiceRequest["options"][string] {
  const slug = [id, id.split("/", 1)[0] ?? id].find((name) => Object.hasOwn(options, name));
  const own = slug === undefined ? {} : ownValue(options, slug) ?? {};
  const key = Object.keys(own).find((name) => fixed.has(name.toLowerCase()));
  if (key === undefined) return own;
  const path = `provider.options.${slug}.${key}`;
  throw new ApiError("invalid_request", `${path} cannot be set: the request says it elsewhere`, {
    metadata: { path },
  });
}

type VoiceRequest = NonNullable<RequestContext["request"]["speech"]>;

/** Where an endpoint's voices are listed, no others are there: another endpoint may have the one that is asked for. */
function voiceAt({ voice, customVoice, reference }: VoiceRequest, { speech }: Endpoint): string | undefined {
  if (voice === undefined) return reference === undefined ? speech?.defaultVoice : undefined;
  const { voices } = speech ?? {};
  if (customVoice || voices === undefined || voices.includes(voice)) return voice;
  const known = voices.slice(0, 40).join(", ") + (voices.length > 40 ? ", …" : "");
  throw new ApiError("invalid_request", `voice is ${JSON.stringify(voice.slice(0, 60))}; allowed: ${known}`, {
    metadata: { path: "voice" },
  });
}

type Body = Pick<ProviderRequest, "body" | "text" | "bytes" | "headers">;

/** Compressed answers would have to be undone before their sound is known. */
const fallback = { accept: "*/*" } as const;

function bodyOf({ body, headers }: RenderedSpeechRequest): Body {
  switch (body.type) {
    case "json":
      return { body: body.value, text: writeJson(body.value), headers: { ...fallback, ...headers } };
    case "text":
      return {
        body: {},
        text: body.text,
        headers: { ...fallback, "content-type": body.mediaType, ...headers },
      };
    case "form": {
      const { bytes, contentType } = renderMultipart(body.parts);
      return { body: {}, text: "", bytes, headers: { ...fallback, "content-type": contentType, ...headers } };
    }
    default:
      return body satisfies never;
  }
}

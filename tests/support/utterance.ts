/** Fixtures for tests of the dialects of speech: an utterance, an endpoint, the head of an answer. */

import type {
  RenderedSpeechRequest,
  SpeechEndpoint,
  SpeechRequestPart,
  SpeechResponseHead,
} from "../../server/speech/dialect.ts";
import type { SpeechCapabilities } from "../../server/protocols/canonical/speech.ts";

export const utterance = (changes: Partial<SpeechRequestPart> = {}): SpeechRequestPart => ({
  text: "Good morning.",
  voice: "vera",
  customVoice: false,
  format: "pcm",
  options: {},
  ...changes,
});

export interface EndpointPreference {
  readonly traits?: Partial<SpeechCapabilities>;
  readonly omit?: readonly string[];
  readonly extraBody?: SpeechEndpoint["extraBody"];
}

export const speechEndpoint = (
  upstreamModel: string,
  { traits = {}, omit = [], extraBody = {} }: EndpointPreference = {},
): SpeechEndpoint => ({ upstreamModel, traits: { clones: false, ...traits }, omit, extraBody });

/** Names of headers in any spelling, as the transport has them. */
export function speechHead(
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): SpeechResponseHead {
  const all = new Headers(headers);
  return { contentType, header: (name) => all.get(name) };
}

/** Its path without the query, the query, and the body. */
export function partsOf({ path, body }: RenderedSpeechRequest) {
  const url = new URL(path, "http://provider.example");
  return {
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: body.type === "json" ? body.value : body.type === "text" ? body.text : undefined,
  };
}

export const base64 = (...bytes: readonly number[]): string => new Uint8Array(bytes).toBase64();

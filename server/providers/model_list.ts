/** Where a provider lists its models: the cheapest question that tells whether it takes a key. */

import type { SpeechDialectId } from "../protocols/canonical/speech.ts";
import type { Provider } from "./endpoint.ts";

/** Paths of the model lists that providers have for speech alone. */
const speechPaths: Readonly<Partial<Record<SpeechDialectId, string>>> = {
  azure: "/cognitiveservices/voices/list",
  cartesia: "/voices",
  deepgram: "/v1/models",
};

/** Undefined where calls are authorised one by one, and where the models are listed at another host. */
export function modelListUrl({ baseUrl, speech, credential, wire }: Provider): string | undefined {
  if (credential !== undefined || wire === "bedrock") return undefined;
  return baseUrl + (speech === undefined ? "/models" : speechPaths[speech] ?? "/models");
}

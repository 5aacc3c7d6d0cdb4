/** Services that do nothing but speak: switched on by their key, for the models that are known of them. */

import type { ProviderSetting } from "../../config/provider_setting.ts";
import type { SpeechDialectId } from "../../protocols/canonical/speech.ts";
import type { Provider } from "../endpoint.ts";
import { authHeader } from "../configured_providers.ts";
import type { ModelDefinition, ProviderDefinition } from "./provider_row.ts";
import { speechModels } from "./speech_models.ts";

interface Voice {
  readonly id: SpeechDialectId;
  readonly name: string;
  /** Begins its variables: `<PREFIX>_API_KEY`, `<PREFIX>_BASE_URL`. */
  readonly prefix: string;
  readonly baseUrl: string;
  readonly models: readonly ModelDefinition[];
}

const voices: readonly Voice[] = [
  {
    id: "elevenlabs",
    name: "ElevenLabs",
    prefix: "ELEVENLABS",
    baseUrl: "https://api.elevenlabs.io/v1",
    models: speechModels.elevenlabs,
  },
  {
    id: "deepgram",
    name: "Deepgram",
    prefix: "DEEPGRAM",
    baseUrl: "https://api.deepgram.com",
    models: speechModels.deepgram,
  },
  {
    id: "cartesia",
    name: "Cartesia",
    prefix: "CARTESIA",
    baseUrl: "https://api.cartesia.ai",
    models: speechModels.cartesia,
  },
];

/** None of their models writes text, so the wire is asked for nothing. */
export const speechProviders: readonly ProviderDefinition[] = voices.map((
  { id, name, prefix, baseUrl, models },
) => ({
  id,
  name,
  wire: "chat",
  speech: id,
  keyEnv: `${prefix}_API_KEY`,
  baseUrlEnv: `${prefix}_BASE_URL`,
  on: "key",
  defaultBaseUrl: baseUrl,
  quirks: {},
  open: false,
  models,
}));

const region = /^[a-z0-9]{2,40}$/;

const azureSpeechKeys = [["AZURE_SPEECH_KEY"], ["AZURE_SPEECH_TOKEN"]];
const azureSpeechPlaces = [["AZURE_SPEECH_REGION"], ["AZURE_SPEECH_BASE_URL"]];

export const azureSpeechSettings: readonly ProviderSetting[] = [
  {
    name: "AZURE_SPEECH_REGION",
    description:
      "region of an Azure AI Speech resource, such as `westeurope`; with its key, switches on `azure-speech`",
    kind: "text",
    check: (value) => region.test(value) ? undefined : "a region's name, such as westeurope",
    needs: azureSpeechKeys,
  },
  { name: "AZURE_SPEECH_KEY", description: "its key", kind: "key", needs: azureSpeechPlaces },
  {
    name: "AZURE_SPEECH_TOKEN",
    description: "a token instead of its key",
    kind: "key",
    needs: azureSpeechPlaces,
  },
  {
    name: "AZURE_SPEECH_BASE_URL",
    description: "address of Azure AI Speech, usually that of the region",
    kind: "base_url",
    needs: azureSpeechKeys,
  },
];

interface SpeechProviderOffer {
  readonly provider: Provider;
  readonly models: readonly ModelDefinition[];
}

/** Its address is its region's, so it is no row. */
export function azureSpeechOffers(env: ReadonlyMap<string, string>): readonly SpeechProviderOffer[] {
  const place = env.get("AZURE_SPEECH_REGION");
  const baseUrl = env.get("AZURE_SPEECH_BASE_URL") ??
    (place === undefined ? undefined : `https://${place}.tts.speech.microsoft.com`);
  const key = env.get("AZURE_SPEECH_KEY");
  const token = env.get("AZURE_SPEECH_TOKEN");
  if (baseUrl === undefined || (key === undefined && token === undefined)) return [];
  const provider: Provider = {
    id: "azure-speech",
    name: "Azure AI Speech",
    wire: "chat",
    speech: "azure",
    baseUrl,
    headers: key === undefined
      ? { authorization: `Bearer ${token}` }
      : authHeader({ wire: "chat", speech: "azure" }, key),
    quirks: {},
    open: false,
  };
  return [{ provider, models: speechModels.azure }];
}

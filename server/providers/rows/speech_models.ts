/**
 * Models that speak, by the provider that serves them: their voices, limits and prices. Prices as the providers
 * published them: ElevenLabs, OpenAI, Groq, Azure, Deepgram's Aura 2 and Cartesia (a credit of its smallest paid
 * plan) in May 2026, Google and Mistral in November 2026. Google's introductory prices double on 2027-01-01.
 */

import type { SpeechCapabilities } from "../../protocols/canonical/speech.ts";
import type { Model, Pricing } from "../endpoint.ts";
import { type ModelDefinition, perToken } from "./provider_row.ts";

interface Speech {
  /** `author/slug`. */
  readonly id: string;
  /** Where it is not the slug. */
  readonly upstream?: string;
  readonly name: string;
  /** Day of release, UTC, where it is known. */
  readonly released?: string;
  /** Null where nobody has published one. */
  readonly pricing: Pricing | null;
  readonly context?: number;
  /** Tokens. */
  readonly output?: number;
  readonly speech?: Partial<SpeechCapabilities>;
}

/** USD for a million characters. */
const perMillion = (usd: string): Pricing => ({ prompt: "0", completion: "0", character: perToken(usd) });

/** USD for a million tokens of text and of sound. */
const perTokens = (text: string, sound: string): Pricing => ({
  prompt: perToken(text),
  completion: perToken(sound),
});

const words = (text: string): readonly string[] => text.split(" ");

const openaiVoices = words("alloy ash coral echo fable nova onyx sage shimmer");
const newOpenaiVoices = words("alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse");

const openai: readonly Speech[] = [
  {
    id: "openai/tts-1",
    name: "OpenAI: TTS-1",
    released: "2023-11-06",
    pricing: perMillion("15"),
    speech: { voices: openaiVoices },
  },
  {
    id: "openai/tts-1-hd",
    name: "OpenAI: TTS-1 HD",
    released: "2023-11-06",
    pricing: perMillion("30"),
    speech: { voices: openaiVoices },
  },
  {
    id: "openai/gpt-4o-mini-tts",
    name: "OpenAI: GPT-4o Mini TTS",
    released: "2025-03-20",
    pricing: perTokens("0.6", "12"),
    // It takes 2,000 tokens, which may be as many characters. Only its events tell the tokens that it charges.
    speech: { voices: newOpenaiVoices, maxChars: 2_000, events: true },
  },
];

const googleVoices = words(
  "Achernar Achird Algenib Algieba Alnilam Aoede Autonoe Callirrhoe Charon Despina Enceladus Erinome Fenrir " +
    "Gacrux Iapetus Kore Laomedeia Leda Orus Puck Pulcherrima Rasalgethi Sadachbia Sadaltager Schedar Sulafat " +
    "Umbriel Vindemiatrix Zephyr Zubenelgenubi",
);

/** Tokens: 8,192 of text and 16,384 of sound, which is counted by itself. */
const CONTEXT = 24_576;

/** Price that holds until the end of 2026, and the one after it. */
const introductory = (text: string, [now, later]: readonly [now: string, later: string]): Pricing => ({
  ...perTokens(text, now),
  overrides: [{ from: "2027-01-01", ...perTokens("1", later) }],
});

const google: readonly Speech[] = [
  {
    id: "google/gemini-3.8-flash-tts",
    name: "Google: Gemini 3.8 Flash TTS",
    released: "2026-09-28",
    pricing: introductory("0.5", ["9", "18"]),
    context: CONTEXT,
    output: 16_384,
  },
  {
    id: "google/gemini-3.8-flash-lite-tts",
    name: "Google: Gemini 3.8 Flash-Lite TTS",
    released: "2026-09-28",
    pricing: introductory("0.5", ["6", "12"]),
    context: CONTEXT,
    output: 16_384,
  },
  {
    id: "google/gemini-3.1-flash-tts-preview",
    name: "Google: Gemini 3.1 Flash TTS Preview",
    pricing: perTokens("1", "20"),
    context: CONTEXT,
    output: 16_384,
    // Its streams break off after a minute of sound. It has the thirty voices and no others.
    speech: { voices: googleVoices, maxChars: 600 },
  },
];

const groq: readonly Speech[] = [
  {
    id: "canopylabs/orpheus-v1-english",
    upstream: "canopylabs/orpheus-v1-english",
    name: "Canopy Labs: Orpheus v1 English",
    pricing: perMillion("22"),
    speech: { voices: words("autumn diana hannah austin daniel troy"), maxChars: 200, formats: ["wav"] },
  },
  {
    id: "canopylabs/orpheus-arabic-saudi",
    upstream: "canopylabs/orpheus-arabic-saudi",
    name: "Canopy Labs: Orpheus Arabic Saudi",
    pricing: perMillion("40"),
    speech: { maxChars: 200, formats: ["wav"] },
  },
];

const mistral: readonly Speech[] = [
  {
    id: "mistralai/voxtral-mini-tts-3-0",
    name: "Mistral: Voxtral TTS 3",
    pricing: perMillion("13"),
    speech: { clones: true },
  },
  {
    id: "mistralai/voxtral-mini-tts-2603",
    name: "Mistral: Voxtral Mini TTS 2603",
    released: "2026-03-23",
    pricing: perMillion("16"),
    speech: { clones: true },
  },
];

/** Everybody's own voices stand beside those that all have, so none are listed. */
const elevenlabs: readonly Speech[] = [
  {
    id: "elevenlabs/eleven_v3",
    name: "ElevenLabs: Eleven v3",
    pricing: perMillion("100"),
    speech: { maxChars: 5_000 },
  },
  {
    id: "elevenlabs/eleven_multilingual_v2",
    name: "ElevenLabs: Eleven Multilingual v2",
    released: "2023-08-22",
    pricing: perMillion("100"),
    speech: { maxChars: 10_000 },
  },
  {
    id: "elevenlabs/eleven_flash_v2_5",
    name: "ElevenLabs: Eleven Flash v2.5",
    pricing: perMillion("50"),
    speech: { maxChars: 40_000 },
  },
  {
    id: "elevenlabs/eleven_flash_v2",
    name: "ElevenLabs: Eleven Flash v2",
    pricing: perMillion("50"),
    speech: { maxChars: 30_000 },
  },
  {
    id: "elevenlabs/eleven_turbo_v2_5",
    name: "ElevenLabs: Eleven Turbo v2.5",
    released: "2024-07-19",
    pricing: perMillion("50"),
    speech: { maxChars: 40_000 },
  },
];

/** Deepgram's voices by their language. */
const aura2 = {
  en:
    "amalthea andromeda apollo arcas aries asteria athena atlas aurora callista cora cordelia delia draco electra " +
    "harmonia helena hera hermes hyperion iris janus juno jupiter luna mars minerva neptune odysseus ophelia orion " +
    "orpheus pandora phoebe pluto saturn selene thalia theia vesta zeus",
  es:
    "agustina alvaro antonia aquila carina celeste diana estrella gloria javier luciano nestor olivia selena silvia " +
    "sirio valerio",
  de: "aurelia elara fabian julius kara lara viktoria",
  nl: "beatrix cornelia daphne hestia lars leda rhea roman sander",
  fr: "agathe hector",
  it: "cesare cinzia demetra dionisio elio flavio livia maia melia",
  ja: "ama ebisu fujin izanami uzume",
} as const;
const aura = { en: "angus arcas asteria athena helios hera luna orion orpheus perseus stella zeus" } as const;

const named = (model: string, voices: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(voices).flatMap(([language, names]) =>
    words(names).map((name) => `${model}-${name}-${language}`)
  );

const deepgram: readonly Speech[] = [
  {
    id: "deepgram/aura-2",
    name: "Deepgram: Aura 2",
    released: "2025-04-15",
    pricing: perMillion("30"),
    speech: { voices: named("aura-2", aura2) },
  },
  {
    id: "deepgram/aura",
    name: "Deepgram: Aura",
    released: "2024-03-12",
    pricing: perMillion("15"),
    speech: { voices: named("aura", aura) },
  },
  { id: "deepgram/flux", name: "Deepgram: Flux TTS", pricing: null },
];

const cartesia: readonly Speech[] = [
  {
    id: "cartesia/sonic-3.5",
    name: "Cartesia: Sonic 3.5",
    released: "2026-05-04",
    pricing: perMillion("50"),
  },
  { id: "cartesia/sonic-3", name: "Cartesia: Sonic 3", released: "2025-10-27", pricing: perMillion("50") },
];

/** Which of its hundreds of voices speaks is all that Azure is told: the price is the voice's. */
const azure: readonly Speech[] = [
  { id: "azure-speech/neural", name: "Azure AI Speech: Neural", pricing: perMillion("16") },
  { id: "azure-speech/neural-hd", name: "Azure AI Speech: Neural HD", pricing: perMillion("22") },
];

function toModelData(
  { id, upstream, name, released, pricing, context, output, speech }: Speech,
): ModelDefinition {
  const model: Model = {
    id,
    name,
    created: released === undefined ? 0 : Date.parse(released) / 1_000,
    contextLength: context ?? null,
    inputModalities: speech?.clones === true ? ["text", "audio"] : ["text"],
    outputModalities: ["speech"],
    supportedParameters: [],
    hidden: false,
  };
  return {
    model,
    upstreamModel: upstream ?? id.slice(id.indexOf("/") + 1),
    maxOutputTokens: output ?? null,
    pricing,
    speech: { clones: false, ...speech },
  };
}

/** By the provider's id. */
export const speechModels = {
  openai: openai.map(toModelData),
  google: google.map(toModelData),
  groq: groq.map(toModelData),
  mistral: mistral.map(toModelData),
  elevenlabs: elevenlabs.map(toModelData),
  deepgram: deepgram.map(toModelData),
  cartesia: cartesia.map(toModelData),
  azure: azure.map(toModelData),
} as const satisfies Readonly<Record<string, readonly ModelDefinition[]>>;

/**
 * The providers that need no account: a simulated model, and models that fail on purpose. They are reached over
 * HTTP like every other; the gateway starts their server itself and says where it stands.
 */

import { DEFAULT_VOICE, voiceNames } from "../../../shared/embedded_voices.ts";
import type { Model, Pricing, Provider } from "../endpoint.ts";
import type { ModelDefinition } from "./provider_row.ts";

/** Behaviour of the `fault/<kind>` models. */
export const faultModelKinds = {
  slow: "takes its time before the first word and between words",
  stall: "begins an answer and then says nothing more",
  cut: "begins an answer and drops the connection",
  refuse: "drops the connection without an answer",
  "429": "answers 429 with a Retry-After",
  "500": "answers 500",
  "503": "answers 503",
  "529": "answers 529, overloaded",
  malformed: "sends a stream that is no JSON",
  huge: "sends one event without end",
  "wrong-usage": "reports token counts that cannot be",
  hang: "takes the request and never answers",
} as const;

const RELEASED = Date.UTC(2026, 10, 1) / 1_000;
/** A simulation runs no tools and knows no tiers, so that nothing of it costs more than its tokens. */
const nothingBeside = {
  webSearch: "0",
  fileSearch: "0",
  codeInterpreter: "0",
  outputImage: "0",
  overrides: [{ serviceTier: "priority" }],
} as const satisfies Partial<Pricing>;
const free: Pricing = { ...nothingBeside, prompt: "0", completion: "0" };

const parameters = [
  "include_reasoning",
  "logprobs",
  "max_tokens",
  "parallel_tool_calls",
  "reasoning",
  "response_format",
  "structured_outputs",
  "tool_choice",
  "tools",
  "top_logprobs",
] as const;

interface SimulatedModel {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly hidden?: boolean;
  readonly pricing?: Pricing;
  readonly outputs?: readonly string[];
}

function toModelData(simulated: SimulatedModel): ModelDefinition {
  const { id, name, description, hidden = false, pricing = free, outputs = ["text"] } = simulated;
  const model: Model = {
    id,
    name,
    created: RELEASED,
    description,
    contextLength: 131_072,
    inputModalities: ["text", "image", "file", "audio", "video"],
    outputModalities: outputs,
    supportedParameters: parameters,
    tokenizer: "GPT",
    hidden,
  };
  return { model, upstreamModel: id, maxOutputTokens: 32_768, pricing };
}

const simulation =
  "A simulated model that runs inside the gateway, so that applications can be tried without an account: " +
  "no intelligence, no network. It repeats the last message, says what images and files came with it, and answers the " +
  "same request always the same. It calls a function when tool_choice demands it or the message names it, with " +
  "arguments that satisfy the function's JSON schema; it thinks when reasoning is asked for, fills in json_schema " +
  'formats, keeps to max_output_tokens and counts tokens with o200k_base. A message that contains "please refuse" is refused.';

const painting =
  "A simulated model that draws: a real picture, made inside the gateway without any intelligence out of the words " +
  "of the last message, always the same for the same words. Its size, quality, format and partial images are what the " +
  "image_generation tool or image_config asks for, up to 2048 pixels a side. A picture costs an output token for " +
  "each 32 × 32 pixels at medium quality, a quarter of that at low and four times as many at high, and 100 for each " +
  "partial image.";

/** Real speech; nothing of it is simulated. */
const voice: ModelDefinition = {
  model: {
    id: "local/voice",
    name: "Voice (embedded)",
    created: RELEASED,
    description:
      "A real voice inside the gateway, without a network: eSpeak NG, which speaks a hundred languages " +
      "plainly and at once. Voices are named by language codes, speed goes from 0.25 to 4. Free.",
    contextLength: null,
    inputModalities: ["text"],
    outputModalities: ["speech"],
    supportedParameters: [],
    hidden: false,
  },
  upstreamModel: "local/voice",
  maxOutputTokens: null,
  pricing: { ...free, character: "0" },
  speech: {
    voices: voiceNames,
    defaultVoice: DEFAULT_VOICE,
    clones: false,
    maxChars: 100_000,
    formats: ["mp3", "pcm", "wav"],
  },
};

const embedder: ModelDefinition = {
  model: {
    id: "local/embed",
    name: "Embeddings (simulated)",
    created: RELEASED,
    description:
      "A simulated model of embeddings inside the gateway: texts with the same words are near each other, and nothing " +
      "is understood. 256 dimensions, or as many as are asked for, up to 4,096. Free.",
    contextLength: 131_072,
    inputModalities: ["text"],
    outputModalities: ["embeddings"],
    supportedParameters: [],
    tokenizer: "GPT",
    hidden: false,
  },
  upstreamModel: "local/embed",
  maxOutputTokens: null,
  pricing: free,
};

const localModels: readonly ModelDefinition[] = [
  toModelData({ id: "local/echo", name: "Echo (simulated)", description: `${simulation} Free.` }),
  toModelData({
    id: "local/image",
    name: "Pictures (simulated)",
    description: `${painting} Free.`,
    outputs: ["text", "image"],
  }),
  voice,
  embedder,
  toModelData({
    id: "local/priced",
    name: "Echo with a price (simulated)",
    description:
      `${simulation} It costs 1 USD per million tokens, either way, so that limits and receipts can be tried.`,
    hidden: true,
    pricing: { ...nothingBeside, prompt: "0.000001", completion: "0.000001" },
  }),
];

const faultModels: readonly ModelDefinition[] = Object.entries(faultModelKinds).map(([kind, does]) =>
  toModelData({
    id: `fault/${kind}`,
    name: `Fault: ${kind} (simulated)`,
    description: `A simulated model that fails on purpose, to test fallbacks against: it ${does}. Free.`,
  })
);

export interface LocalServer {
  /** Address of the built-in server; see server/local_provider/. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface LocalProviderOffer {
  readonly provider: Provider;
  readonly models: readonly ModelDefinition[];
}

/** The providers that are switched on. */
export function localProviders(
  server: LocalServer,
  { local, faultLab }: { readonly local: boolean; readonly faultLab: boolean },
): readonly LocalProviderOffer[] {
  const at = (id: string, name: string): Provider => ({
    id,
    name,
    wire: "responses",
    speech: "openai",
    baseUrl: server.baseUrl,
    headers: server.headers ?? {},
    quirks: { passKeys: ["modalities", "image_config"] },
    open: false,
    builtIn: true,
  });
  return [
    ...(local ? [{ provider: at("local", "Built in (simulated)"), models: localModels }] : []),
    ...(faultLab ? [{ provider: at("fault", "Fault lab (simulated)"), models: faultModels }] : []),
  ];
}

/** Models that make embeddings, by the provider that serves them, with the prices of its list. */

import { type ModelDefinition, perToken } from "./provider_row.ts";

interface Embedder {
  /** `author/slug`. */
  readonly id: string;
  readonly name: string;
  /** Day of release, UTC. */
  readonly released: string;
  /** USD for a million tokens. */
  readonly usd: string;
}

const openai: readonly Embedder[] = [
  {
    id: "openai/text-embedding-3-small",
    name: "OpenAI: Text Embedding 3 Small",
    released: "2024-01-25",
    usd: "0.02",
  },
  {
    id: "openai/text-embedding-3-large",
    name: "OpenAI: Text Embedding 3 Large",
    released: "2024-01-25",
    usd: "0.13",
  },
  {
    id: "openai/text-embedding-ada-002",
    name: "OpenAI: Text Embedding Ada 002",
    released: "2022-12-15",
    usd: "0.1",
  },
];

const google: readonly Embedder[] = [
  {
    id: "google/gemini-embedding-001",
    name: "Google: Gemini Embedding 001",
    released: "2025-07-14",
    usd: "0.15",
  },
];

const mistral: readonly Embedder[] = [
  {
    id: "mistralai/mistral-embed",
    name: "Mistral: Embed",
    released: "2023-12-11",
    usd: "0.1",
  },
  {
    id: "mistralai/codestral-embed",
    name: "Mistral: Codestral Embed",
    released: "2025-05-28",
    usd: "0.15",
  },
];

function toModelData({ id, name, released, usd }: Embedder): ModelDefinition {
  return {
    model: {
      id,
      name,
      created: Date.parse(released) / 1_000,
      // The limit is that of each text, and a request may have many.
      contextLength: null,
      inputModalities: ["text"],
      outputModalities: ["embeddings"],
      supportedParameters: [],
      hidden: false,
    },
    upstreamModel: id.slice(id.indexOf("/") + 1),
    maxOutputTokens: null,
    pricing: { prompt: perToken(usd), completion: "0" },
  };
}

/** By the provider's id. */
export const embeddingModels = {
  openai: openai.map(toModelData),
  google: google.map(toModelData),
  mistral: mistral.map(toModelData),
} as const satisfies Readonly<Record<string, readonly ModelDefinition[]>>;

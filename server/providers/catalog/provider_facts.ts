/** Facts about providers: their documents, their countries, and their policy for what callers send. */

import type { DataPolicy, Provider } from "../endpoint.ts";

export interface ProviderFacts {
  readonly privacy?: string;
  readonly terms?: string;
  readonly status?: string;
  /** ISO 3166-1, two letters. */
  readonly headquarters?: string;
  readonly datacenters?: readonly string[];
  /**
   * As the provider's terms for paying customers of its API have it. Zero retention needs an agreement
   * nearly everywhere: the operator who has one says so in the configuration file.
   */
  readonly training?: boolean;
}

/** By our id and by the names that others use. What is not known for sure is left out. */
const about: Readonly<Record<string, ProviderFacts>> = {
  openai: {
    privacy: "https://openai.com/policies/privacy-policy/",
    terms: "https://openai.com/policies/row-terms-of-use/",
    status: "https://status.openai.com/",
    headquarters: "US",
    training: false,
  },
  anthropic: {
    privacy: "https://www.anthropic.com/legal/privacy",
    terms: "https://www.anthropic.com/legal/commercial-terms",
    status: "https://status.claude.com/",
    headquarters: "US",
    training: false,
  },
  google: {
    privacy: "https://policies.google.com/privacy",
    terms: "https://ai.google.dev/gemini-api/terms",
    headquarters: "US",
  },
  "google-vertex": {
    privacy: "https://cloud.google.com/terms/cloud-privacy-notice",
    terms: "https://cloud.google.com/terms",
    status: "https://status.cloud.google.com/",
    headquarters: "US",
    training: false,
  },
  "amazon-bedrock": {
    privacy: "https://aws.amazon.com/privacy/",
    terms: "https://aws.amazon.com/service-terms/",
    status: "https://health.aws.amazon.com/health/status",
    headquarters: "US",
    training: false,
  },
  azure: {
    privacy: "https://privacy.microsoft.com/privacystatement",
    terms: "https://www.microsoft.com/legal/terms-of-use",
    status: "https://status.azure.com/",
    headquarters: "US",
    training: false,
  },
  groq: {
    privacy: "https://groq.com/privacy-policy/",
    status: "https://groqstatus.com/",
    headquarters: "US",
    training: false,
  },
  mistral: {
    privacy: "https://mistral.ai/terms#privacy-policy",
    terms: "https://mistral.ai/terms",
    status: "https://status.mistral.ai/",
    headquarters: "FR",
  },
  deepseek: {
    terms: "https://cdn.deepseek.com/policies/en-US/deepseek-terms-of-use.html",
    privacy: "https://cdn.deepseek.com/policies/en-US/deepseek-privacy-policy.html",
    status: "https://status.deepseek.com/",
    headquarters: "CN",
    training: true,
  },
  xai: {
    privacy: "https://x.ai/legal/privacy-policy",
    terms: "https://x.ai/legal/terms-of-service-enterprise",
    status: "https://status.x.ai/",
    headquarters: "US",
  },
  together: {
    privacy: "https://www.together.ai/privacy",
    terms: "https://www.together.ai/terms-of-service",
    status: "https://status.together.ai/",
    headquarters: "US",
  },
  fireworks: {
    privacy: "https://fireworks.ai/privacy-policy",
    terms: "https://fireworks.ai/terms-of-service",
    status: "https://status.fireworks.ai/",
    headquarters: "US",
  },
  cerebras: {
    privacy: "https://www.cerebras.ai/privacy-policy",
    terms: "https://www.cerebras.ai/terms-of-service",
    headquarters: "US",
  },
  perplexity: { privacy: "https://www.perplexity.ai/hub/legal/privacy-policy", headquarters: "US" },
  nvidia: { privacy: "https://www.nvidia.com/en-us/about-nvidia/privacy-policy/", headquarters: "US" },
  moonshotai: { headquarters: "CN" },
  zai: { headquarters: "CN" },
  openrouter: {
    privacy: "https://openrouter.ai/privacy",
    terms: "https://openrouter.ai/terms",
    status: "https://status.openrouter.ai/",
    headquarters: "US",
  },
};

/** Ids of providers → what the snapshot and this table call them, where that differs. */
const names: Readonly<Record<string, string>> = {
  gemini: "google",
  "google-ai-studio": "google",
  vertex: "google-vertex",
  bedrock: "amazon-bedrock",
  moonshot: "moonshotai",
  "x-ai": "xai",
  "z-ai": "zai",
  mistralai: "mistral",
};

export function catalogProviderName(providerId: string): string {
  return Object.hasOwn(names, providerId) ? names[providerId] ?? providerId : providerId;
}

export function providerFacts(providerId: string): ProviderFacts {
  const id = catalogProviderName(providerId);
  return Object.hasOwn(about, id) ? about[id] ?? {} : {};
}

/** The built-in models keep nothing and learn nothing. */
const builtIn: ReadonlySet<string> = new Set(["local", "fault"]);

/** The built-in models, of which nobody tells anything. */
export const isBuiltInProvider = (providerId: string): boolean => builtIn.has(providerId);

/** Undefined where nothing is known: a request that forbids training does not go there. */
export function dataPolicyOf({ id }: Pick<Provider, "id">): DataPolicy | undefined {
  if (isBuiltInProvider(id)) return { training: false, zdr: true };
  const { training } = providerFacts(id);
  return training === undefined ? undefined : { training, zdr: false };
}

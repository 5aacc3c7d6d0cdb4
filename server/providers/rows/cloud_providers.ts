/**
 * Models in a cloud: wires that we speak, at another address and with another way to sign in. What a deployment
 * or a model is called there, callers write behind the provider's name: `azure/<deployment>`.
 */

import type { ProviderSetting } from "../../config/provider_setting.ts";
import type { Credential } from "../credential.ts";
import type { Provider } from "../endpoint.ts";
import type { CloudOffer } from "./provider_row.ts";
import { except } from "./usual_quirks.ts";
import { azureSpeechOffers, azureSpeechSettings } from "./speech_providers.ts";
import { vertexOffers, vertexSettings } from "./vertex_providers.ts";

type Env = ReadonlyMap<string, string>;

const LOGIN = "https://login.microsoftonline.com";
/** The last dated version of the deployments' paths that is not a preview. */
const AZURE_VERSION = "2024-10-21";

const azureResource = [["AZURE_OPENAI_ENDPOINT"]];

const azureSettings: readonly ProviderSetting[] = [
  {
    name: "AZURE_OPENAI_ENDPOINT",
    description:
      "address of an Azure OpenAI resource, such as `https://name.openai.azure.com`; switches on `azure/<deployment>` (Responses), `azure-chat/<deployment>` (Chat Completions), and `azure-tts/<deployment>` (speech)",
    kind: "base_url",
    needs: [
      ["AZURE_OPENAI_API_KEY"],
      ["AZURE_OPENAI_AD_TOKEN"],
      ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"],
    ],
  },
  { name: "AZURE_OPENAI_API_KEY", description: "its key", kind: "key", needs: azureResource },
  {
    name: "AZURE_OPENAI_AD_TOKEN",
    description: "a token of Entra ID instead of its key",
    kind: "key",
    needs: azureResource,
  },
  {
    name: "AZURE_OPENAI_API_VERSION",
    description: `version of the deployments' Chat Completions, usually \`${AZURE_VERSION}\``,
    kind: "text",
    needs: azureResource,
  },
  {
    name: "AZURE_TENANT_ID",
    description: "tenant of an Entra ID application, instead of key and token",
    kind: "text",
  },
  { name: "AZURE_CLIENT_ID", description: "the application's id", kind: "text" },
  { name: "AZURE_CLIENT_SECRET", description: "the application's secret", kind: "key" },
  { name: "AZURE_AUTHORITY_HOST", description: `where it signs in, usually \`${LOGIN}\``, kind: "base_url" },
];

interface CloudAuth {
  readonly headers: Provider["headers"];
  readonly credential?: Credential;
}

function azureAuth(env: Env): CloudAuth {
  const key = env.get("AZURE_OPENAI_API_KEY");
  if (key !== undefined) return { headers: { "api-key": key } };
  const token = env.get("AZURE_OPENAI_AD_TOKEN");
  if (token !== undefined) return { headers: { authorization: `Bearer ${token}` } };
  const [tenant, clientId, clientSecret] = ["TENANT_ID", "CLIENT_ID", "CLIENT_SECRET"].map((name) =>
    env.get(`AZURE_${name}`)
  );
  if (tenant === undefined || clientId === undefined || clientSecret === undefined) return { headers: {} };
  const tokenUrl = `${env.get("AZURE_AUTHORITY_HOST") ?? LOGIN}/${
    encodeURIComponent(tenant)
  }/oauth2/v2.0/token`;
  const scope = "https://cognitiveservices.azure.com/.default";
  return { headers: {}, credential: { type: "client_credentials", tokenUrl, clientId, clientSecret, scope } };
}

/** Keys that this version does not have. */
const azureChatOmits = except("metadata", "store", "verbosity");

function azureOffers(env: Env): readonly CloudOffer[] {
  const endpoint = env.get("AZURE_OPENAI_ENDPOINT");
  if (endpoint === undefined) return [];
  const auth = azureAuth(env);
  const version = env.get("AZURE_OPENAI_API_VERSION") ?? AZURE_VERSION;
  const responses: Provider = {
    id: "azure",
    name: "Azure OpenAI",
    wire: "responses",
    baseUrl: `${endpoint}/openai/v1`,
    quirks: { omit: ["service_tier"] },
    open: true,
    ...auth,
  };
  const chat: Provider = {
    ...responses,
    id: "azure-chat",
    name: "Azure OpenAI (Chat Completions)",
    wire: "chat",
    baseUrl: `${endpoint}/openai`,
    address: { path: "/deployments/{model}/chat/completions", query: { "api-version": version } },
    quirks: { omit: azureChatOmits, traits: ["no_call_signatures"] },
  };
  // Of the new paths, the one for speech is no more than a preview.
  const speech: Provider = {
    ...responses,
    id: "azure-tts",
    name: "Azure OpenAI (speech)",
    speech: "openai",
    address: { query: { "api-version": "preview" } },
  };
  return [responses, chat, speech].map((provider) => ({ provider, models: [] }));
}

const bedrockSettings: readonly ProviderSetting[] = [
  {
    name: "BEDROCK_REGION",
    description:
      "region of Amazon Bedrock, such as `us-east-1`; switches on `bedrock/<model or inference profile>`",
    kind: "text",
    needs: [["AWS_BEARER_TOKEN_BEDROCK"], ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]],
  },
  {
    name: "AWS_BEARER_TOKEN_BEDROCK",
    description: "key of Amazon Bedrock",
    kind: "key",
    needs: [["BEDROCK_REGION"]],
  },
  { name: "AWS_ACCESS_KEY_ID", description: "access key of AWS, instead of it", kind: "key" },
  { name: "AWS_SECRET_ACCESS_KEY", description: "its secret", kind: "key" },
  { name: "AWS_SESSION_TOKEN", description: "its session, where it is a temporary one", kind: "key" },
  {
    name: "BEDROCK_BASE_URL",
    description: "address of Amazon Bedrock, usually that of the region",
    kind: "base_url",
    needs: [["BEDROCK_REGION"]],
  },
];

function bedrockAuth(env: Env, region: string): CloudAuth {
  const key = env.get("AWS_BEARER_TOKEN_BEDROCK");
  if (key !== undefined) return { headers: { authorization: `Bearer ${key}` } };
  const [accessKeyId, secretAccessKey] = [env.get("AWS_ACCESS_KEY_ID"), env.get("AWS_SECRET_ACCESS_KEY")];
  if (accessKeyId === undefined || secretAccessKey === undefined) return { headers: {} };
  const sessionToken = env.get("AWS_SESSION_TOKEN");
  const keys = { accessKeyId, secretAccessKey, sessionToken, region, service: "bedrock" };
  return { headers: {}, credential: { type: "aws_keys", ...keys } };
}

function bedrockOffers(env: Env): readonly CloudOffer[] {
  const region = env.get("BEDROCK_REGION");
  if (region === undefined) return [];
  const baseUrl = env.get("BEDROCK_BASE_URL") ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  const provider: Provider = {
    id: "bedrock",
    name: "Amazon Bedrock",
    wire: "bedrock",
    baseUrl,
    quirks: {},
    open: true,
    ...bedrockAuth(env, region),
  };
  return [{ provider, models: [] }];
}

export const cloudSettings: readonly ProviderSetting[] = [
  ...azureSettings,
  ...azureSpeechSettings,
  ...vertexSettings,
  ...bedrockSettings,
];

/** Ids of the clouds' providers, whether they are on or off. */
export const cloudProviderIds: readonly string[] = [
  "azure",
  "azure-chat",
  "azure-tts",
  "azure-speech",
  "google-vertex",
  "google-vertex-anthropic",
  "bedrock",
];

/** The clouds that the settings switch on. */
export function cloudOffers(env: Env): readonly CloudOffer[] {
  return [...azureOffers(env), ...azureSpeechOffers(env), ...vertexOffers(env), ...bedrockOffers(env)];
}

/** Rows of LiteLLM's `model_list` by the services that they name, in LiteLLM's words → in those of this gateway. */

import { offServices } from "../../providers/mod.ts";
import type { LitellmRow } from "./litellm_file.ts";

/** LiteLLM's names of services that are called otherwise here. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["gemini", "google"],
  ["together_ai", "together"],
  ["fireworks_ai", "fireworks"],
  ["nvidia_nim", "nvidia"],
  ["moonshot", "moonshotai"],
  ["zai", "z-ai"],
]);

/** A service that variables switch on, and that takes any model by its own name. */
interface SwitchedService {
  /** The id here of a model there. */
  readonly idOf: (model: string) => string;
  readonly variables: string;
}

/** `bedrock/converse/us-east-1/<model>` → `<model>` */
const bedrockRoute = /^(?:(?:converse|converse_like|invoke)\/)?(?:[a-z]{2}(?:-[a-z]+)+-\d\/)?/;

export const switched: ReadonlyMap<string, SwitchedService> = new Map([
  ["azure", {
    idOf: (model: string) => `azure-chat/${model}`,
    variables: "AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY",
  }],
  ["bedrock", {
    idOf: (model: string) => `bedrock/${model.replace(bedrockRoute, "")}`,
    variables: "BEDROCK_REGION and AWS_BEARER_TOKEN_BEDROCK, or the keys of AWS",
  }],
  ["vertex_ai", {
    idOf: (model: string) =>
      `${model.startsWith("claude") ? "google-vertex-anthropic" : "google-vertex"}/${model}`,
    variables: "VERTEX_SERVICE_ACCOUNT",
  }],
  ...["ollama", "ollama_chat"].map((name) =>
    [name, {
      idOf: (model: string) => `ollama/${model}`,
      variables: "OLLAMA_BASE_URL",
    }] as const
  ),
  ["lm_studio", { idOf: (model: string) => `lmstudio/${model}`, variables: "LMSTUDIO_BASE_URL" }],
  ["hosted_vllm", { idOf: (model: string) => `vllm/${model}`, variables: "VLLM_BASE_URL" }],
]);

/** Clouds, whose rows name the address of a resource: it stands in a variable here. */
export const clouds: ReadonlySet<string> = new Set(["azure", "bedrock", "vertex_ai"]);

/** Built-in services that a key switches on, by their ids. */
export const services = new Map(
  offServices({ providers: [], providerEnv: new Map() }).map((service) => [service.id, service]),
);

/** Kinds of models that no route here calls. */
const foreignModes: ReadonlySet<string> = new Set([
  "audio_transcription",
  "batch",
  "completion",
  "image_edit",
  "image_generation",
  "moderation",
  "ocr",
  "realtime",
  "rerank",
  "search",
  "vector_store",
  "video_generation",
]);

/** Names of such models, where a row does not say what kind they are. */
const foreignNames = /^(?:dall-e|gpt-image|imagen|sora|whisper)/;

export interface ReadRow {
  /** By which callers ask for it. */
  readonly name: string;
  /** LiteLLM's name of the service. */
  readonly prefix: string;
  /** The service's id here, where it is built in. */
  readonly service: string;
  /** The service's own name of the model. */
  readonly model: string;
  /** Variable of the key; undefined where the key stands in clear, or there is none. */
  readonly keyName: string | undefined;
  /** Whether it has a key, in whatever form. */
  readonly hasKey: boolean;
  /** Kind of the model that nothing here calls; undefined for all others. */
  readonly foreignMode: string | undefined;
  readonly row: LitellmRow;
  /** The row's place in the file, for the report. */
  readonly place: string;
}

/** `at` is the row's place in the list. */
export function readRow(row: LitellmRow, at: number): ReadRow {
  const { model_name: name, litellm_params: params, model_info: info } = row;
  const { model, api_key: key, custom_llm_provider: named } = params;
  const [prefix, own] = named && !model.startsWith(`${named}/`) ? [named, model] : splitModel(model);
  const mode = info?.mode ?? (foreignNames.test(own) ? "image_generation" : "");
  return {
    name,
    prefix,
    service: renamed.get(prefix) ?? prefix,
    model: own,
    keyName: /^os\.environ\/(\w+)$/.exec(key ?? "")?.[1],
    hasKey: Boolean(key) && key !== "none",
    foreignMode: foreignModes.has(mode) ? mode : undefined,
    row,
    place: `model_list[${at}] (${name})`,
  };
}

/** A model without a service is OpenAI's, or Anthropic's by its name. */
export function splitModel(model: string): readonly [prefix: string, own: string] {
  const slash = model.indexOf("/");
  if (slash !== -1) return [model.slice(0, slash), model.slice(slash + 1)];
  return [model.startsWith("claude") ? "anthropic" : "openai", model];
}

/** Providers of the configuration file. */

import type { ModelRow, ProviderRow } from "../config/config.ts";
import type { HostTrait } from "../protocols/canonical/endpoint_words.ts";
import type { WireId } from "../protocols/canonical/item.ts";
import type { SpeechCapabilities, SpeechDialectId } from "../protocols/canonical/speech.ts";
import { toPriceList } from "../../shared/models.ts";
import { assumedModalities, type EndpointQuirks, type Provider } from "./endpoint.ts";
import type { ModelDefinition } from "./rows/provider_row.ts";

/** The provider of a row. `keyOf` gives the value of a variable that the row names for a key. */
export function providerFromRow(
  row: ProviderRow,
  keyOf: (name: string) => string | undefined,
): Provider {
  const names = row.api_key_env === undefined ? row.api_keys_env ?? [] : [row.api_key_env];
  const [first, ...others] = names.map((name) => ({
    name,
    headers: { ...row.headers, ...authHeader(row, keyOf(name)) },
  }));
  return {
    id: row.id,
    name: row.name ?? row.id,
    wire: row.wire ?? NO_WIRE,
    speech: speechDialectOfRow(row),
    baseUrl: row.base_url,
    headers: first?.headers ?? row.headers,
    ...(first === undefined || others.length === 0 ? {} : { keys: [first, ...others] }),
    quirks: toQuirks(row.quirks),
    open: row.open,
    dataPolicy: row.data_policy,
    reportsCost: row.reports_cost,
    isOwn: true,
    takesTrace: row.trace_context,
    firstByteMs: row.first_byte_seconds === undefined ? undefined : row.first_byte_seconds * 1_000,
  };
}

/** Wire of a provider that only speaks: none of its models writes text, so none is asked for any. */
const NO_WIRE: WireId = "chat";

interface SpeechRow {
  readonly wire?: WireId;
  readonly speech?: SpeechDialectId;
}

/** Usual speech dialects of servers that speak a wire. */
const usualSpeech: { readonly [W in WireId]?: SpeechDialectId } = { chat: "openai", responses: "openai" };

/** How a provider is asked to speak. */
export const speechDialectOfRow = ({ wire, speech }: SpeechRow): SpeechDialectId | undefined =>
  speech ?? (wire === undefined ? undefined : usualSpeech[wire]);

/** Where a service wants its key, and what stands in front of it; the others take it as a bearer. */
type KeyHeaders<Id extends string> = { readonly [I in Id]?: readonly [name: string, prefix: string] };

const keyHeaders: KeyHeaders<WireId> = { gemini: ["x-goog-api-key", ""], messages: ["x-api-key", ""] };
/** Key headers of providers that only speak. */
const speechKeyHeaders: KeyHeaders<SpeechDialectId> = {
  elevenlabs: ["xi-api-key", ""],
  azure: ["ocp-apim-subscription-key", ""],
  deepgram: ["authorization", "Token "],
};

/** The header that carries a provider's key; none for servers that ask for none. */
export function authHeader(
  { wire, speech }: SpeechRow,
  key: string | undefined,
): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  const own = speech === undefined ? undefined : speechKeyHeaders[speech];
  const [name, prefix] = own ?? (wire === undefined ? undefined : keyHeaders[wire]) ?? bearer;
  return { [name]: prefix + key };
}

const bearer = ["authorization", "Bearer "] as const;

/** Makes a definition of a row; a field that it leaves out is unknown, and the catalog may know it. */
export function modelFromRow(row: ModelRow): ModelDefinition {
  return {
    model: {
      id: row.id,
      name: row.name ?? row.id,
      created: row.created ?? 0,
      description: row.description,
      contextLength: row.context_length ?? null,
      inputModalities: row.input_modalities ?? assumedModalities,
      outputModalities: row.output_modalities ?? assumedModalities,
      supportedParameters: row.supported_parameters ?? [],
      tokenizer: row.tokenizer,
      hidden: row.hidden,
    },
    upstreamModel: row.upstream_id ?? row.id,
    maxOutputTokens: row.max_output_tokens ?? null,
    traits: row.traits,
    pricing: row.pricing === undefined ? null : toPriceList(row.pricing),
    speech: row.output_modalities?.includes("speech") === true ? toSpeech(row) : undefined,
  };
}

function toSpeech(row: ModelRow): SpeechCapabilities {
  return {
    voices: row.supported_voices,
    defaultVoice: row.default_voice,
    clones: row.supports_voice_cloning ?? false,
    maxChars: row.max_input_characters,
    sampleRate: row.sample_rate,
    formats: row.speech_formats,
    events: row.speech_events,
  };
}

function toQuirks(row: ProviderRow["quirks"]): EndpointQuirks {
  return {
    passKeys: row.pass_keys,
    omit: row.omit,
    rename: row.rename,
    developerRole: row.developer_role,
    reasoningReplay: row.reasoning_replay,
    serviceTiers: row.service_tiers,
    efforts: row.efforts ?? row.dialect?.efforts,
    traits: row.dialect === undefined ? row.traits : [...row.traits ?? [], ...traitsOfDialect(row.dialect)],
    extraBody: row.extra_body,
  };
}

/** The traits that rows of earlier versions call a dialect. */
function traitsOfDialect(
  { asks_reasoning: asks, json_schema: schema, tool_choices: choices, think_tags: tags }: DialectRow,
): readonly HostTrait[] {
  const traits: HostTrait[] = [];
  if (asks === "thinking") traits.push("thinking_switch");
  if (asks === "object") traits.push("reasoning_object");
  if (schema === false) traits.push("no_json_schema");
  traits.push(...traitsOfChoices(choices));
  if (tags === true) traits.push("think_tags");
  return traits;
}

/** Traits of a host by the choices that it has. Without `required` it is told nothing of the choice. */
function traitsOfChoices(choices: DialectRow["tool_choices"]): readonly HostTrait[] {
  if (choices === undefined) return [];
  if (!choices.includes("required")) return ["auto_choice_only"];
  return [
    ...(choices.includes("named") ? [] : ["no_named_choice"] as const),
    ...(choices.includes("none") ? [] : ["no_none_choice"] as const),
  ];
}

type DialectRow = NonNullable<ProviderRow["quirks"]["dialect"]>;

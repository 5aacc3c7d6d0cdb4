/** The configuration file: JSON with comments, checked whole before any of it is used. */

import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { overrideShape, priceSchema, pricingShape, quantizations } from "../../shared/models.ts";
import { searchEngineIds } from "../../shared/search_engines.ts";
import { isUpstreamName } from "../../shared/validation/upstream_names.ts";
import { truncate } from "../../shared/util/text.ts";
import {
  developerRoles,
  hostTraits,
  reasoningReplays,
  serviceTiers,
} from "../protocols/canonical/endpoint_words.ts";
import { wireIds } from "../protocols/canonical/item.ts";
import { speechDialectIds } from "../protocols/canonical/speech.ts";
import { alertsSchema } from "./web/alert_settings.ts";
import { fetchSchema } from "./web/fetch_settings.ts";
import { fusionSchema } from "./routing/fusion_settings.ts";
import { aliasesSchema, modelId, modelOrAlias, segments } from "./routing/model_ids.ts";
import { aliasAdvice, namingFault } from "./routing/named_models.ts";
import { limitsSchema } from "./limits.ts";
import { moderationSchema } from "./moderation_settings.ts";
import { autoSchema, routingSchema, scoresSchema } from "./routers/routing_settings.ts";
import { sandboxSchema } from "./sandbox_settings.ts";
import { ConfigError } from "./config_error.ts";
import { assertKeyNames, variableName } from "./keys/provider_keys.ts";
import { strictObject } from "./strict_object.ts";
import { isBaseUrl, normalizeBaseUrl } from "./setting_parsers.ts";
import { mayHoldSecret } from "./variables.ts";

const names = z.array(z.string().min(1).max(64)).max(64);
const words = (fallback: readonly string[]) =>
  z.array(z.string().min(1).max(64)).max(64).default([...fallback]);
/** `deepinfra/turbo` is a variant of `deepinfra`, which callers may name by either. */
const providerId = z.string().max(64).regex(
  /^[a-z0-9]+(?:[-_.][a-z0-9]+)*(?:\/[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$/,
  "lower-case letters, digits and single hyphens, and perhaps a variant behind a slash",
);
const baseUrl = z.string().refine(isBaseUrl, "an http or https address without user, query or fragment")
  .transform(normalizeBaseUrl);

/** USD per token, or per chunk of what is no token: see `rateNames`. */
const pricing = strictObject({
  ...pricingShape,
  overrides: z.array(strictObject(overrideShape)).max(32).optional(),
});

/** Facts about a model. What a row leaves out is taken from the catalog where that knows it. */
const facts = {
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(4_000).optional(),
  /** Unix seconds. */
  created: z.int().nonnegative().optional(),
  context_length: z.int().positive().nullable().optional(),
  max_output_tokens: z.int().positive().nullable().optional(),
  input_modalities: names.optional(),
  output_modalities: names.optional(),
  supported_parameters: names.optional(),
  /**
   * Traits for what it does not take of the wire, besides those of its provider, by the names of docs/providers.md.
   */
  traits: z.array(z.enum(hostTraits)).optional(),
  tokenizer: z.string().max(64).optional(),
  quantization: z.enum(quantizations).optional(),
  /** Voices of models that speak, and the one that speaks where none is named. */
  supported_voices: z.array(z.string().min(1).max(128)).max(2_000).optional(),
  default_voice: z.string().min(1).max(128).optional(),
  supports_voice_cloning: z.boolean().optional(),
  /** Characters that one call takes; longer texts are split. */
  max_input_characters: z.int().positive().optional(),
  /** Hz of its raw samples. */
  sample_rate: z.int().min(8_000).max(192_000).optional(),
  /** Formats in which it answers, as its dialect names them. */
  speech_formats: z.array(z.string().min(1).max(64)).min(1).max(64).optional(),
  /** Whether it can be asked for events (`stream_format: "sse"`), which tell what it has metered. */
  speech_events: z.boolean().optional(),
  /** Whether other models may be trained on what it writes. */
  distillable: z.boolean().optional(),
  pricing: pricing.optional(),
} as const;

/** A correction of the catalog: of a model at every provider, or at one. */
const correction = strictObject({
  id: modelId,
  provider: providerId.optional(),
  hidden: z.boolean().optional(),
  ...facts,
});

/** Policy of the provider for what callers send. */
const dataPolicy = strictObject({ training: z.boolean(), zdr: z.boolean() });

const model = strictObject({
  id: modelId,
  /** Name of the model at the provider; the id when absent. */
  upstream_id: z.string().min(1).max(256).refine(isUpstreamName, segments).optional(),
  ...facts,
  /** Works, and is not listed by GET /models. */
  hidden: z.boolean().default(false),
});

/** How a server differs from the wire that it speaks. */
const quirks = strictObject({
  /** Unknown top-level keys of the client's request that this provider takes. */
  pass_keys: words([]).optional(),
  /** Keys of the wire that it refuses. */
  omit: words([]).optional(),
  /** Keys that it spells otherwise. */
  rename: z.record(z.string(), z.string()).optional(),
  developer_role: z.enum(developerRoles).optional(),
  /** How it takes a model's own earlier thoughts back. */
  reasoning_replay: z.enum(reasoningReplays).optional(),
  /** Service tiers that it has → its words for them; others are not asked for. */
  service_tiers: z.partialRecord(z.enum(serviceTiers), z.string().min(1).max(64))
    .optional(),
  /** Efforts of reasoning that it calls otherwise or does not have → its words. */
  efforts: z.record(z.string(), z.string()).optional(),
  /** Traits and efforts in the words of earlier versions. */
  dialect: strictObject({
    asks_reasoning: z.enum(["effort", "thinking", "object"]).optional(),
    efforts: z.record(z.string(), z.string()).optional(),
    json_schema: z.boolean().optional(),
    tool_choices: z.array(z.enum(["auto", "none", "required", "named"])).optional(),
    think_tags: z.boolean().optional(),
  }).optional(),
  /** Whereby it takes less than the wire, by the names of docs/providers.md. */
  traits: z.array(z.enum(hostTraits)).optional(),
  /** Keys added to every request. */
  extra_body: z.record(z.string(), z.unknown()).optional(),
});

const headerName = z.string().regex(/^[A-Za-z0-9-]+$/, "the name of a header");
const headerValue = z.string().regex(/^[\x20-\x7e]*$/, "printable ASCII");

const provider = strictObject({
  id: providerId,
  name: z.string().min(1).max(200).optional(),
  /** May be left out for providers that do nothing but speak. */
  wire: z.enum(wireIds).optional(),
  base_url: baseUrl,
  /** How it is asked to speak: `openai` by default where the wire is `responses` or `chat`. */
  speech: z.enum(speechDialectIds).optional(),
  /** Name of the environment variable that holds the key; absent for servers that ask for none. */
  api_key_env: variableName.optional(),
  /** The same for several keys, of which one rests alone when the provider refuses it or it is used up. */
  api_keys_env: z.array(variableName).min(1).max(32).optional(),
  headers: z.record(headerName, headerValue).default({}),
  /** Until the first byte of a stream; as `limits` says for servers of one's own where it is left out. */
  first_byte_seconds: z.number().positive().max(86_400).optional(),
  /** Whether `<id>/<anything>` may be sent on as `<anything>`. */
  open: z.boolean().default(false),
  quirks: quirks.default({}),
  data_policy: dataPolicy.optional(),
  /** An aggregator that reports with each answer what it charges (`usage.cost`): receipts are settled by it. */
  reports_cost: z.boolean().optional(),
  /** Whether it is sent `traceparent`, where traces are on. */
  trace_context: z.boolean().optional(),
  /** Where it stands, such as `eu`. */
  region: z.string().min(1).max(32).optional(),
  models: z.array(model).max(10_000).default([]),
});

const searchEngine = strictObject({
  base_url: baseUrl.optional(),
  /** USD a search, instead of the list price. */
  price: priceSchema.optional(),
});

export const configFileSchema = strictObject({
  providers: z.array(provider).max(200).default([]),
  /** The model of requests that name none. */
  default_model: modelOrAlias.optional(),
  /** Name that callers use → the model, or the models in order, that it stands for. */
  aliases: aliasesSchema.default({}),
  /** Services that are not switched on and that workspaces may reach with keys of their own; absent: all. */
  byok_providers: z.array(providerId).max(200).optional(),
  /**
   * A catalog of the operator's instead of this version's own; `file` is below the configuration file's folder.
   */
  catalog: strictObject({ file: z.string().min(1).max(4096).optional() }).default({}),
  /** Corrections of what the catalog says. */
  models: z.array(correction).max(10_000).default([]),
  /** Addresses that callers and models may fetch besides public `https:` ones. */
  fetch: fetchSchema.prefault({}),
  /** Search engines of `service:web_search`, by their ids. */
  search: z.partialRecord(z.enum(searchEngineIds), searchEngine).default({}),
  /** The service of the plugin `moderation`. */
  moderation: moderationSchema.optional(),
  /** Data that routers rank by, instead of this version's own or besides it. */
  routing: routingSchema.prefault({}),
  /** How the routers `auto` and `auto-beta` choose. */
  auto: autoSchema.prefault({}),
  /** Model id → figures of the operator's own. */
  scores: scoresSchema,
  /** Presets of the tool and the plugin `fusion`. */
  fusion: fusionSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  /** Where alerts are sent. */
  alerts: alertsSchema.prefault({}),
  /** Containers, in which models run commands. */
  sandbox: sandboxSchema.prefault({}),
});

export type ConfigFile = z.output<typeof configFileSchema>;
export type ProviderRow = ConfigFile["providers"][number];
export type SearchEngineRow = z.output<typeof searchEngine>;
export type ModelRow = ProviderRow["models"][number];
export type ModelCorrection = ConfigFile["models"][number];

/** Throws a ConfigError that names the place and what is allowed there. `path` is for the message. */
export function parseConfigFile(path: string, source: string): ConfigFile {
  const result = configFileSchema.safeParse(parseJsonc(path, source));
  if (!result.success) throw new ConfigError(`${path}: ${describe(result.error, parseJsonc(path, source))}`);
  assertUnique(path, result.data);
  const fault = namingFault(result.data);
  if (fault === undefined) return result.data;
  throw new ConfigError(`${path}: ${fault.place} is ${formatFileValue(fault.name, [])}: ${fault.message}`);
}

/** The file as it was written. Throws a ConfigError for what is not JSON with comments. */
export function parseJsonc(path: string, source: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(source, errors, { allowTrailingComma: true });
  const [first] = errors;
  // Texts that were cut out of the file stay views of it, over which JSON.stringify takes twice as long.
  if (!first) return JSON.parse(JSON.stringify(value));
  const before = source.slice(0, first.offset).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  const what = printParseErrorCode(first.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  throw new ConfigError(`${path}, ${place}: this is not JSON with comments (${what})`);
}

function describe(error: z.ZodError, root: unknown): string {
  const [issue] = error.issues;
  if (!issue) return "it does not fit";
  if (issue.code === "unrecognized_keys") {
    return `${show([...issue.path, issue.keys[0] ?? ""])} is unknown: ${issue.message}`;
  }
  const value = valueAt(root, issue.path);
  const { message } = issue.code === "invalid_key" ? issue.issues[0] ?? issue : issue;
  const received = message.replace(/^Invalid input: /, "").replace(/^Invalid option: /, "");
  if (value === undefined) return `${show(issue.path)} is missing: ${received}`;
  const advice = aliasAdvice(root, {
    name: issue.code === "invalid_key" ? issue.path.at(-1) : value,
    received,
  });
  return `${show(issue.path)} is ${formatFileValue(value, issue.path)}: ${received}${advice}`;
}

/** A key may have been written where its name belongs, and a header may hold one: those are not repeated. */
const unspoken: ReadonlySet<PropertyKey> = new Set(["api_key_env", "api_keys_env", "headers"]);

function formatFileValue(value: unknown, path: readonly PropertyKey[]): string {
  const text = JSON.stringify(value);
  return path.some((part) => unspoken.has(part)) || mayHoldSecret(text) ? "not allowed" : truncate(text);
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, part) => isObject(value) ? value[part] : undefined, root);
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

/** `providers[0].models[1].pricing.prompt` */
function show(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the file";
  const spelled = path.map((part) => typeof part === "number" ? `[${part}]` : `.${String(part)}`).join("");
  return spelled.replace(/^\./, "");
}

const WIRES = "responses, chat, messages, gemini or bedrock";

function assertUnique(path: string, { providers }: ConfigFile): void {
  const ids = new Set<string>();
  for (const [at, provider] of providers.entries()) {
    const { id, wire, speech, models } = provider;
    const place = `${path}: providers[${at}]`;
    if (ids.has(id)) throw new ConfigError(`${place}.id is "${id}" a second time: ids are unique`);
    ids.add(id);
    if (wire === undefined && speech === undefined) {
      throw new ConfigError(`${place}.wire is missing: ${WIRES}, or speech instead`);
    }
    assertKeyNames(place, provider);
    const seen = new Set<string>();
    for (const [index, { id: model }] of models.entries()) {
      if (seen.has(model)) {
        throw new ConfigError(`${place}.models[${index}].id is "${model}" a second time in this provider`);
      }
      seen.add(model);
    }
  }
}

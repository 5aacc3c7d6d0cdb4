/**
 * A canonical request → the body of a provider's `POST /responses`. Only what the provider publishes is
 * sent; everything that speaks to the gateway (routing, plugins, limits, identities) stays here
 * (protocols/fields.md).
 */

import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest, OutputFormat, ReasoningOptions } from "../../canonical/request.ts";
import { passthroughFields } from "../../common/outbound/render_body.ts";
import { unsentOf } from "../../common/outbound/unsent_fields.ts";
import type { EndpointTraits, RenderedRequest } from "../../wire.ts";
import { type InputContext, renderInput } from "./render_input.ts";
import type { ReportDropped } from "./render_parts.ts";
import {
  cacheOptionKeys,
  includes,
  itemKeys,
  partExtras,
  pickKeys,
  published,
  toolKeys,
  verbosities,
} from "./published_fields.ts";
import { renderToolChoice, renderTools } from "./render_tools.ts";

/** Nothing is stored at the provider: the gateway is stateless, and so is what it leaves behind. */
export function renderRequest(request: ModelRequest, traits: EndpointTraits): RenderedRequest {
  const dropped: string[] = [];
  const note: ReportDropped = (words) => {
    if (!dropped.includes(words)) dropped.push(words);
  };
  const { temperature, topP, topLogprobs } = request.sampling;
  const input = renderInput(request.input, { traits, note });
  const tools = renderTools(request.tools, note);
  reportUnlisted(request, { traits, note });
  const body = omitUndefined({
    model: traits.upstreamModel,
    instructions: request.instructions,
    input,
    ...(tools.length === 0 ? undefined : toolFields(request, tools)),
    max_output_tokens: traits.maxOutputTokens ?? request.maxOutputTokens,
    temperature,
    top_p: topP,
    top_logprobs: topLogprobs,
    reasoning: renderReasoning(request.reasoning, note),
    text: renderText(request, note),
    truncation: request.truncation,
    include: renderInclude(request.include),
    service_tier: request.serviceTier,
    prompt_cache_key: request.promptCacheKey,
    prompt_cache_options: request.promptCacheOptions && pickKeys(request.promptCacheOptions, cacheOptionKeys),
    // Who the end user is goes out only as the endpoint's own pseudonym (specification, `safety_identifier`).
    safety_identifier: traits.safetyIdentifier,
    ...extraFields(request, traits),
    stream: request.stream,
    store: false,
  });
  return { path: "/responses", body, dropped };
}

/** `max_tool_calls` counts steps of ours; only where the provider runs tools itself is it also its business. */
function toolFields(request: ModelRequest, tools: readonly JsonObject[]): JsonObject {
  const hosted = request.tools.some((tool) => tool.type === "hosted" && tool.wire === "responses");
  return {
    tools,
    tool_choice: request.toolChoice === undefined ? undefined : renderToolChoice(request.toolChoice),
    parallel_tool_calls: request.parallelToolCalls,
    max_tool_calls: hosted ? request.maxToolCalls : undefined,
  };
}

function reportUnlisted(request: ModelRequest, { traits, note }: InputContext): void {
  const unsupported = unlistedFields(request);
  for (const key in unsupported) {
    if (unsupported[key] !== undefined && !traits.passKeys.includes(key)) note(key);
  }
  unsentOf(request, {
    wire: "responses",
    fields: sentFields,
    passes: (key) => isPassed(key, traits),
    toolKeys: sentToolKeys,
    inputKeys: sentInputKeys,
  })
    .forEach(note);
}

const sentToolKeys: readonly string[] = [...toolKeys.function ?? [], ...toolKeys.custom ?? []];

const sentInputKeys: ReadonlySet<string> = new Set([...Object.values(itemKeys).flat(), ...partExtras]);

const sentFields = [
  "detail",
  "prompt_cache_breakpoint",
  "prompt_cache_key",
  "prompt_cache_options",
  "reasoning.context",
  "reasoning.mode",
  "safety_identifier",
] as const;

/** Fields of ours that this wire does not publish; an endpoint's row may say that it takes them. */
function unlistedFields(request: ModelRequest): JsonObject {
  const { topK, topA, minP, repetitionPenalty, seed, logitBias } = request.sampling;
  const { frequencyPenalty, presencePenalty } = request.sampling;
  return {
    top_k: topK,
    top_a: topA,
    min_p: minP,
    repetition_penalty: repetitionPenalty,
    seed,
    logit_bias: logitBias,
    stop: request.stop,
    frequency_penalty: frequencyPenalty || undefined,
    presence_penalty: presencePenalty || undefined,
    modalities: request.modalities?.includes("image") ? request.modalities : undefined,
    image_config: request.imageConfig,
  };
}

/** `effort` and `summary`; a token budget has no place here, and "not enabled" is the effort `none`. */
function renderReasoning(
  reasoning: ReasoningOptions | undefined,
  note: ReportDropped,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  if (reasoning.maxTokens !== undefined) note("reasoning.max_tokens");
  const { summary, context, mode } = reasoning;
  const effort = reasoning.effort ?? (reasoning.enabled === false ? "none" : undefined);
  const rendered = omitUndefined({ effort, summary, context, mode });
  return Object.keys(rendered).length === 0 ? undefined : rendered;
}

function renderText(request: ModelRequest, note: ReportDropped): JsonObject | undefined {
  const format = request.format.type === "text" ? undefined : renderFormat(request.format);
  const verbosity = renderVerbosity(request.verbosity, note);
  return format === undefined && verbosity === undefined ? undefined : omitUndefined({ format, verbosity });
}

function renderFormat(format: OutputFormat): JsonObject {
  if (format.type !== "json_schema") return { type: format.type };
  const { type, name, schema, description, strict } = format;
  return omitUndefined({ type, name, description, schema, strict });
}

/** The provider's scale ends at `high`; ours goes on. */
function renderVerbosity(verbosity: string | undefined, note: ReportDropped): string | undefined {
  if (verbosity === undefined || verbosities.includes(verbosity)) return verbosity;
  note(`text.verbosity ${verbosity}`);
  return "high";
}

function renderInclude(requested: readonly string[]): readonly string[] | undefined {
  if (requested.length === 0) return undefined;
  const include = requested.filter((one) => includes.includes(one));
  return include.length === 0 ? undefined : include;
}

/** These never leave, whatever an endpoint's row says. */
const ours: readonly string[] = [
  "models",
  "provider",
  "plugins",
  "session_id",
  "route",
  "trace",
  "debug",
  "user",
  "safety_identifier",
  "stop_server_tools_when",
  "store",
  "stream",
  "previous_response_id",
  "metadata",
];

const isPassed = (key: string, { passKeys }: EndpointTraits): boolean =>
  passKeys.includes(key) ? !ours.includes(key) : published.includes(key);

/** Unknown keys of a client of this wire, and those of our fields that the endpoint's row lists. */
function extraFields(request: ModelRequest, traits: EndpointTraits): JsonObject | undefined {
  const own = request.extra?.responses;
  if (own === undefined && traits.passKeys.length === 0) return undefined;
  const passed = passthroughFields(own, (key) => isPassed(key, traits));
  return { ...passed, ...pickKeys(omitUndefined(unlistedFields(request)), traits.passKeys) };
}

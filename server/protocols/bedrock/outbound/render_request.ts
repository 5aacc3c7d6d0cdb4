/** The canonical request → the body of POST /model/{model}/converse. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest, OutputFormat } from "../../canonical/request.ts";
import { renderClaudeSampling } from "../../common/outbound/claude/claude_sampling.ts";
import { unsentOf, unsupportedOptions } from "../../common/outbound/unsent_fields.ts";
import type { EndpointTraits, RenderedRequest } from "../../wire.ts";
import { renderTextBlock, type ReportDropped } from "./render_blocks.ts";
import { type ModelFamily, modelFamily } from "./model_family.ts";
import { limitCachePoints } from "./render_cache.ts";
import {
  type Conversation,
  lacksReasoningSignature,
  renderMessages,
  withUserLast,
} from "./render_messages.ts";
import { DEFAULT_MAX_OUTPUT_TOKENS, type ReasoningContext, renderReasoning } from "./render_reasoning.ts";
import { type RenderedTools, renderPreviousTools, renderTools } from "./render_tools.ts";

interface Context {
  readonly request: ModelRequest;
  readonly endpoint: EndpointTraits;
  readonly family: ModelFamily;
  readonly note: ReportDropped;
}

/** Throws an ApiError where the caller demands what this wire cannot say. */
export function renderRequest(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest {
  const dropped = new Set<string>();
  const note: ReportDropped = (words) => void dropped.add(words);
  const context: Context = { request, endpoint, family: modelFamily(endpoint.upstreamModel), note };
  const tools = renderTools(request, context);
  const { instructions, input } = request;
  const conversation = renderMessages({ instructions, input, names: tools.names, note });
  const unsignedTurn = lacksReasoningSignature(conversation.messages);
  const { fields, isThinking } = renderInference(context, { forced: tools.forced, unsignedTurn });
  const prefill = context.family.claude?.prefill === true && !isThinking && !tools.forced &&
    request.format.type === "text";
  const messages = withUserLast(conversation.messages, { prefill });
  const body = omitUndefined({
    ...renderPrompt(context, { tools, conversation: { ...conversation, messages } }),
    ...fields,
    serviceTier: tierOf(context),
  });
  unsupportedParameters(request).forEach(note);
  const verb = request.stream ? "converse-stream" : "converse";
  const path = `/model/${encodeURIComponent(endpoint.upstreamModel)}/${verb}`;
  return { path, body, dropped: [...dropped] };
}

interface Prompt {
  readonly tools: RenderedTools;
  readonly conversation: Conversation;
}

function renderPrompt({ request, family, note }: Context, { tools, conversation }: Prompt): JsonObject {
  const format = renderFormat(request.format, { family, note });
  const system = [...conversation.system, ...renderTextBlock(format.instruction ?? "")];
  const { messages } = conversation;
  const marked = limitCachePoints({ tools: tools.tools, system, messages, automatic: request.cache }, {
    family,
    note,
  });
  const offered = marked.tools.length > 0 ? marked.tools : renderPreviousTools(messages);
  return {
    system: marked.system.length === 0 ? undefined : marked.system,
    messages: marked.messages,
    toolConfig: offered.length === 0
      ? undefined
      : omitUndefined({ tools: offered, toolChoice: tools.choice }),
    outputConfig: format.config,
  };
}

type Turn = Pick<ReasoningContext, "forced" | "unsignedTurn">;

interface RenderedInference {
  readonly fields: JsonObject;
  readonly isThinking: boolean;
}

/** How long the answer may be, how it is drawn, and how hard the model thinks: these depend on each other. */
function renderInference(context: Context, turn: Turn): RenderedInference {
  const { request, endpoint, family, note } = context;
  const { reasoning, stop } = request;
  const fallback = family.claude?.thinking === "manual" && reasoning !== undefined
    ? DEFAULT_MAX_OUTPUT_TOKENS
    : undefined;
  const maxTokens = endpoint.maxOutputTokens ?? request.maxOutputTokens ?? endpoint.outputLimit ?? fallback;
  const thinking = renderReasoning(reasoning, { ...turn, family, maxTokens, note });
  const stops = stop?.filter((text) => text.trim() !== "");
  const inference = omitUndefined({
    maxTokens,
    ...renderSampling(context, { isThinking: thinking.on }),
    stopSequences: stops?.length ? stops : undefined,
  });
  return {
    isThinking: thinking.on,
    fields: {
      inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
      additionalModelRequestFields: Object.keys(thinking.fields).length === 0 ? undefined : thinking.fields,
    },
  };
}

/** Claude takes what it takes on its own wire; others take everything save while they think. */
function renderSampling(
  { request: { sampling }, family: { claude }, note }: Context,
  { isThinking }: { readonly isThinking: boolean },
): JsonObject {
  const { temperature, topP } = sampling;
  if (claude !== undefined) {
    const taken = renderClaudeSampling({ temperature, topP }, { family: claude, thinking: isThinking, note });
    return omitUndefined({ temperature: taken.temperature, topP: taken.top_p });
  }
  const drawn = { temperature, topP };
  if (!isThinking) return drawn;
  Object.entries(drawn).forEach(([key, value]) => value !== undefined && value !== 1 && note(key));
  return {};
}

interface FormatContext {
  readonly family: ModelFamily;
  readonly note: ReportDropped;
}

interface RenderedFormat {
  readonly config?: JsonObject;
  readonly instruction?: string;
}

const JSON_ONLY = "Answer with one JSON object and nothing else: no words around it, no code fence.";

/** Held to a schema where the model can be, asked for in words where it cannot. */
function renderFormat(format: OutputFormat, { family, note }: FormatContext): RenderedFormat {
  if (format.type === "text") return {};
  if (format.type === "json_object") return { instruction: JSON_ONLY };
  const { name, description } = format;
  const schema = JSON.stringify(format.schema);
  if (family.schemas) {
    const structure = { jsonSchema: omitUndefined({ name, description, schema }) };
    return { config: { textFormat: { type: "json_schema", structure } } };
  }
  note("text.format json_schema as a constraint");
  return { instruction: `${JSON_ONLY} It must match this JSON schema:\n${schema}` };
}

const tiers: Readonly<Record<string, string>> = {
  default: "default",
  fast: "priority",
  flex: "flex",
  priority: "priority",
};

function tierOf({ request: { serviceTier }, note }: Context): JsonObject | undefined {
  if (serviceTier === undefined || serviceTier === "auto") return undefined;
  const type = ownValue(tiers, serviceTier);
  if (type !== undefined) return { type };
  note(`service_tier ${serviceTier}`);
  return undefined;
}

const sentFields = ["cache_control", "is_error", "prompt_cache_breakpoint"] as const;

/** Lists the requested parameters that this wire has no key for. */
function unsupportedParameters(request: ModelRequest): readonly string[] {
  return [
    ...unsupportedOptions(request),
    ...unsentOf(request, { wire: "bedrock", fields: sentFields, passes: () => false }),
  ];
}

/** The canonical request → the body of POST /messages. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { nestedFields, passes, passthroughFields } from "../../common/outbound/render_body.ts";
import { unsentOf, unsupportedOptions } from "../../common/outbound/unsent_fields.ts";
import type { EndpointTraits, RenderedRequest } from "../../wire.ts";
import {
  renderCacheControl,
  type RenderedBlock,
  type RenderedMessage,
  renderTextBlock,
  type ReportDropped,
} from "./render_parts.ts";
import { type ClaudeFamily, claudeFamily } from "../../common/outbound/claude/claude_family.ts";
import { renderClaudeReasoning } from "../../common/outbound/claude/claude_reasoning.ts";
import { renderClaudeSampling } from "../../common/outbound/claude/claude_sampling.ts";
import { limitBreakpoints } from "./render_cache.ts";
import { renderMessages, withUserLast } from "./render_messages.ts";
import { renderFormat } from "./render_format.ts";
import { type RenderedTools, renderPreviousTools, renderTools } from "./render_tools.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Throws an ApiError where the caller demands what this wire or the model cannot do. */
export function renderRequest(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest {
  const dropped = new Set<string>();
  const note: ReportDropped = (words) => void dropped.add(words);
  const context: Context = { request, endpoint, family: claudeFamily(endpoint.upstreamModel), note };
  const body = omitUndefined({
    model: endpoint.upstreamModel,
    ...renderOutputOptions(context),
    ...renderDelivery(context),
  });
  unsupportedParameters(request, endpoint).forEach(note);
  return { path: "/messages", body, headers: headersOf(request), dropped: [...dropped] };
}

interface Context {
  readonly request: ModelRequest;
  readonly endpoint: EndpointTraits;
  readonly family: ClaudeFamily;
  readonly note: ReportDropped;
}

/** Renders the input, and everything that shapes the answer: these depend on each other. */
function renderOutputOptions(context: Context): JsonObject {
  const { request, family, note } = context;
  const tools = renderTools(request, { family, note });
  const { instructions, input } = request;
  const conversation = renderMessages({ instructions, input, names: tools.names, note });
  const maxTokens = maxOutputTokensFor(context);
  const unsignedTurn = isUnsigned(conversation.messages);
  const { thinking, effort, on } = renderClaudeReasoning(request.reasoning, {
    family,
    maxTokens,
    forced: tools.forced,
    unsignedTurn,
    note,
  });
  const { format, instruction } = renderFormat(request.format, { family, note });
  const system = [...conversation.system, ...renderTextBlock(instruction ?? "")];
  const prefill = family.prefill && !on && format === undefined && !tools.forced;
  const messages = withUserLast(conversation.messages, { prefill });
  const own = request.extra?.messages;
  const outputConfig = nestedFields(own, { at: "output_config", inner: "format" });
  return {
    max_tokens: maxTokens,
    ...renderPrompt(context, { tools, system, messages }),
    thinking: thinking && { ...nestedFields(own, { at: "thinking" }), ...thinking },
    output_config: outputConfig === undefined && effort === undefined && format === undefined
      ? undefined
      : omitUndefined({
        ...outputConfig,
        effort,
        format: format && { ...nestedFields(own, { at: "output_config.format" }), ...format },
      }),
    ...renderClaudeSampling(request.sampling, { family, thinking: on, note }),
  };
}

/** Sent when neither the caller nor the catalog says how long an answer may be: this wire demands a number. */
const USUAL_CAP = 8_192;

/** More than the model puts out is refused; who asked for more gets all that there is. */
function maxOutputTokensFor({ request, endpoint, note }: Context): number {
  const { maxOutputTokens = request.maxOutputTokens, outputLimit } = endpoint;
  if (maxOutputTokens === undefined) return outputLimit ?? USUAL_CAP;
  if (outputLimit === undefined || maxOutputTokens <= outputLimit) return maxOutputTokens;
  note(`max_output_tokens above ${outputLimit}`);
  return outputLimit;
}

interface Prompt {
  readonly tools: RenderedTools;
  readonly system: readonly RenderedBlock[];
  readonly messages: readonly RenderedMessage[];
}

function renderPrompt(
  { request, note }: Context,
  { tools: { tools, choice }, system, messages }: Prompt,
): JsonObject {
  const former = tools.length > 0 ? [] : renderPreviousTools(calledIn(messages));
  const all = { tools: [...tools, ...former], system, messages, automatic: request.cache };
  const marked = limitBreakpoints(all, note);
  return {
    ...renderCacheControl(marked.automatic),
    tools: marked.tools.length === 0 ? undefined : marked.tools,
    tool_choice: former.length > 0
      ? { type: "none" }
      : choice && { ...nestedFields(request.extra?.messages, { at: "tool_choice" }), ...choice },
    system: marked.system.length === 0 ? undefined : marked.system,
    messages: marked.messages,
  };
}

/** Names of tools that were called in the conversation. */
function calledIn(messages: readonly RenderedMessage[]): ReadonlySet<string> {
  const blocks = messages.flatMap(({ content }) => content);
  return new Set(blocks.flatMap(({ type, name }) => type === "tool_use" ? [String(name)] : []));
}

/**
 * Whether the model is to go on in a turn of calls and results that does not begin with its own thoughts: older
 * models refuse to think there.
 */
function isUnsigned(messages: readonly RenderedMessage[]): boolean {
  let at = messages.length - 1;
  while (messages[at]?.content[0]?.type === "tool_result") at -= 2;
  if (at === messages.length - 1) return false;
  return !/thinking$/.test(messages[at + 1]?.content[0]?.type ?? "");
}

/** Tiers as this provider has them: the best that the account has bought, or never more than the usual one. */
const tiers: Readonly<Record<string, string>> = {
  auto: "auto",
  default: "standard_only",
  fast: "auto",
  priority: "auto",
};

/** Renders the user, the service tier and the form of delivery. */
function renderDelivery({ request, endpoint, note }: Context): JsonObject {
  const { serviceTier, stop, stream, extra } = request;
  const stops = stop?.filter((text) => text.trim() !== "");
  if (stops !== undefined && stops.length < (stop?.length ?? 0)) note("blank stop text");
  const tier = ownValue(tiers, serviceTier ?? "");
  if (serviceTier !== undefined && tier === undefined) note(`service_tier ${serviceTier}`);
  const { safetyIdentifier } = endpoint;
  const hasToolset = request.tools.some((tool) => tool.type === "hosted" && tool.kind === "mcp_toolset");
  return {
    service_tier: tier,
    metadata: safetyIdentifier === undefined ? undefined : { user_id: safetyIdentifier },
    stop_sequences: stops?.length ? stops : undefined,
    stream,
    ...passthroughFields(
      extra?.messages,
      (key) => isPassed(key, endpoint) || (hasToolset && key === "mcp_servers"),
    ),
  };
}

/** The version of the wire that all this is written for. */
const VERSION = "2023-06-01";

/** A name of a beta is letters, digits and hyphens; nothing else may get into a header. */
function headersOf({ betas = [] }: ModelRequest): RenderedRequest["headers"] {
  const names = betas.filter((name) => /^[a-zA-Z0-9._-]{1,100}$/.test(name));
  const version = { "anthropic-version": VERSION };
  return names.length === 0 ? version : { ...version, "anthropic-beta": names.join(",") };
}

/**
 * True for a key that the provider publishes besides those that the canonical request has. What changes the price
 * (`container`, `inference_geo`, `speed`) is not among it: an endpoint's row says where it may be sent.
 */
const isPassed = (key: string, endpoint: EndpointTraits) => key === "diagnostics" || passes(endpoint, key);

/** Inside objects nothing changes the price that does not do so by itself. */
const isInside = (key: string) => /^(?:output_config|thinking|tool_choice)\./.test(key);

const sentFields = [
  "cache_control",
  "is_error",
  "prompt_cache_breakpoint",
  "safety_identifier",
  "x-anthropic-beta",
] as const;

/** Lists the requested parameters that this wire has no key for. */
function unsupportedParameters(request: ModelRequest, endpoint: EndpointTraits): readonly string[] {
  return [
    ...unsupportedOptions(request, ["top_k"]),
    ...unsentOf(request, {
      wire: "messages",
      fields: sentFields,
      passes: (key) => isInside(key) || isPassed(key, endpoint),
      toolKeys: "all",
    }),
  ];
}

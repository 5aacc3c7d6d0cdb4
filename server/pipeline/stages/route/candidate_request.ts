/**
 * The request as one candidate may see it: other providers' encrypted reasoning, its service tier, its variant's
 * wishes.
 */

import type { ModelRequest, ReasoningOptions, Tool } from "../../../protocols/canonical/request.ts";
import { inputForEndpoint } from "../../routing/encrypted_reasoning.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { canForceTool, offeredTools } from "../../tools/offered_tools.ts";
import { replayServerCalls } from "../../tools/replayed_items.ts";
import { forcedToolError } from "../../tools/tool_plan.ts";
import { leavesOutX } from "../../tools/web/native_search.ts";
import { withUniqueCallIds } from "./call_ids.ts";

interface CandidateRequest {
  readonly request: ModelRequest;
  /** Parameters that this candidate could not get, in words for the routing metadata. */
  readonly dropped: readonly string[];
}

/** The candidates that can be forced to call what `tool_choice` names. Throws an ApiError (400) where there is none. */
export function candidatesForTools(
  request: ModelRequest,
  candidates: readonly RouteCandidate[],
): readonly RouteCandidate[] {
  if (request.toolChoice?.type !== "hosted") return candidates;
  const able = candidates.filter(({ profile: { endpoint } }) => canForceTool(request, endpoint));
  if (able.length === 0) throw forcedToolError(request);
  return able;
}

/** A tool that a slug has brought is for the models that its router has chosen. */
function withoutOthersTools(request: ModelRequest, { model: { router } }: RouteCandidate): ModelRequest {
  const isOther = (tool: Tool) =>
    tool.type === "server" && tool.onlyForRouter !== undefined && tool.onlyForRouter !== router?.plugin;
  if (!request.tools.some(isOther)) return request;
  const tools = request.tools.filter((tool) => !isOther(tool));
  return { ...request, tools, toolChoice: tools.length === 0 ? undefined : request.toolChoice };
}

export function requestForCandidate(whole: ModelRequest, candidate: RouteCandidate): CandidateRequest {
  return requestForEndpoint(withoutOthersTools(whole, candidate), candidate);
}

function requestForEndpoint(
  request: ModelRequest,
  { profile: { endpoint }, model: requested }: RouteCandidate,
): CandidateRequest {
  const { input: readable, dropped: lost } = inputForEndpoint(endpoint, request.input);
  const input = withUniqueCallIds(replayServerCalls({ input: readable, tools: request.tools, endpoint }));
  const { tools, toolChoice } = offeredTools(request, endpoint);
  const { tier, dropped } = serviceTierAt(endpoint, request.serviceTier);
  const asked = requested.variants.has("thinking") ? withReasoning(request.reasoning) : request.reasoning;
  const reasoning = requested.isLatest && !canReason(endpoint) ? undefined : asked;
  const same = input === request.input && tier === request.serviceTier && reasoning === request.reasoning &&
    tools === request.tools;
  const left: string[] = [];
  if (dropped !== undefined) left.push(dropped);
  if (asked !== reasoning) left.push("reasoning, which the newest model of the family does not have");
  if (leavesOutX(request.tools, tools)) left.push("tool web_search: x_search");
  if (lost > 0) left.push("encrypted_content of another provider");
  if (same) return { request, dropped: left };
  const include = tools === request.tools ? request.include : includeForLoop(request.include, endpoint);
  return {
    request: { ...request, input, tools, toolChoice, include, serviceTier: tier, reasoning },
    dropped: left,
  };
}

const ENCRYPTED = "reasoning.encrypted_content";

/** The next turn needs the reasoning of this one, which providers of this wire give out encrypted only. */
function includeForLoop(include: readonly string[], { provider, model }: Endpoint): readonly string[] {
  const gives = provider.wire === "responses" && model.supportedParameters.includes("reasoning");
  return !gives || include.includes(ENCRYPTED) ? include : [...include, ENCRYPTED];
}

/** A model of which nobody has stated any parameter may have it. */
const canReason = ({ model: { supportedParameters } }: Endpoint): boolean =>
  supportedParameters.length === 0 ||
  ["reasoning", "reasoning_effort"].some((name) => supportedParameters.includes(name));

/** Joins the caller's reasoning options with the variant's: the caller's win, save that reasoning is off. */
function withReasoning(requested: ReasoningOptions | undefined): ReasoningOptions {
  const { effort, maxTokens } = requested ?? {};
  const fallback = maxTokens === undefined ? "medium" : undefined;
  return {
    ...requested,
    enabled: true,
    effort: effort === undefined || effort === "none" ? fallback : effort,
  };
}

interface TierChoice {
  /** Tier that is requested; undefined: none. */
  readonly tier: string | undefined;
  /** Tier that was dropped, for the routing metadata. */
  readonly dropped: string | undefined;
}

/** `fast` is another word for `priority`; `auto` leaves the choice to the provider. */
function serviceTierAt({ provider: { quirks } }: Endpoint, requested: string | undefined): TierChoice {
  if (requested === undefined || requested === "auto") return { tier: undefined, dropped: undefined };
  const name = requested === "fast" ? "priority" : requested;
  const note = `service_tier ${name}`;
  if (quirks.omit?.includes("service_tier")) return { tier: undefined, dropped: note };
  const { serviceTiers } = quirks;
  if (serviceTiers === undefined) return { tier: name, dropped: undefined };
  const tier = Object.hasOwn(serviceTiers, name) ? serviceTiers[name] : undefined;
  return { tier, dropped: tier === undefined && name !== "default" ? note : undefined };
}

/** Stays with the endpoint of the turn before, whose prompt cache is warm. */
export function preferredFirst(
  candidates: readonly RouteCandidate[],
  preferred: Endpoint | undefined,
): readonly RouteCandidate[] {
  if (preferred === undefined) return candidates;
  const isPreferred = ({ profile: { endpoint } }: RouteCandidate) => endpoint.id === preferred.id;
  return [...candidates.filter(isPreferred), ...candidates.filter((one) => !isPreferred(one))];
}

/** The request in the words of an endpoint's wire: what `billing` measures and `call` sends. */

import { writeJson } from "../../../shared/util/json.ts";
import { ApiError } from "../../../shared/errors.ts";
import { capHostedToolCalls } from "../../billing/pricing/hosted_tools.ts";
import type { WireId } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { ProviderRequest, RequestContext } from "../request_context.ts";
import type { EndpointTraits, Outbound, RenderedRequest } from "../../protocols/wire.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { traitsOf } from "../../providers/family_traits.ts";
import { UpstreamError } from "../routing/upstream_error.ts";

export interface RenderDeps {
  readonly outbound: (wire: WireId, request: Pick<ModelRequest, "embeddings">) => Outbound<unknown>;
  /**
   * The end user's identity as this provider may see it: an HMAC, never raw (specification, `safety_identifier`).
   */
  readonly safetyIdentifier: (turn: RenderInput, endpoint: Endpoint) => string | undefined;
}

/** The part of a request that decides how it is rendered. */
export type RenderInput = Pick<RequestContext, "request" | "caller">;

interface RenderTarget {
  readonly context: RenderInput;
  readonly endpoint: Endpoint;
  /** Tokens; what the caller asked for unless given. */
  readonly maxOutputTokens?: number;
  /** The call is held to what is reserved for it. */
  readonly limited?: boolean;
}

/** Throws an UpstreamError where the endpoint's wire cannot say what was asked: another endpoint may take it. */
export function renderProviderRequest(deps: RenderDeps, target: RenderTarget): ProviderRequest {
  const call = renderWith(deps, target);
  return { ...call, text: writeJson(call.body) };
}

/** The same for a count of tokens; undefined where the endpoint's provider does not count. */
export function renderCountFor(deps: RenderDeps, target: RenderTarget): ProviderRequest | undefined {
  const { endpoint, context } = target;
  const { address, wire } = endpoint.provider;
  const { renderCount } = deps.outbound(wire, context.request);
  if (renderCount === undefined || (address?.path !== undefined && address.countPath === undefined)) {
    return undefined;
  }
  const call = asUpstreamError(endpoint, () => renderCount(context.request, endpointTraits(deps, target)));
  return { ...call, text: writeJson(call.body) };
}

function renderWith(deps: RenderDeps, target: RenderTarget): RenderedRequest {
  const { endpoint, context, limited = false } = target;
  const { renderRequest } = deps.outbound(endpoint.provider.wire, context.request);
  const request = limited ? capHostedToolCalls(context.request, endpoint.provider.wire) : context.request;
  return asUpstreamError(endpoint, () => renderRequest(request, endpointTraits(deps, target)));
}

/** Makes an endpoint's own failure of what it cannot be told: another one may take it. */
export function asUpstreamError<Made>(endpoint: Endpoint, say: () => Made): Made {
  try {
    return say();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const { kind, message } = cause;
    throw new UpstreamError({ endpoint, kind, message, status: 0, endpointSpecific: true, cause });
  }
}

const none: readonly [] = [];
const nothing = {} as const;

function endpointTraits(
  deps: RenderDeps,
  { context, endpoint, maxOutputTokens }: RenderTarget,
): EndpointTraits {
  const { quirks } = endpoint.provider;
  return {
    upstreamModel: endpoint.upstreamModel,
    passKeys: quirks.passKeys ?? none,
    parameters: endpoint.model.supportedParameters,
    maxOutputTokens: maxOutputTokens ?? context.request.maxOutputTokens,
    outputLimit: endpoint.maxOutputTokens ?? undefined,
    omit: quirks.omit ?? none,
    rename: quirks.rename ?? nothing,
    developerRole: quirks.developerRole ?? "developer",
    extraBody: quirks.extraBody ?? nothing,
    efforts: quirks.efforts,
    traits: traitsOf(endpoint),
    reasoningReplay: quirks.reasoningReplay,
    safetyIdentifier: deps.safetyIdentifier(context, endpoint),
  };
}

/** The request in the words of an endpoint's wire: what `spend` measures and `call` sends. */

import { Refusal } from "../../shared/errors.ts";
import { bounded } from "../pricing/hosted_tools.ts";
import type { WireId } from "../canonical/item.ts";
import type { Rendered, Turn } from "../pipeline/request_context.ts";
import type { EndpointTraits, Outbound, RenderedCall } from "../protocols/wire.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import { Fault } from "../routing/upstream_error.ts";

export interface RenderDeps {
  readonly outbound: (wire: WireId) => Outbound<unknown>;
  /** The end user's identity as this provider may see it: an HMAC, never raw (gateway-api.md, `safety_identifier`). */
  readonly safetyIdentifier: (turn: Asking, endpoint: Endpoint) => string | undefined;
}

/** What of a turn decides how it is rendered. */
export type Asking = Pick<Turn, "request" | "caller">;

export interface Target {
  readonly turn: Asking;
  readonly endpoint: Endpoint;
  /** Tokens; what the caller asked for unless given. */
  readonly outputCap?: number;
  /** The call is held to what is reserved for it. */
  readonly limited?: boolean;
}

/** Throws a Fault where the endpoint's wire cannot say what was asked: another endpoint may take it. */
export function render(deps: RenderDeps, target: Target): Rendered {
  const call = callFor(deps, target);
  return { ...call, text: JSON.stringify(call.body) };
}

/** The same for a count of tokens; undefined where the endpoint's provider does not count. */
export function renderCountFor(deps: RenderDeps, target: Target): Rendered | undefined {
  const { endpoint, turn } = target;
  const { address, wire } = endpoint.provider;
  const { renderCount } = deps.outbound(wire);
  if (renderCount === undefined || (address?.path !== undefined && address.countPath === undefined)) {
    return undefined;
  }
  const call = sayable(endpoint, () => renderCount(turn.request, traitsOf(deps, target)));
  return { ...call, text: JSON.stringify(call.body) };
}

function callFor(deps: RenderDeps, target: Target): RenderedCall {
  const { endpoint, turn, limited = false } = target;
  const { renderRequest } = deps.outbound(endpoint.provider.wire);
  const request = limited ? bounded(turn.request, endpoint.provider.wire) : turn.request;
  return sayable(endpoint, () => renderRequest(request, traitsOf(deps, target)));
}

/** What an endpoint cannot be told is its own fault: another one may take it. */
export function sayable<Made>(endpoint: Endpoint, say: () => Made): Made {
  try {
    return say();
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const { kind, message } = cause;
    throw new Fault({ endpoint, kind, message, status: 0, endpointSpecific: true, cause });
  }
}

const none: readonly [] = [];
const nothing = {} as const;

function traitsOf(deps: RenderDeps, { turn, endpoint, outputCap }: Target): EndpointTraits {
  const { quirks } = endpoint.provider;
  return {
    upstreamModel: endpoint.upstreamModel,
    passKeys: quirks.passKeys ?? none,
    parameters: endpoint.model.supportedParameters,
    maxOutputTokens: outputCap ?? turn.request.maxOutputTokens,
    outputLimit: endpoint.maxOutputTokens ?? undefined,
    omit: quirks.omit ?? none,
    rename: quirks.rename ?? nothing,
    developerRole: quirks.developerRole ?? "developer",
    extraBody: quirks.extraBody ?? nothing,
    dialect: quirks.dialect,
    reasoningReplay: quirks.reasoningReplay,
    safetyIdentifier: deps.safetyIdentifier(turn, endpoint),
  };
}

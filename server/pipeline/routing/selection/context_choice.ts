/**
 * Which endpoints a request may go to that can be shortened: those whose context is at least half of what it needs, and
 * where none is, those with the longest.
 */

import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { compressionMode } from "../../compression/compression_mode.ts";
import { outputTokens } from "../../compression/context_limits.ts";
import type { AllowedEndpoint } from "./endpoint_order.ts";
import type { Exclusion } from "./exclusion.ts";
import type { RequestRequirements } from "./request_requirements.ts";

interface ContextChoice {
  readonly allowed: readonly AllowedEndpoint[];
  /** Endpoints that are left out. */
  readonly excluded: readonly Exclusion[];
}

const none: readonly Exclusion[] = [];

export function chooseByContext(
  allowed: readonly AllowedEndpoint[],
  { request, demand }: { readonly request: ModelRequest; readonly demand: RequestRequirements },
): ContextChoice {
  if (allowed.length < 2) return { allowed, excluded: none };
  const isSmall = ({ profile: { endpoint } }: AllowedEndpoint) => {
    const { contextLength } = endpoint.model;
    if (contextLength === null || compressionMode(request, endpoint) === undefined) return false;
    return contextLength * 2 < demand.likelyTokens + outputTokens(request, endpoint);
  };
  const small = allowed.filter(isSmall);
  if (small.length === 0) return { allowed, excluded: none };
  const longest = small.length < allowed.length ? Infinity : Math.max(...small.map(contextOf));
  const isOut = (one: AllowedEndpoint) => small.includes(one) && contextOf(one) < longest;
  return { allowed: allowed.filter((one) => !isOut(one)), excluded: small.filter(isOut).map(exclusionOf) };
}

const contextOf = ({ profile: { endpoint } }: AllowedEndpoint): number =>
  endpoint.model.contextLength ?? Infinity;

const exclusionOf = (one: AllowedEndpoint): Exclusion => ({
  endpoint: one.profile.endpoint,
  reason: "context_length",
  field: "input",
  detail: `takes ${contextOf(one)} tokens, less than half of what the request needs`,
});

/** The request as one candidate may see it: other providers' ciphers, its service tier, its variant's wishes. */

import type { ModelRequest, Reasoning } from "../../canonical/request.ts";
import { unmarkedFor } from "../../routing/encrypted_reasoning.ts";
import type { Candidate } from "../../routing/selection/endpoint_order.ts";
import { tierAt } from "./tiers.ts";

export interface Fitted {
  readonly request: ModelRequest;
  /** What this candidate could not be told, in words for the routing metadata. */
  readonly dropped: readonly string[];
}

export function requestAt(request: ModelRequest, { profile: { endpoint }, asked }: Candidate): Fitted {
  const { input, lost } = unmarkedFor(endpoint, request.input);
  const { tier, dropped } = tierAt(endpoint, request.serviceTier);
  const reasoning = asked.variants.has("thinking") ? thinking(request.reasoning) : request.reasoning;
  const same = input === request.input && tier === request.serviceTier && reasoning === request.reasoning;
  const left: string[] = [];
  if (dropped !== undefined) left.push(dropped);
  if (lost > 0) left.push("encrypted_content of another provider");
  // The plugins' seat has no policy yet, so what was asked of it is told and not forgotten.
  for (const { id, enabled } of request.plugins) if (enabled !== false) left.push(`plugin ${id}`);
  if (asked.variants.has("online")) left.push("plugin web (:online)");
  return { request: same ? request : { ...request, input, serviceTier: tier, reasoning }, dropped: left };
}

/** What the caller says about reasoning wins over the variant, save that it is off. */
function thinking(asked: Reasoning | undefined): Reasoning {
  const { effort, maxTokens } = asked ?? {};
  const usual = maxTokens === undefined ? "medium" : undefined;
  return { ...asked, enabled: true, effort: effort === undefined || effort === "none" ? usual : effort };
}

/** The request as one candidate may see it: other providers' ciphers, its service tier, its variant's wishes. */

import type { ModelRequest, Reasoning } from "../hub/request.ts";
import { unmarkedFor } from "../routing/ciphers.ts";
import type { Candidate } from "../routing/order.ts";
import { tierAt } from "../routing/tiers.ts";

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
  return {
    request: same ? request : { ...request, input, serviceTier: tier, reasoning },
    dropped: [
      ...(dropped === undefined ? [] : [dropped]),
      ...(lost === 0 ? [] : ["encrypted_content of another provider"]),
      // The plugins' seat has no policy yet, so what was asked of it is told and not forgotten.
      ...request.plugins.filter(({ enabled }) => enabled !== false).map(({ id }) => `plugin ${id}`),
      ...(asked.variants.has("online") ? ["plugin web (:online)"] : []),
    ],
  };
}

/** What the caller says about reasoning wins over the variant, save that it is off. */
function thinking(asked: Reasoning | undefined): Reasoning {
  const { effort, maxTokens } = asked ?? {};
  const usual = maxTokens === undefined ? "medium" : undefined;
  return { ...asked, enabled: true, effort: effort === undefined || effort === "none" ? usual : effort };
}

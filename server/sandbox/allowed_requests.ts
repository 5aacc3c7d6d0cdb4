/** Requests that one command may make: to what the network policy of its container allows, and so many. */

import { type DomainRule, isAllowedUrl, parseDomainRule } from "../../shared/fields/domain_rules.ts";
import type { NetworkPolicy } from "./sandbox.ts";

/** Requests of one command. */
export const MAX_REQUESTS = 10;

/** Error of a request that rules forbid; the message is one sentence for the model. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
}

export class AllowedRequests {
  readonly #rules: readonly DomainRule[];
  #requests = 0;

  constructor(network: NetworkPolicy) {
    this.#rules = network.type === "disabled"
      ? []
      : network.domains.map(parseDomainRule).filter((rule) => rule !== undefined);
  }

  /** Whether the policy allows an address. A list without rules would allow every one. */
  readonly allows = (url: URL): boolean =>
    this.#rules.length > 0 && isAllowedUrl(url, { allowed: this.#rules, excluded: [] });

  /** Counts one more. Throws RequestRefused beyond the limit. */
  count(): void {
    if (++this.#requests > MAX_REQUESTS) {
      throw new RequestRefused(`A command may make ${MAX_REQUESTS} requests.`);
    }
  }
}

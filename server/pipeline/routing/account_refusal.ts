/** How a provider's refusal of the gateway itself, of its key or its account, is told to callers and operators. */

import { ApiError } from "../../../shared/errors.ts";
import type { AccountError } from "../../protocols/canonical/event.ts";
import type { Endpoint } from "../../providers/endpoint.ts";

/** A provider's latest refusal of the key with which an endpoint is called. */
export interface AccountRefusal {
  readonly account: AccountError;
  /** The provider's status; 0 where its sign-in service refused. */
  readonly status: number;
}

export interface EndpointRefusal extends AccountRefusal {
  readonly endpoint: Endpoint;
}

const reasons: Readonly<Record<AccountError, string>> = {
  credentials: "it is wrong, expired or disabled",
  funds: "its account has no money or no quota left",
  access: "it may not use this model, or not from here",
};

/** `status 401: it is wrong, expired or disabled`; the provider's own words may quote the key, and are not in it. */
export function describeRefusal({ account, status }: AccountRefusal): string {
  return status === 0 ? `sign-in: ${reasons[account]}` : `status ${status}: ${reasons[account]}`;
}

function sentenceOf({ endpoint: { provider: { name }, byok }, ...refusal }: EndpointRefusal): string {
  const why = describeRefusal(refusal);
  return byok === true
    ? `${name} refuses the workspace's own key (${why}).`
    : `${name} refuses the gateway's key (${why}).`;
}

/**
 * Every endpoint that may serve the request refuses the key. It is said in the same words for as long as it lasts, and
 * clients that can be told so do not try again.
 */
export function accountRefusedError(refusals: readonly EndpointRefusal[]): ApiError {
  const sentences = new Set(refusals.map(sentenceOf));
  return new ApiError("upstream_failed", [...sentences].join(" "), {
    metadata: {
      previous_errors: refusals.map(({ endpoint, account, status }) => ({
        provider: endpoint.provider.name,
        code: `account_${account}`,
        status,
      })),
      provider_name: refusals.at(-1)?.endpoint.provider.name,
    },
    isPermanent: true,
  });
}

/** How an endpoint stands, in the words that people read. */

import { type ApiErrorKind, apiErrorKinds } from "../../../../shared/errors.ts";
import type { EndpointStanding } from "../../../../shared/management/status.ts";
import { describeRefusal } from "../account_refusal.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { keyedEndpointId, sharedEndpointId } from "../../../providers/keyed_endpoints.ts";
import type { EndpointHealth } from "./endpoint_health.ts";

interface StandingWords {
  readonly standing: EndpointStanding;
  readonly restsForSeconds?: number;
  readonly reason?: string;
}

const words = new Map<ApiErrorKind, string>([
  ["rate_limited", "too many requests"],
  ["timeout", "no answer in time"],
  ["unavailable", "unavailable"],
]);

/** `429: too many requests`; without a status where the connection failed before one. */
function describeFailure(kind: ApiErrorKind, status: number): string {
  const said = words.get(kind) ?? apiErrorKinds[kind].errorType.replaceAll("_", " ");
  return status === 0 ? `no connection (${said})` : `status ${status}: ${said}`;
}

interface EndpointWords extends StandingWords {
  /** Each key of its provider, where there are several, by the name of its variable. */
  readonly keys?: readonly (StandingWords & { readonly name: string })[];
}

/** An endpoint as all its keys find it: it is well as long as one of them is. */
export function standingOfKeys(
  health: EndpointHealth,
  { id, provider: { keys } }: Pick<Endpoint, "id" | "provider">,
): EndpointWords {
  if (keys === undefined || sharedEndpointId(id) !== id) return standingOf(health, id);
  const each = keys.map(({ name }) => ({ name, ...standingOf(health, keyedEndpointId(id, name)) }));
  const { name: _name, ...best } = each.find(({ standing }) => standing === "well") ?? each[0] ??
    { name: "", ...standingOf(health, id) };
  return { ...best, keys: each };
}

export function standingOf(health: EndpointHealth, endpointId: string): StandingWords {
  const state = health.stateOf(endpointId);
  const failure = health.lastFailure(endpointId);
  if (state.type === "well") return { standing: "well" };
  const rest = state.type === "probe" ? {} : { restsForSeconds: state.forSeconds };
  const refusal = health.refusalOf(endpointId);
  if (refusal !== undefined) return { standing: "misconfigured", ...rest, reason: describeRefusal(refusal) };
  const reason = failure && describeFailure(failure.kind, failure.status);
  return { standing: state.type === "probe" ? "probe" : "cooling_down", ...rest, reason };
}

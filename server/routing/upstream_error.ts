/** What a failed attempt means for the request: try the next endpoint, or tell the client (promises §3, faults U1–U6). */

import { Refusal, type RefusalKind, refusalKinds } from "../../shared/errors.ts";
import type { Endpoint } from "../providers/endpoint.ts";

/** Where a client finds what it could ask for instead. */
export const AVAILABILITY_DOCS = "/v1/models";

export interface FaultInfo {
  readonly endpoint: Endpoint;
  readonly kind: RefusalKind;
  /** The provider's status; 0 when the connection failed before one. */
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  /** Seconds that the provider asks us to stay away. */
  readonly retryAfter?: number;
  /** Another endpoint might take the same request (context length, unsupported parameter). */
  readonly endpointSpecific: boolean;
  readonly cause?: unknown;
}

/** An attempt that failed before anything of the answer was there. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly info: FaultInfo;

  constructor(info: FaultInfo) {
    super(info.message, info.cause === undefined ? undefined : { cause: info.cause });
    this.info = info;
  }
}

/** Our own key or account at the provider is refused: never the client's business (faults U4). */
export const isMisconfiguration = ({ status }: FaultInfo): boolean => [401, 402, 403].includes(status);

/** The provider blames the request: every endpoint would, unless the fault is the endpoint's own limit. */
export function blamesRequest(info: FaultInfo): boolean {
  return refusalKinds[info.kind].fallback === "unless_request" && !isMisconfiguration(info);
}

/** Whether the next candidate may be asked. */
export const mayTryNext = (info: FaultInfo): boolean => !blamesRequest(info) || info.endpointSpecific;

/** Whether the endpoint's health is in doubt after this fault. */
export function hurtsHealth(info: FaultInfo): boolean {
  const { fallback, hurtsHealth: hurts } = refusalKinds[info.kind];
  return hurts || (isMisconfiguration(info) && fallback === "unless_request");
}

interface Exhausted {
  readonly faults: readonly FaultInfo[];
  /** Seconds until an endpoint that was skipped, or that answered 429, may be asked again. */
  readonly coolingFor?: number;
  /** Names as the caller wrote them, and the providers that could have served them. */
  readonly requested?: readonly string[];
  readonly providers?: readonly string[];
}

/** Kinds that are told as they are when every endpoint had the same one. */
const shared = [
  "overloaded",
  "unavailable",
  "not_ready",
  "upstream_timeout",
  "timeout",
  "not_found",
] as const;

/** The refusal when no candidate is left, by the mix of causes (promises §3). */
export function exhausted(given: Exhausted): Refusal {
  const { faults, coolingFor } = given;
  const last = faults.at(-1);
  const metadata = { previous_errors: faults.map(told), ...providerNames(last) };
  if (last !== undefined && blamesRequest(last) && !last.endpointSpecific) {
    return new Refusal(last.kind, last.message, { metadata });
  }
  if (coolingFor !== undefined || faults.some(({ kind }) => kind === "rate_limited")) {
    return cooling(given, metadata);
  }
  if (last !== undefined && faults.every(blamesRequest)) {
    // What no wire could say was refused before any call: that refusal names the place in the request.
    return last.cause instanceof Refusal ? last.cause : new Refusal(last.kind, last.message, { metadata });
  }
  const kind = shared.find((one) => faults.length > 0 && faults.every((fault) => fault.kind === one)) ??
    "upstream_failed";
  return new Refusal(kind, last?.message ?? "The provider failed.", {
    metadata,
    availability: availabilityOf(kind, given),
    // Of the others it is not known when they will be well.
    retryAfter: kind === "not_ready" ? last?.retryAfter : undefined,
  });
}

function cooling(given: Exhausted, metadata: Readonly<Record<string, unknown>>): Refusal {
  const retryAfter = given.coolingFor ?? 1;
  const message = given.faults.at(-1)?.message ?? "Every endpoint of this model is resting. Try again later.";
  const availability = {
    code: "capacity_exhausted",
    retryable: true,
    retry_after: retryAfter,
    ...concerned(given),
  };
  return new Refusal("rate_limited", message, { metadata, retryAfter, availability });
}

const codes: Readonly<Partial<Record<RefusalKind, string>>> = {
  not_found: "model_unavailable_upstream",
  unavailable: "temporarily_unavailable",
  not_ready: "temporarily_unavailable",
  overloaded: "temporarily_unavailable",
};

/** Undefined for the kinds that wire-reference §2.8 has no code for. */
function availabilityOf(kind: RefusalKind, given: Exhausted) {
  const code = codes[kind];
  return code === undefined ? undefined : { code, retryable: kind !== "not_found", ...concerned(given) };
}

function concerned({ faults, requested = [], providers }: Exhausted) {
  return {
    requested_models: requested,
    affected_providers: providers ?? [...new Set(faults.map(({ endpoint }) => endpoint.provider.name))],
    docs_url: AVAILABILITY_DOCS,
  };
}

function told({ endpoint, code, status, kind }: FaultInfo) {
  return { provider: endpoint.provider.name, code: code ?? kind, status };
}

function providerNames(last: FaultInfo | undefined) {
  return last === undefined ? {} : { provider_name: last.endpoint.provider.name };
}

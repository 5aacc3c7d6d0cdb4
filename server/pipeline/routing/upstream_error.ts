/**
 * Decides what a failed attempt means for the request: try the next endpoint, or report the error to the client
 * (promises §3, faults U1–U6).
 */

import { ApiError, type ApiErrorKind, apiErrorKinds } from "../../../shared/errors.ts";
import type { AccountError } from "../../protocols/canonical/event.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { accountRefusedError, type EndpointRefusal } from "./account_refusal.ts";

/** Where a client finds what it could ask for instead. */
export const MODELS_PATH = "/v1/models";

export interface UpstreamErrorInfo {
  readonly endpoint: Endpoint;
  readonly kind: ApiErrorKind;
  /** The provider's status; 0 when the connection failed before one. */
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  /** Seconds that the provider asks us to stay away. */
  readonly retryAfter?: number;
  /** Another endpoint might take the same request (context length, unsupported parameter). */
  readonly endpointSpecific: boolean;
  /** Set where the provider refuses the gateway, and not the request. */
  readonly account?: AccountError;
  readonly cause?: unknown;
}

/** An attempt that failed before anything of the answer was there. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly info: UpstreamErrorInfo;

  constructor(info: UpstreamErrorInfo) {
    super(info.message, info.cause === undefined ? undefined : { cause: info.cause });
    this.info = info;
  }
}

/**
 * How the provider refuses our own key or account, which is never the client's business (faults U4). Some providers
 * refuse contents with 403 as well.
 */
export const accountErrorOf = ({ account, status, kind }: UpstreamErrorInfo): AccountError | undefined =>
  kind === "content_policy" ? undefined : account ?? accountStatuses.get(status);

const accountStatuses: ReadonlyMap<number, AccountError> = new Map([
  [401, "credentials"],
  [402, "funds"],
  [403, "access"],
]);

/** Whether another key of the same provider may be taken: this one is refused, or used up for the moment. */
export const isKeyFailure = (info: UpstreamErrorInfo): boolean =>
  info.kind === "rate_limited" || isMisconfiguration(info);

/** Whether the provider refuses our own key or account. */
export const isMisconfiguration = (info: UpstreamErrorInfo): boolean => accountErrorOf(info) !== undefined;

/** The provider blames the request: every endpoint would, unless the fault is the endpoint's own limit. */
function isRequestError(info: UpstreamErrorInfo): boolean {
  return apiErrorKinds[info.kind].fallback === "unless_request" && !isMisconfiguration(info);
}

/** Whether the next candidate may be asked. */
export const isRetryable = (info: UpstreamErrorInfo): boolean =>
  !isRequestError(info) || info.endpointSpecific;

/** Whether the endpoint's health is in doubt after this fault. */
export function countsAgainstHealth(info: UpstreamErrorInfo): boolean {
  const { fallback, hurtsHealth } = apiErrorKinds[info.kind];
  return hurtsHealth || (isMisconfiguration(info) && fallback === "unless_request");
}

interface AttemptFailures {
  readonly faults: readonly UpstreamErrorInfo[];
  /** Endpoints that were skipped because their provider refuses our key. */
  readonly refusals?: readonly EndpointRefusal[];
  /** Seconds until an endpoint that was skipped, or that answered 429, may be asked again. */
  readonly coolingFor?: number;
  /** Names as the caller wrote them, and the providers that could have served them. */
  readonly requested?: readonly string[];
  readonly providers?: readonly string[];
  /** Sentences on the aliases among the names, for a message of ours. */
  readonly aliases?: string;
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

/** The API error when no candidate is left, by the mix of causes (promises §3). */
export function allAttemptsFailed(input: AttemptFailures): ApiError {
  const { faults, coolingFor, refusals: known = [] } = input;
  const refusals = [...known, ...faults.flatMap(refusalOf)];
  const isRefused = refusals.length > 0 && refusals.length === known.length + faults.length;
  if (isRefused && coolingFor === undefined) return accountRefusedError(refusals);
  const last = faults.at(-1);
  const metadata = { previous_errors: faults.map(describeFailure), ...providerNames(last) };
  if (last !== undefined && isRequestError(last) && !last.endpointSpecific) {
    return new ApiError(last.kind, last.message, { metadata });
  }
  if (coolingFor !== undefined || faults.some(({ kind }) => kind === "rate_limited")) {
    return coolingDownError(input, metadata);
  }
  if (last !== undefined && faults.every(isRequestError)) {
    // What no wire could say was refused before any call: that API error names the place in the request.
    return last.cause instanceof ApiError ? last.cause : new ApiError(last.kind, last.message, { metadata });
  }
  const kind = shared.find((one) => faults.length > 0 && faults.every((fault) => fault.kind === one)) ??
    "upstream_failed";
  return new ApiError(kind, last?.message ?? "Provider call failed.", {
    metadata,
    availability: availabilityOf(kind, input),
    // Of the others it is not known when they will be well.
    retryAfter: kind === "not_ready" ? last?.retryAfter : undefined,
  });
}

function refusalOf(info: UpstreamErrorInfo): readonly EndpointRefusal[] {
  const account = accountErrorOf(info);
  return account === undefined ? [] : [{ endpoint: info.endpoint, account, status: info.status }];
}

function coolingDownError(input: AttemptFailures, metadata: Readonly<Record<string, unknown>>): ApiError {
  const retryAfter = input.coolingFor ?? 1;
  const message = input.faults.at(-1)?.message ??
    `All endpoints of this model are cooling down. Try again later.${input.aliases ?? ""}`;
  const availability = {
    code: "capacity_exhausted",
    retryable: true,
    retry_after: retryAfter,
    ...concerned(input),
  };
  return new ApiError("rate_limited", message, { metadata, retryAfter, availability });
}

const codes: Readonly<Partial<Record<ApiErrorKind, string>>> = {
  not_found: "model_unavailable_upstream",
  unavailable: "temporarily_unavailable",
  not_ready: "temporarily_unavailable",
  overloaded: "temporarily_unavailable",
};

/** Undefined for the kinds that specification, Availability detail has no code for. */
function availabilityOf(kind: ApiErrorKind, input: AttemptFailures) {
  const code = codes[kind];
  return code === undefined ? undefined : { code, retryable: kind !== "not_found", ...concerned(input) };
}

function concerned({ faults, requested = [], providers }: AttemptFailures) {
  return {
    requested_models: requested,
    affected_providers: providers ?? [...new Set(faults.map(({ endpoint }) => endpoint.provider.name))],
    docs_url: MODELS_PATH,
  };
}

function describeFailure({ endpoint, code, status, kind }: UpstreamErrorInfo) {
  return { provider: endpoint.provider.name, code: code ?? kind, status };
}

function providerNames(last: UpstreamErrorInfo | undefined) {
  return last === undefined ? {} : { provider_name: last.endpoint.provider.name };
}

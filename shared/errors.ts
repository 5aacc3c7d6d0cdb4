/**
 * API errors: every way the gateway says no, as one closed union with a status table (specification, Errors;
 * specification, Canonical error_type enum). An API error is thrown on purpose and rendered once, by the
 * wire of the client.
 */

/** The canonical `error_type` values (specification, Canonical error_type enum). */
type ErrorType =
  | "context_length_exceeded"
  | "max_tokens_exceeded"
  | "token_limit_exceeded"
  | "string_too_long"
  | "authentication"
  | "permission_denied"
  | "payment_required"
  | "rate_limit_exceeded"
  | "provider_overloaded"
  | "provider_unavailable"
  | "invalid_request"
  | "invalid_prompt"
  | "not_found"
  | "precondition_failed"
  | "payload_too_large"
  | "unprocessable"
  | "content_policy_violation"
  | "refusal"
  | "invalid_image"
  | "image_too_large"
  | "image_too_small"
  | "unsupported_image_format"
  | "image_not_found"
  | "image_download_failed"
  | "server"
  | "timeout"
  | "unmapped";

/** Statuses that an API error may carry (specification, Errors, plus those that are mapped away). */
type ApiErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 408
  | 409
  | 412
  | 413
  | 415
  | 422
  | 429
  | 500
  | 502
  | 503
  | 524
  | 529;

/**
 * Reaction of routing to a provider that fails in this way before its answer began. `next`: the next endpoint is
 * asked. `unless_request`: the request is at fault, so the next one is asked only where the endpoint's own limits
 * decided.
 */
type Fallback = "next" | "unless_request";

interface KindRow {
  readonly status: ApiErrorStatus;
  readonly errorType: ErrorType;
  readonly fallback: Fallback;
  /** Whether the endpoint that failed so may have to rest. */
  readonly hurtsHealth: boolean;
}

/** The provider blames what the client sent: every endpoint would. */
const request = { fallback: "unless_request", hurtsHealth: false } as const;
/** Something is wrong at the endpoint, or between it and us. */
const endpoint = { fallback: "next", hurtsHealth: true } as const;
/** The endpoint is well, and does not have what was asked for, or not yet. */
const absent = { fallback: "next", hurtsHealth: false } as const;

/**
 * Kind → status, default `error_type`, and what routing does. The kinds are ours, the statuses are the
 * specification's. A new kind has to say all of it here: nothing is assumed of one that is not listed.
 */
export const apiErrorKinds = {
  invalid_request: { status: 400, errorType: "invalid_request", ...request },
  invalid_image: { status: 400, errorType: "invalid_image", ...request },
  context_length: { status: 400, errorType: "context_length_exceeded", ...request },
  content_policy: { status: 400, errorType: "content_policy_violation", ...request },
  unauthorized: { status: 401, errorType: "authentication", ...endpoint },
  payment_required: { status: 402, errorType: "payment_required", ...endpoint },
  forbidden: { status: 403, errorType: "permission_denied", ...endpoint },
  blocked: { status: 403, errorType: "content_policy_violation", ...endpoint },
  not_found: { status: 404, errorType: "not_found", ...absent },
  timeout: { status: 408, errorType: "timeout", ...endpoint },
  /** The client takes too long over the body of its request. */
  slow_request: { status: 408, errorType: "timeout", ...request },
  conflict: { status: 409, errorType: "invalid_request", ...endpoint },
  precondition_failed: { status: 412, errorType: "precondition_failed", ...endpoint },
  too_large: { status: 413, errorType: "payload_too_large", ...request },
  unsupported_media: { status: 415, errorType: "invalid_request", ...endpoint },
  unprocessable: { status: 422, errorType: "unprocessable", ...request },
  rate_limited: { status: 429, errorType: "rate_limit_exceeded", ...endpoint },
  internal: { status: 500, errorType: "server", ...endpoint },
  upstream_failed: { status: 502, errorType: "provider_unavailable", ...endpoint },
  unavailable: { status: 503, errorType: "provider_overloaded", ...endpoint },
  /** It will be there in a moment, and nothing is wrong with it. */
  not_ready: { status: 503, errorType: "provider_overloaded", ...absent },
  upstream_timeout: { status: 524, errorType: "timeout", ...endpoint },
  overloaded: { status: 529, errorType: "provider_overloaded", ...endpoint },
} as const satisfies Record<string, KindRow>;

export type ApiErrorKind = keyof typeof apiErrorKinds;

/** Details of an API error besides its message. */
export interface ApiErrorDetails {
  /** Overrides the kind's `error_type`. */
  readonly errorType?: ErrorType;
  /** Goes into `error.metadata`; never secrets, never upstream headers. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Goes into `error.availability` (specification, Availability detail). */
  readonly availability?: Readonly<Record<string, unknown>>;
  /** Seconds, sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** To try again does not help before an operator has changed something: sent as `X-Should-Retry: false`. */
  readonly isPermanent?: true;
  /** Error that caused it; logged, never sent. */
  readonly cause?: unknown;
}

/** An API error on its way to the client. Messages say what was wrong and what is allowed. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly kind: ApiErrorKind;
  readonly details: ApiErrorDetails;

  constructor(kind: ApiErrorKind, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.details = details;
  }

  /** The kind's status, before an operation's own list is applied. */
  get status(): ApiErrorStatus {
    return apiErrorKinds[this.kind].status;
  }

  /** The canonical `error_type`. */
  get errorType(): ErrorType {
    return this.details.errorType ?? apiErrorKinds[this.kind].errorType;
  }
}

/** Operations and the statuses that the specification lists for each (specification, Endpoints). */
export const operationStatuses = {
  create_response: [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 524, 529],
  create_chat_completion: [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 524, 529],
  /** No 422 here: clients of this wire know a faulty request as 400. */
  create_message: [400, 401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 524, 529],
  count_tokens: [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 524, 529],
  /** Listing and showing models. */
  models: [400, 401, 402, 403, 404, 429, 500, 502, 503],
  update_key: [400, 401, 404, 429, 500],
  create_embeddings: [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 524, 529],
  create_speech: [400, 401, 402, 403, 404, 413, 429, 500, 502, 503, 524, 529],
  upload_file: [400, 401, 403, 413, 429, 500, 502, 503],
  /** Listing, showing and deleting files. */
  files: [400, 401, 403, 404, 429, 500, 502, 503],
  download_file: [400, 401, 403, 404, 412, 429, 500, 502, 503],
  /** Listing, showing and deleting containers and their files. */
  containers: [400, 401, 403, 404, 429, 500, 503],
  promote_file: [400, 401, 403, 404, 413, 429, 500, 503],
  download_container_file: [400, 401, 403, 404, 412, 429, 500, 503],
  /** Where receipts are sent: 409 where a type has as many as it may. */
  destinations: [400, 401, 403, 404, 409, 429, 500, 503],
  /** Tag rules: 409 where a workspace has as many as it may. */
  classifiers: [400, 401, 403, 404, 409, 429, 500, 503],
  delete_workspace: [400, 401, 403, 404, 500],
  mcp: [400, 401, 403, 404, 408, 413, 415, 429, 500, 502, 503],
  other: [400, 401, 402, 403, 404, 429, 500, 502, 503],
} as const satisfies Record<string, readonly number[]>;

export type Operation = keyof typeof operationStatuses;

/** Where a status goes that an operation does not list (ARCHITECTURE.md, Invariants). */
const fallbacks: Readonly<Record<number, readonly number[]>> = {
  402: [403, 400],
  403: [401, 400],
  408: [524, 500],
  409: [400],
  412: [400],
  413: [400],
  415: [400],
  422: [400],
  429: [400],
  502: [500],
  503: [500],
  524: [502, 500],
  529: [503, 500],
};

/** The same for kinds whose cause is another one than their status says. */
const kindFallbacks: { readonly [K in ApiErrorKind]?: readonly number[] } = {
  // The client's own doing: no 5xx.
  slow_request: [400],
};

/** The status an API error gets on an operation: its kind's own where listed, else the nearest listed one. */
export function statusForOperation(operation: Operation, kind: ApiErrorKind): number {
  const listed: readonly number[] = operationStatuses[operation];
  const { status } = apiErrorKinds[kind];
  if (listed.includes(status)) return status;
  const others = kindFallbacks[kind] ?? fallbacks[status] ?? [];
  return others.find((candidate) => listed.includes(candidate)) ?? 500;
}

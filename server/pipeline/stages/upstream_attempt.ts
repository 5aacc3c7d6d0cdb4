/** One call of one endpoint: what a call needs, whatever is asked for and however it is answered. */

import { FUSION_DEPTH } from "../../../shared/fields/fusion.ts";
import { parseRetryAfter } from "../../../shared/util/retry_after.ts";
import type { Failure } from "../../protocols/canonical/event.ts";
import type { ProviderRequest, RequestContext } from "../request_context.ts";
import type { CancelSignal } from "../../one_shot_signal.ts";
import type { ProviderError } from "../../protocols/wire.ts";
import { CredentialError } from "../../providers/credentials/credential_error.ts";
import { credentialHashOf } from "../../providers/credentials/credential_hash.ts";
import type { CallCredentials } from "../../providers/credentials/call_credentials.ts";
import type { Credential } from "../../providers/credential.ts";
import { endpointUrl } from "../../providers/endpoint_url.ts";
import type { Endpoint, Provider } from "../../providers/endpoint.ts";
import { UpstreamError } from "../routing/upstream_error.ts";
import { connectionFailure } from "../../providers/upstream/connections/connection_failure.ts";
import { type CallLimits, UpstreamCall } from "../../providers/upstream/upstream_call.ts";
import {
  KeptConnectionEnded,
  type Transport,
  type UpstreamRequest,
  type UpstreamResponse,
} from "../../providers/upstream/transport.ts";
import type { Clock } from "../../runtime.ts";
import { noteSignedHeaders, redactFailure } from "./provider_message.ts";

export interface UpstreamAttemptDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Authorises calls of providers that a fixed header does not do for. */
  readonly credentials: CallCredentials;
  readonly limits: CallLimits & {
    /** At most so many sends for one request. */
    readonly attempts: number;
    /** To the first byte of a stream at servers of the operator's own. */
    readonly ownFirstByteMs: number;
  };
  /** The gateway stops: answers that still run end now. */
  readonly stop: CancelSignal;
}

export interface UpstreamAttempt {
  readonly deps: UpstreamAttemptDeps;
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  readonly call: UpstreamCall;
}

/** A caller who may end the request can cut this call from now on. */
export function startAttempt(
  deps: UpstreamAttemptDeps,
  { context, endpoint }: Pick<UpstreamAttempt, "context" | "endpoint">,
): UpstreamAttempt {
  const call = new UpstreamCall({
    clock: deps.clock,
    limits: deps.limits,
    firstByteMs: firstByteMsOf(endpoint.provider, deps),
    streamed: context.request.stream,
    clientDisconnect: context.clientDisconnect,
    gatewayStop: deps.stop,
  });
  context.call.abort = (failure: Failure) => call.abort(failure);
  return { deps, context, endpoint, call };
}

const firstByteMsOf = ({ isOwn, firstByteMs }: Provider, { limits }: UpstreamAttemptDeps) =>
  firstByteMs ?? (isOwn === true ? limits.ownFirstByteMs : limits.firstByteMs);

interface SendOptions {
  readonly providerRequest: Pick<ProviderRequest, "path" | "text" | "bytes" | "headers">;
  /** The preferred content type, where there is one. */
  readonly accept?: string;
  /** Tokens are to be counted, and no answer is made. */
  readonly counts?: boolean;
  /** The attempt is noted already: this is a further call of it. */
  readonly further?: boolean;
}

/**
 * Sends the call. Where a kept connection ends without a byte of an answer, mostly because the provider had closed it
 * while it was unused, it is sent once more over a new one: an attempt of its own, although the provider may have read
 * the first one too, and no mark against the endpoint.
 */
export async function sendRequest(attempt: UpstreamAttempt, sent: SendOptions): Promise<UpstreamResponse> {
  const { endpoint, context: { call: record, request, reported }, call: upstreamCall, deps } = attempt;
  const { providerRequest, accept, counts, further = false } = sent;
  const call: UpstreamRequest = {
    url: endpointUrl(endpoint, { path: providerRequest.path, stream: request.stream, counts }),
    baseUrl: endpoint.provider.baseUrl,
    credentialHash: credentialHashOf(endpoint.provider),
    headers: headersFor(endpoint.provider, { accept, own: ownHeaders(attempt, providerRequest.headers) }),
    body: providerRequest.bytes ?? providerRequest.text,
    signal: upstreamCall.signal,
    onSent: reported && (() => reported.isSent = true),
  };
  if (reported !== undefined) reported.isSent ??= false;
  try {
    return await transmit(attempt, call);
  } catch (error) {
    if (!(error instanceof KeptConnectionEnded)) throw error;
    // A further call is made beyond the limit of attempts, and so is this one.
    if (!further && record.attempts.length + 2 > deps.limits.attempts) throw error;
    recordAttempt(attempt, { status: 0, code: error.kind });
    record.resends++;
    upstreamCall.sendsAgain();
    const response = await transmit(attempt, { ...call, fresh: true });
    if (further) recordAttempt(attempt, { status: response.status });
    return response;
  }
}

function transmit({ endpoint, deps }: UpstreamAttempt, call: UpstreamRequest): Promise<UpstreamResponse> {
  const { credential } = endpoint.provider;
  return credential === undefined ? deps.transport(call) : sendSigned(deps, { call, credential });
}

interface Signing {
  readonly call: UpstreamRequest;
  readonly credential: Credential;
}

async function sendSigned(
  { credentials, transport }: UpstreamAttemptDeps,
  { call, credential }: Signing,
): Promise<UpstreamResponse> {
  const own = await credentials.headersFor(credential, call);
  noteSignedHeaders(credential, own);
  return await transport({ ...call, headers: { ...call.headers, ...own } });
}

interface Heading {
  readonly accept: string | undefined;
  /** Headers of this one call. */
  readonly own: ProviderRequest["headers"];
}

type Headers = UpstreamRequest["headers"];

/**
 * By the preferred content type: mostly a call has no headers of its own, and all calls of a provider have the same.
 */
const headersByProvider = new WeakMap<Provider, Map<string | undefined, Headers>>();

/**
 * A gateway behind this one can tell that the call is a part of a run, and starts none within it; a provider that is
 * marked for it continues the trace.
 */
function ownHeaders(
  { context: { runDepth, trace }, endpoint }: UpstreamAttempt,
  own: ProviderRequest["headers"],
) {
  const deep = runDepth === undefined ? own : { ...own, [FUSION_DEPTH]: String(runDepth) };
  return trace === undefined || endpoint.provider.takesTrace !== true
    ? deep
    : { ...deep, traceparent: trace.traceparent };
}

/** Headers of the call stand above the usual ones, and the provider's own above all. */
function headersFor(provider: Provider, { accept, own }: Heading): Headers {
  if (own !== undefined) return buildHeaders(provider, { accept, own });
  const known = headersByProvider.get(provider) ?? new Map<string | undefined, Headers>();
  const headers = known.get(accept) ?? buildHeaders(provider, { accept, own });
  if (known.size === 0) headersByProvider.set(provider, known);
  known.set(accept, headers);
  return headers;
}

const buildHeaders = (provider: Provider, { accept, own }: Heading): Headers => ({
  "content-type": "application/json",
  ...(accept === undefined ? {} : { accept }),
  ...own,
  ...provider.headers,
});

/** Reads the answer's body chunk by chunk, under the line's deadlines. */
export function readBodyChunks({ call }: UpstreamAttempt, reply: UpstreamResponse) {
  return async (): Promise<Uint8Array | undefined> => {
    call.startIdleTimer();
    const bytes = await reply.read();
    if (bytes !== undefined) call.stopIdleTimer();
    return bytes;
  };
}

/** Every attempt leaves its trace for the routing metadata and the receipt. */
export function recordAttempt(
  { context, endpoint, deps, call }: UpstreamAttempt,
  { status, code }: { readonly status: number; readonly code?: string },
): void {
  const { sentAt } = call;
  const latencyMs = deps.clock.monotonic() - sentAt;
  context.call.attempts.push({ endpoint, status, code, sentAt, latencyMs });
}

/** Turns what ended an attempt without an answer into its error, notes the attempt, and ends its deadlines. */
export function attemptError(attempt: UpstreamAttempt, error: unknown): UpstreamError {
  attempt.call.end();
  const fault = error instanceof UpstreamError ? error : faultOf(attempt, error);
  recordAttempt(attempt, { status: fault.info.status, code: fault.info.code ?? fault.info.kind });
  return fault;
}

/** A failure of the connection, or one that we caused by cutting the line. */
function faultOf({ endpoint, call }: UpstreamAttempt, error: unknown): UpstreamError {
  const failure = call.abortReason ??
    (error instanceof CredentialError ? credentialFailure(error) : connectionFailure(error));
  return new UpstreamError({ ...failure, endpoint, status: 0, endpointSpecific: false, cause: error });
}

const credentialFailure = ({ message, isRefused }: CredentialError): Failure => ({
  kind: "upstream_failed",
  message,
  code: "credential_failed",
  ...(isRefused ? { account: "credentials" } : {}),
});

/** Bytes of a provider's error answer that are read; the rest is noise. */
const ERROR_BYTES = 64 * 1024;

/** Whatever a provider asks for, it is tried again after a minute. */
const LONGEST_WAIT_S = 60;

interface ErrorResponseInput {
  readonly reply: UpstreamResponse;
  /** Parses the provider's error response. */
  readonly parseError: (status: number, body: string) => ProviderError;
}

/** The provider's own error, in our words; the message is passed on trimmed, with secrets redacted. */
export async function providerErrorResponse(
  { deps, endpoint, context }: UpstreamAttempt,
  { reply, parseError }: ErrorResponseInput,
): Promise<UpstreamError> {
  const { status } = reply;
  const after = parseRetryAfter((name) => reply.header(name), deps.clock.now());
  const { credential } = endpoint.provider;
  if (status === 401 && credential !== undefined) deps.credentials.forget(credential);
  if (status >= 300 && status < 400) {
    reply.discard();
    const message = "The provider returned a redirect, which is not followed.";
    return new UpstreamError({ endpoint, status, kind: "upstream_failed", message, endpointSpecific: false });
  }
  const text = await reply.text(ERROR_BYTES).catch((error: unknown) =>
    `Unreadable error response (${String(error)})`
  );
  const error = redactFailure(parseError(status, text), { endpoint, guards: context.guards });
  const wait = after ?? error.retryAfter;
  const retryAfter = wait === undefined ? undefined : Math.min(wait, LONGEST_WAIT_S);
  return new UpstreamError({ ...error, endpoint, status, retryAfter });
}

interface FailureInput {
  readonly failure: Failure;
  /** The provider's, of the answer that the failure was in. */
  readonly status: number;
}

/** A failure that was told inside of an answer before there was anything else in it. */
export function failureInResponse(
  { endpoint, context: { guards } }: UpstreamAttempt,
  { failure, status }: FailureInput,
): UpstreamError {
  return new UpstreamError({
    endpointSpecific: false,
    ...redactFailure(failure, { endpoint, guards }),
    endpoint,
    status,
  });
}

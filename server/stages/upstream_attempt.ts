/** One call of one endpoint: what a call needs, whatever is asked for and however it is answered. */

import type { Failure } from "../canonical/event.ts";
import type { Hangup, Rendered, Turn } from "../pipeline/request_context.ts";
import type { UpstreamError } from "../protocols/wire.ts";
import { CredentialError } from "../credentials/credential_error.ts";
import { credentialHashOf } from "../credentials/credential_hash.ts";
import type { Credentials } from "../credentials/call_credentials.ts";
import type { Credential } from "../providers/credential.ts";
import { urlOf } from "../providers/endpoint_url.ts";
import type { Endpoint, Provider } from "../providers/endpoint.ts";
import { Fault } from "../routing/upstream_error.ts";
import { brokenConnection } from "../upstream/connection_failure.ts";
import { type CallLimits, Line } from "../upstream/upstream_call.ts";
import { retryAfter } from "../upstream/retry_after.ts";
import {
  KeptConnectionEnded,
  type Transport,
  type UpstreamAnswer,
  type UpstreamCall,
} from "../upstream/transport.ts";
import type { Clock } from "../runtime.ts";
import { cleanFailure } from "./provider_message.ts";

export interface AttemptDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Authorises calls of providers that a fixed header does not do for. */
  readonly credentials: Credentials;
  readonly limits: CallLimits & {
    /** At most so many sends for one request. */
    readonly attempts: number;
  };
  /** The gateway stops: answers that still run end now. */
  readonly stop: Hangup;
}

export interface Attempt {
  readonly deps: AttemptDeps;
  readonly turn: Turn;
  readonly endpoint: Endpoint;
  readonly line: Line;
}

/** Whoever may end the request can cut this call from now on. */
export function attemptOf(
  deps: AttemptDeps,
  { turn, endpoint }: Pick<Attempt, "turn" | "endpoint">,
): Attempt {
  const line = new Line({
    clock: deps.clock,
    limits: deps.limits,
    streamed: turn.request.stream,
    hangup: turn.hangup,
    stop: deps.stop,
  });
  const cut = (failure: Failure) => line.cut(failure);
  turn.notes.cut = cut;
  return { deps, turn, endpoint, line };
}

interface Sent {
  readonly rendered: Pick<Rendered, "path" | "text" | "bytes" | "headers">;
  /** The content type that is wished for, where one is. */
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
export async function send(attempt: Attempt, sent: Sent): Promise<UpstreamAnswer> {
  const { endpoint, turn: { notes, request }, line, deps } = attempt;
  const { rendered, accept, counts, further = false } = sent;
  const call: UpstreamCall = {
    url: urlOf(endpoint, { path: rendered.path, stream: request.stream, counts }),
    baseUrl: endpoint.provider.baseUrl,
    credentialHash: credentialHashOf(endpoint.provider),
    headers: headersFor(endpoint.provider, { accept, own: rendered.headers }),
    body: rendered.bytes ?? rendered.text,
    signal: line.signal,
  };
  try {
    return await transmit(attempt, call);
  } catch (error) {
    if (!(error instanceof KeptConnectionEnded)) throw error;
    // A further call is made beyond the limit of attempts, and so is this one.
    if (!further && notes.attempts.length + 2 > deps.limits.attempts) throw error;
    note(attempt, { status: 0, code: error.fault });
    notes.resends = (notes.resends ?? 0) + 1;
    line.sendsAgain();
    const answer = await transmit(attempt, { ...call, fresh: true });
    if (further) note(attempt, { status: answer.status });
    return answer;
  }
}

function transmit({ endpoint, deps }: Attempt, call: UpstreamCall): Promise<UpstreamAnswer> {
  const { credential } = endpoint.provider;
  return credential === undefined ? deps.transport(call) : sendSigned(deps, { call, credential });
}

interface Signing {
  readonly call: UpstreamCall;
  readonly credential: Credential;
}

async function sendSigned(
  { credentials, transport }: AttemptDeps,
  { call, credential }: Signing,
): Promise<UpstreamAnswer> {
  const own = await credentials.headersFor(credential, call);
  return await transport({ ...call, headers: { ...call.headers, ...own } });
}

interface Heading {
  readonly accept: string | undefined;
  /** Of this one call. */
  readonly own: Rendered["headers"];
}

type Headers = UpstreamCall["headers"];

/** By what is wished for: mostly a call has no headers of its own, and all calls of a provider have the same. */
const usual = new WeakMap<Provider, Map<string | undefined, Headers>>();

/** Headers of the call stand above the usual ones, and the provider's own above all. */
function headersFor(provider: Provider, { accept, own }: Heading): Headers {
  if (own !== undefined) return headed(provider, { accept, own });
  const known = usual.get(provider) ?? new Map<string | undefined, Headers>();
  const headers = known.get(accept) ?? headed(provider, { accept, own });
  if (known.size === 0) usual.set(provider, known);
  known.set(accept, headers);
  return headers;
}

const headed = (provider: Provider, { accept, own }: Heading): Headers => ({
  "content-type": "application/json",
  ...(accept === undefined ? {} : { accept }),
  ...own,
  ...provider.headers,
});

/** Reads the answer's body piece by piece, under the line's deadlines. */
export function piecesOf({ line }: Attempt, reply: UpstreamAnswer) {
  return async (): Promise<Uint8Array | undefined> => {
    line.listen();
    const bytes = await reply.read();
    if (bytes !== undefined) line.heard();
    return bytes;
  };
}

/** Every attempt leaves its trace for the routing metadata and the receipt. */
export function note(
  { turn, endpoint, deps, line }: Attempt,
  { status, code }: { readonly status: number; readonly code?: string },
): void {
  const latencyMs = deps.clock.monotonic() - line.sentAt;
  turn.notes.upstreamMs += latencyMs;
  turn.notes.attempts.push({ endpoint, status, code, latencyMs });
}

/** What an attempt came to that brought no answer; it is noted, and nothing watches its line any more. */
export function came(attempt: Attempt, error: unknown): Fault {
  attempt.line.end();
  const fault = error instanceof Fault ? error : faultOf(attempt, error);
  note(attempt, { status: fault.info.status, code: fault.info.code ?? fault.info.kind });
  return fault;
}

/** A failure of the connection, or one that we caused by cutting the line. */
function faultOf({ endpoint, line }: Attempt, error: unknown): Fault {
  const failure = line.cutFor ??
    (error instanceof CredentialError ? unsigned(error) : brokenConnection(error));
  return new Fault({ ...failure, endpoint, status: 0, endpointSpecific: false, cause: error });
}

const unsigned = ({ message }: CredentialError): Failure => ({
  kind: "upstream_failed",
  message,
  code: "credential_failed",
});

/** Bytes of a provider's error answer that are read; the rest is noise. */
const ERROR_BYTES = 64 * 1024;

interface Refused {
  readonly reply: UpstreamAnswer;
  /** What the provider's words mean. */
  readonly parseError: (status: number, body: string) => UpstreamError;
}

/** The provider's own refusal, in our words; the message is passed on trimmed, with secrets redacted. */
export async function refused(
  { deps, endpoint }: Attempt,
  { reply, parseError }: Refused,
): Promise<Fault> {
  const { status } = reply;
  const after = retryAfter(reply.header("retry-after"), deps.clock.now());
  const { credential } = endpoint.provider;
  if (status === 401 && credential !== undefined) deps.credentials.forget(credential);
  if (status >= 300 && status < 400) {
    reply.discard();
    const message = "The provider redirects its callers, which is not followed.";
    return new Fault({ endpoint, status, kind: "upstream_failed", message, endpointSpecific: false });
  }
  const text = await reply.text(ERROR_BYTES).catch((error: unknown) =>
    `Unreadable error answer (${String(error)})`
  );
  const error = cleanFailure(parseError(status, text), endpoint);
  return new Fault({ ...error, endpoint, status, retryAfter: after ?? error.retryAfter });
}

interface Failed {
  readonly failure: Failure;
  /** The provider's, of the answer that the failure was in. */
  readonly status: number;
}

/** A failure that was told inside of an answer before there was anything else in it. */
export function failed({ endpoint }: Attempt, { failure, status }: Failed): Fault {
  return new Fault({ ...cleanFailure(failure, endpoint), endpoint, status, endpointSpecific: false });
}

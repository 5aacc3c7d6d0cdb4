/**
 * Header → caller. The only way in is `Authorization: Bearer` (SECURITY.md, API2), save on /messages, /files and
 * /models, where Anthropic's clients send the same key as `x-api-key`.
 */

import { ApiError, type Operation } from "../../shared/errors.ts";
import type { ClientRequest } from "../http/http_server/incoming_request.ts";
import type { Caller } from "../pipeline/request_context.ts";
import type { ClientAddress } from "./client_address.ts";
import type { HttpExchange } from "./http_exchange.ts";

/** Finds who a token belongs to; at once where the key is known to this process already. */
interface KeyLookup {
  find(token: string): Caller | undefined | Promise<Caller | undefined>;
}

/** Counts failures of an address; a valid key is never refused because of its neighbours. */
interface FailureCounter {
  /** Whole seconds to wait, 60 at most, when the address has failed too often; undefined while it has not. */
  failed(client: ClientAddress): number | undefined;
}

export interface AuthenticateDeps {
  readonly credentials: KeyLookup;
  /** Forgets what other instances have changed; a promise when that has to be looked up first. */
  readonly refreshCaches?: () => void | Promise<void>;
  readonly failures: FailureCounter;
  /** The caller's address, with trusted proxies taken into account. */
  readonly addressOf: (exchange: HttpExchange) => ClientAddress | undefined;
}

const bearer = /^Bearer +([\x21-\x7e]{1,512})$/i;

const plain = /^[\x21-\x7e]{1,512}$/;

function bearerOf(request: ClientRequest): string | undefined {
  const header = request.headers.get("authorization");
  return header === null ? undefined : bearer.exec(header)?.[1] ?? "";
}

/** Operations of Anthropic's API, whose clients send keys and read ids under names of their own. */
const anthropicOperations: ReadonlySet<Operation> = new Set([
  "create_message",
  "count_tokens",
  "upload_file",
  "files",
  "download_file",
  "models",
]);

export const isOfAnthropic = (operation: Operation): boolean => anthropicOperations.has(operation);

/** Empty for what is no credential, or two that differ: nobody should guess which one was meant. */
export function readToken({ request, operation }: HttpExchange): string {
  const token = bearerOf(request);
  const key = isOfAnthropic(operation) ? request.headers.get("x-api-key") : null;
  if (key === null) return token ?? "";
  return plain.test(key) && (token === undefined || token === key) ? key : "";
}

/**
 * At once where the key is known to this process already. 401 with one body for every reason, so that nothing can
 * be learnt from it (SECURITY.md, Authorization).
 */
export function authenticate(deps: AuthenticateDeps, exchange: HttpExchange): Caller | Promise<Caller> {
  if (exchange.session !== undefined) return exchange.session.caller;
  const looking = deps.refreshCaches?.();
  return looking instanceof Promise
    ? looking.then(() => findCaller(deps, exchange))
    : findCaller(deps, exchange);
}

function findCaller(deps: AuthenticateDeps, exchange: HttpExchange): Caller | Promise<Caller> {
  const found = deps.credentials.find(readToken(exchange));
  if (found instanceof Promise) return found.then((caller) => caller ?? unauthorizedError(deps, exchange));
  return found ?? unauthorizedError(deps, exchange);
}

/** Whether the key of a request that was let in would be let in again. */
export async function holdsCredential(deps: AuthenticateDeps, exchange: HttpExchange): Promise<boolean> {
  await deps.refreshCaches?.();
  return await deps.credentials.find(readToken(exchange)) !== undefined;
}

/**
 * Each made once, because an API error is an Error, and to make one takes longer than everything else about a
 * request that has no key.
 */
const unauthorized = new ApiError(
  "unauthorized",
  "No valid key was given. Send one as: Authorization: Bearer <key>",
);
/** By seconds to wait. */
const tooMany = new Map<number, ApiError>();

function tooManyFor(retryAfter: number): ApiError {
  const made = tooMany.get(retryAfter) ??
    new ApiError("rate_limited", "Too many requests without a valid key came from this address.", {
      retryAfter,
    });
  tooMany.set(retryAfter, made);
  return made;
}

function unauthorizedError(deps: AuthenticateDeps, exchange: HttpExchange): never {
  const client = deps.addressOf(exchange);
  const wait = client === undefined ? undefined : deps.failures.failed(client);
  throw wait === undefined ? unauthorized : tooManyFor(wait);
}

export interface WorkDeps {
  /** Throws an ApiError while the gateway is overloaded. */
  readonly overload: { assertTakesWork(): void };
}

/** Inference belongs to API keys alone (SECURITY.md, Authorization), and is refused while the gateway is overloaded. */
export function requireWork({ overload }: WorkDeps, caller: Caller): void {
  if (caller.kind !== "api") {
    throw new ApiError("forbidden", "Only API keys can call models. This key is of another kind.");
  }
  overload.assertTakesWork();
}

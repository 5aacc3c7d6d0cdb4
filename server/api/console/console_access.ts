/** Cookie → caller: how the console's calls are let in, and what they are told when they are not. */

import { timingSafeEqual } from "node:crypto";
import { ApiError } from "../../../shared/errors.ts";
import { BACKGROUND_HEADER } from "../../../shared/management/background_header.ts";
import type { SessionEndReason } from "../../../shared/console.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { throwStoreUnavailable } from "../../management/core/store_errors.ts";
import { type OriginDeps, requireSafeTransport, requireSameOrigin } from "./console_origin.ts";
import type { ConsoleSessions, LiveSession } from "./console_sessions.ts";
import { readSecret } from "./session_cookie.ts";

export interface ConsoleAccessDeps extends OriginDeps {
  readonly sessions: ConsoleSessions;
  /** Forgets what other instances have changed. */
  readonly refreshCaches?: () => void | Promise<void>;
}

const sentences: { readonly [R in SessionEndReason]: string } = {
  none: "You are not signed in.",
  idle: "Your session has ended after 30 minutes without use.",
  expired: "Your session has ended 8 hours after you signed in.",
  ended: "Your session was ended.",
  key: "Your session has ended, because its key was disabled, rotated, deleted or has expired.",
};

/** The secret of the request's cookie. */
export function secretOf(deps: OriginDeps, exchange: HttpExchange): string | undefined {
  return readSecret(exchange.request, deps.isTls(exchange));
}

function equals(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => new TextEncoder().encode(text));
  return left !== undefined && right !== undefined && left.length === right.length &&
    timingSafeEqual(left, right);
}

function requireCsrf({ csrf }: LiveSession, { request: { method, headers } }: HttpExchange): void {
  if (method === "GET" || method === "HEAD" || equals(headers.get("x-csrf") ?? "", csrf)) return;
  throw new ApiError(
    "forbidden",
    "The X-CSRF header is missing or is not that of this session. Load the page again.",
  );
}

/**
 * The session of a request below `/console`. Throws an ApiError: 403 for another origin or a wrong `X-CSRF`, 401 with
 * `metadata.reason` where no session holds. A bearer token is refused: keys are for `/v1`.
 */
export async function requireSession(deps: ConsoleAccessDeps, exchange: HttpExchange): Promise<LiveSession> {
  const found = await findSession(deps, exchange);
  if (typeof found === "string") {
    throw new ApiError("unauthorized", sentences[found], { metadata: { reason: found } });
  }
  requireCsrf(found, exchange);
  return found;
}

/** The same without an error where there is no session: then why. */
export async function findSession(
  deps: ConsoleAccessDeps,
  exchange: HttpExchange,
): Promise<LiveSession | SessionEndReason> {
  requireSafeTransport(deps, exchange);
  requireSameOrigin(deps, exchange);
  if (exchange.request.headers.get("authorization") !== null) {
    throw new ApiError("forbidden", "The console's addresses take its session only. Send keys to /v1.");
  }
  await deps.refreshCaches?.();
  const isUse = exchange.request.headers.get(BACKGROUND_HEADER) === null;
  return await deps.sessions.find(secretOf(deps, exchange), { isUse }).catch(throwStoreUnavailable);
}

/** Whether the session of a request that was let in still holds. Never counts as its use. */
export async function holdsSession(deps: ConsoleAccessDeps, exchange: HttpExchange): Promise<boolean> {
  await deps.refreshCaches?.();
  return typeof await deps.sessions.find(secretOf(deps, exchange), { isUse: false }) !== "string";
}

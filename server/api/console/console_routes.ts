/** Routes below `/console` besides `/console/api`: the page, its files, and sessions. */

import { ApiError } from "../../../shared/errors.ts";
import {
  consoleSessionSchema,
  type EndedSessions,
  sessionListEntrySchema,
  signInSchema,
  type SignInToken,
} from "../../../shared/console.ts";
import { validate } from "../../../shared/validation/validate.ts";
import type { ClientAddress } from "../client_address.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { parseJsonBody } from "../body/parse_json.ts";
import { type BodyLimits, readBody } from "../body/read_body.ts";
import { rawPath } from "../request_checks.ts";
import { StreamedReply } from "../../http/http_server/reply.ts";
import { throwStoreUnavailable } from "../../management/core/store_errors.ts";
import { hashKey } from "../../management/keys/key_rows.ts";
import type { Clock } from "../../runtime.ts";
import { type ConsoleAccessDeps, findSession, requireSession, secretOf } from "./console_access.ts";
import { requireSafeTransport, requireSameOrigin } from "./console_origin.ts";
import { SESSION_MS } from "./console_sessions.ts";
import type { ConsoleFile, ConsoleFiles } from "./dist_files.ts";
import { expiredCookie, sessionCookie } from "./session_cookie.ts";
import type { FailedSignIn, SignInAttempts } from "./sign_in_attempts.ts";
import type { SignInLink } from "./sign_in_link.ts";

export interface ConsoleDeps extends ConsoleAccessDeps {
  readonly clock: Clock;
  readonly bodyLimits: BodyLimits;
  readonly files: ConsoleFiles;
  readonly attempts: SignInAttempts;
  readonly link: SignInLink;
  readonly addressOf: (exchange: HttpExchange) => ClientAddress | undefined;
}

const ASSETS = "/console/assets/";
const SESSION = "/console/session";
const SESSIONS = "/console/sessions";
const SESSION_LINK = "/console/session/link";

/** Whether a path is the console's. */
export const isConsolePath = (path: string): boolean => path === "/console" || path.startsWith("/console/");

export async function consoleRoute(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  const { request } = exchange;
  const path = rawPath(request.url);
  const reads = request.method === "GET" || request.method === "HEAD";
  const isSession = [SESSION, SESSION_LINK, SESSIONS].includes(path) || path.startsWith(`${SESSIONS}/`);
  if (isSession) {
    return await sessionRoute(deps, exchange).catch(throwStoreUnavailable);
  }
  if (!reads || path.startsWith("/console/api/")) {
    throw new ApiError("not_found", `There is no ${request.method.slice(0, 10)} ${path.slice(0, 200)} here.`);
  }
  if (path.startsWith(ASSETS)) return fileReply(await deps.files.find(path.slice(ASSETS.length)), exchange);
  return fileReply(await deps.files.findPage(path.slice("/console/".length)), exchange);
}

const notBuilt = () =>
  new Response(
    "The console is not built. Run: deno task build:console\n" +
      "It says what is missing. The gateway itself works without it.\n",
    { status: 503, headers: { "content-type": "text/plain; charset=utf-8" } },
  );

function fileReply(file: ConsoleFile | "missing" | undefined, { request }: HttpExchange): Response {
  if (file === "missing") return notBuilt();
  if (file === undefined) throw new ApiError("not_found", "The console has no such file.");
  const headers = new Headers({
    "content-type": file.type,
    etag: file.etag,
    vary: "Accept-Encoding",
    "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-store",
  });
  const known = (request.headers.get("if-none-match") ?? "").split(",").map((tag) =>
    tag.trim().replace(/^W\//, "")
  );
  if (file.immutable && known.includes(file.etag)) return new Response(null, { status: 304, headers });
  const gzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (gzip) headers.set("content-encoding", "gzip");
  const bytes = gzip ? file.gzip : file.content;
  // The server takes a plain response for text.
  return new StreamedReply(new Blob([bytes]).stream(), { headers, length: bytes.length });
}

async function sessionRoute(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  const { request } = exchange;
  const path = rawPath(request.url);
  const id = path.startsWith(`${SESSIONS}/`) ? path.slice(SESSIONS.length + 1) : undefined;
  switch (`${request.method === "HEAD" ? "GET" : request.method} ${id === undefined ? path : SESSIONS}`) {
    case `POST ${SESSION}`:
      return await signIn(deps, exchange);
    case `GET ${SESSION}`:
      return await showSession(deps, exchange);
    case `DELETE ${SESSION}`:
      return await signOut(deps, exchange);
    case `POST ${SESSION_LINK}`:
      return await createLink(deps, exchange);
    case `GET ${SESSIONS}`:
      if (id === undefined) return await listSessions(deps, exchange);
      break;
    case `DELETE ${SESSIONS}`:
      return id === undefined ? await endOthers(deps, exchange) : await endSession(deps, { exchange, id });
  }
  throw new ApiError("not_found", `There is no ${request.method.slice(0, 10)} ${path.slice(0, 200)} here.`);
}

function sessionReply({ session }: { readonly session: unknown }, init: ResponseInit = {}): Response {
  return Response.json({ data: consoleSessionSchema.parse(session) }, init);
}

async function showSession(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  const found = await findSession(deps, exchange);
  return typeof found === "string" ? Response.json({ data: null, reason: found }) : sessionReply(found);
}

async function signIn(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  requireSafeTransport(deps, exchange);
  requireSameOrigin(deps, exchange);
  const { request } = exchange;
  const address = deps.addressOf(exchange)?.address ?? null;
  const keyHash = await presentedKey(deps, exchange);
  const secret = await openSession(deps, { keyHash, address });
  const found = await deps.sessions.find(secret);
  if (typeof found === "string") throw new Error(`Cannot sign in: the new session is ${found}`);
  const cookie = sessionCookie(secret, { tls: deps.isTls(exchange), maxAge: SESSION_MS / 1_000, request });
  return sessionReply(found, { status: 201, headers: { "set-cookie": cookie } });
}

interface SignIn {
  readonly keyHash: string | undefined;
  readonly address: string | null;
}

/** The secret of a new session. Counts as a failed attempt what presents no key that can sign in. */
async function openSession(deps: ConsoleDeps, { keyHash, address }: SignIn): Promise<string> {
  await deps.refreshCaches?.();
  const secret = keyHash === undefined ? undefined : await deps.sessions.open(keyHash, address);
  if (secret === undefined) throw refusedSignIn(deps.attempts.fail(address ?? ""));
  return secret;
}

/** Whether the key was wrong is not said to who has to wait, so that nothing is learned by trying on. */
const refusedSignIn = (attempt: FailedSignIn) =>
  "retryAfter" in attempt
    ? new ApiError("rate_limited", "Too many failed sign-ins from this address.", attempt)
    : new ApiError("unauthorized", "No key with this text exists, or it cannot sign in.", {
      metadata: { attempts_left: attempt.left },
    });

/** The hash of the key that the body presents, by itself or by the link; undefined for a link that does not work. */
async function presentedKey(deps: ConsoleDeps, exchange: HttpExchange): Promise<string | undefined> {
  const { request } = exchange;
  const text = await readBody(request, { clock: deps.clock, limits: deps.bodyLimits });
  const checked = validate(signInSchema, parseJsonBody(text));
  if (!checked.ok) {
    throw new ApiError("invalid_request", 'Cannot sign in: the body is to be {"key": "…"} or {"token": "…"}');
  }
  if ("key" in checked.value) return hashKey(checked.value.key);
  const client = deps.addressOf(exchange);
  const isHere = client !== undefined && !client.isForwarded && /^(?:127\.|::1$)/.test(client.address);
  return isHere ? deps.link.redeem(checked.value.token) : undefined;
}

async function signOut(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  await requireSession(deps, exchange);
  await deps.sessions.close(secretOf(deps, exchange) ?? "");
  const cookie = expiredCookie(exchange.request, deps.isTls(exchange));
  return Response.json({ deleted: true }, { headers: { "set-cookie": cookie } });
}

async function listSessions(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  const own = await requireSession(deps, exchange);
  const entries = await deps.sessions.list(own);
  return Response.json({ data: entries.map((entry) => sessionListEntrySchema.parse(entry)) });
}

async function endSession(
  deps: ConsoleDeps,
  { exchange, id }: { readonly exchange: HttpExchange; readonly id: string },
): Promise<Response> {
  await deps.sessions.end(id, await requireSession(deps, exchange));
  return Response.json({ deleted: true });
}

async function endOthers(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  const ended = await deps.sessions.endOthers(await requireSession(deps, exchange));
  return Response.json({ data: { ended } } satisfies EndedSessions);
}

/** A new one-time link, by which a browser on the gateway's machine signs in with the session's own key. */
async function createLink(deps: ConsoleDeps, exchange: HttpExchange): Promise<Response> {
  const { caller } = await requireSession(deps, exchange);
  if (caller.kind !== "management" || caller.readOnly === true) {
    throw new ApiError(
      "forbidden",
      "Only a management key that is not read-only can have a sign-in link made.",
    );
  }
  const data = await deps.link.create(caller.keyHash);
  return Response.json({ data } satisfies SignInToken, { status: 201 });
}

/**
 * The file APIs of OpenAI and Anthropic, called with the workspace's own provider key and never with the gateway's.
 * What they answer is passed on as it comes and never kept.
 */

import { parseRetryAfter } from "../../../shared/util/retry_after.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { FileProvider } from "../../../shared/files.ts";
import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import type { Cancel } from "../../runtime.ts";
import { byokCollection, byokEncryptionContext, type ByokRow } from "../byok/byok_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { readAllRecords } from "../core/pages.ts";
import { readLineage } from "../keys/key_lineage.ts";
import type { FileScope } from "./file_scope.ts";

export type ProviderClientDeps = Pick<ManagementDeps, "store" | "runtime" | "vault" | "fileApis">;

/** Until a provider's response begins. */
const FIRST_BYTE_MS = 60_000;
/** Most bytes of a reply that is read as JSON. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

const names: { readonly [P in FileProvider]: string } = { openai: "OpenAI", anthropic: "Anthropic" };

/** Anthropic's file API is behind a beta header. */
const keyHeaders: { readonly [P in FileProvider]: (key: string) => Readonly<Record<string, string>> } = {
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({
    "x-api-key": key,
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "files-api-2025-04-14",
  }),
};

export interface ProviderTarget {
  readonly provider: FileProvider;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where the calls of a workspace go, and with which key. Throws an ApiError (400) where it has none. */
export async function providerTarget(
  deps: ProviderClientDeps,
  { provider, scope }: { readonly provider: FileProvider; readonly scope: FileScope },
): Promise<ProviderTarget> {
  const url = deps.fileApis.baseUrl(provider);
  if (url === undefined) {
    throw new ApiError(
      "invalid_request",
      `This gateway does not let workspaces use keys of their own at ${names[provider]}.`,
      { metadata: { path: "provider" } },
    );
  }
  const row = await usableKey(deps, { provider, scope });
  if (row === undefined) {
    throw new ApiError(
      "invalid_request",
      `The workspace has no ${names[provider]} key. Add one with POST /v1/byok, provider "${provider}".`,
      { metadata: { path: "provider" } },
    );
  }
  const key = await deps.vault.decrypt(row.sealed, byokEncryptionContext(row));
  return { provider, url, headers: keyHeaders[provider](key) };
}

interface KeyQuery {
  readonly provider: FileProvider;
  readonly scope: FileScope;
}

/** The first by its place; those that stand in for others come last. */
async function usableKey(
  { store }: ProviderClientDeps,
  { provider, scope }: KeyQuery,
): Promise<ByokRow | undefined> {
  const line = scope.key === undefined ? undefined : await readLineage(store, scope.key);
  const rows = (await readAllRecords(byokCollection(store))).filter((row) =>
    row.provider === provider && !row.disabled &&
    (row.workspace_id === null || row.workspace_id === scope.workspaceId) &&
    isAllowed(row, { line, user: scope.key?.creator_user_id })
  );
  const rank = (row: ByokRow) => (row.is_fallback ? 1_000_000 : 0) + row.sort_order;
  return rows.sort((one, other) => rank(one) - rank(other))[0];
}

interface KeyUser {
  /** Hashes of the API key that asks; undefined: a management key does. */
  readonly line: ReadonlySet<string> | undefined;
  readonly user: string | null | undefined;
}

function isAllowed(
  { allowed_api_key_hashes: hashes, allowed_user_ids: users }: ByokRow,
  { line, user }: KeyUser,
): boolean {
  if (line === undefined) return true;
  if (hashes !== null && !hashes.some((hash) => line.has(hash))) return false;
  return users === null || (typeof user === "string" && users.includes(user));
}

export interface ProviderCall {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the provider's base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ReadableStream<Uint8Array>;
  /** Resolves when all of the body was sent: only then the provider is waited for. */
  readonly bodySent?: Promise<void>;
}

/** The response of a call that went well. Throws an ApiError for every other. */
export async function callProvider(
  { runtime, fileApis }: ProviderClientDeps,
  { target, call }: { readonly target: ProviderTarget; readonly call: ProviderCall },
): Promise<Response> {
  const { provider, url, headers } = target;
  const aborting = new AbortController();
  let cancel: Cancel = () => {};
  const wait = () => cancel = runtime.clock.after(FIRST_BYTE_MS, () => aborting.abort());
  if (call.bodySent === undefined) wait();
  else call.bodySent.then(wait);
  try {
    const response = await fileApis.fetch(`${url}${call.path}`, {
      method: call.method,
      headers: { ...headers, ...call.headers },
      body: call.body,
      redirect: "manual",
      signal: aborting.signal,
    });
    if (response.ok) return response;
    throw await providerError(provider, { response, now: runtime.clock.now() });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const why = aborting.signal.aborted ? "did not answer within 60 s" : "could not be reached";
    throw new ApiError("upstream_failed", `${names[provider]} ${why}.`, { cause: error });
  } finally {
    cancel();
  }
}

/** The body of a response as a JSON object. Throws an ApiError (502) for anything else. */
export async function readProviderJson(
  provider: FileProvider,
  response: Response,
): Promise<Readonly<Record<string, unknown>>> {
  const value = tryParseJson(await readText(response));
  if (isRecord(value)) return value;
  throw new ApiError("upstream_failed", `${names[provider]} sent a reply that is no JSON object.`);
}

/** Up to {@link MAX_JSON_BYTES}; empty for what is longer or breaks off. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > MAX_JSON_BYTES) return "";
    }
    return text;
  } catch (_error) {
    // Whoever wants a reply says what is wrong with an empty one.
    return "";
  }
}

interface ErrorResponse {
  readonly response: Response;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function providerError(
  provider: FileProvider,
  { response, now }: ErrorResponse,
): Promise<ApiError> {
  const name = names[provider];
  const { status } = response;
  const message = messageOf(tryParseJson(await readText(response)));
  if (status === 404) return new ApiError("not_found", `${name} has no file with this id.`);
  if (status === 401 || status === 403) {
    return new ApiError("invalid_request", `The workspace's ${name} key is refused by ${name}.`);
  }
  if (status === 429) {
    const seconds = parseRetryAfter((header) => response.headers.get(header), now) ?? 0;
    return new ApiError("rate_limited", `${name} limits the rate of calls with the workspace's key.`, {
      retryAfter: seconds > 0 && seconds < 86_400 ? seconds : undefined,
    });
  }
  if (status === 413) return new ApiError("too_large", `The file is too large for ${name}.`);
  if (status === 400) {
    return new ApiError("invalid_request", `${name}: ${message ?? "the request is invalid"}`);
  }
  return new ApiError("upstream_failed", `${name} answered with status ${status}.`);
}

function messageOf(body: unknown): string | undefined {
  const error = isRecord(body) ? body.error : undefined;
  const message = isRecord(error) ? error.message : undefined;
  return typeof message === "string" ? message.slice(0, 500) : undefined;
}

/**
 * The console's calls: the only module that knows `fetch`. Operations are rows of the management API's table, of
 * which the console takes the types only, so that no page loads the schemas of all.
 */

import type * as z from "zod";
import { BACKGROUND_HEADER } from "../shared/management/background_header.ts";
import type { SessionEndReason } from "../shared/console.ts";
import type { managementApi, OperationId } from "../shared/management/api.ts";

type Table = typeof managementApi;
type Member<Id extends OperationId, Name extends string> = Table[Id] extends { readonly [N in Name]: infer T }
  ? T
  : undefined;
type Input<T> = T extends z.ZodType ? z.input<T> : never;
type ParameterNames<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}` ? Name
  : never;

/** Result of an operation. */
export type OperationResult<Id extends OperationId> = Member<Id, "output"> extends infer O extends z.ZodType
  ? z.output<O>
  : never;
export type OperationBody<Id extends OperationId> = Input<Member<Id, "body">>;
type OperationQuery<Id extends OperationId> = Input<Member<Id, "query">>;

/** One row of the table: its method and path, checked against it by the compiler. */
interface ApiOperation<Id extends OperationId> {
  readonly method: Table[Id]["method"];
  readonly path: Table[Id]["path"];
  /** Never set: carries the type. */
  readonly id?: Id;
}

export function operation<Id extends OperationId>(
  method: Table[Id]["method"],
  path: Table[Id]["path"],
): ApiOperation<Id> {
  return { method, path };
}

interface CallInput<Id extends OperationId> {
  readonly params?: Readonly<Record<ParameterNames<Table[Id]["path"]>, string>>;
  readonly query?: { readonly [K in keyof OperationQuery<Id>]?: string | number | boolean | undefined };
  readonly body?: OperationBody<Id>;
  readonly signal?: AbortSignal;
  /** The version that a change is based on: refused as a conflict where there is a newer one. */
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
}

export interface Answer<T> {
  readonly body: T;
  /** The version of the record, for `ifMatch`. */
  readonly etag: string | undefined;
}

/** The gateway refused: status, kind and sentence are its own. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly status: number;
  readonly requestId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, body: unknown) {
    const { message, metadata } = errorOf(body);
    super(message ?? `The gateway answered with status ${response.status}.`);
    this.status = response.status;
    this.metadata = metadata;
    this.requestId = response.headers.get("x-request-id") ?? undefined;
    const seconds = Number(response.headers.get("retry-after") ?? NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  }

  get isConflict(): boolean {
    return this.metadata.conflict === true;
  }

  /** There is no such record, or somebody has deleted it. */
  get isGone(): boolean {
    return this.status === 404;
  }
}

/** No answer came: the gateway or the way to it is down. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function errorOf(body: unknown) {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return {
    message: typeof error.message === "string" ? error.message : undefined,
    metadata: isObject(error.metadata) ? error.metadata : {},
  };
}

const endReasons: ReadonlySet<unknown> = new Set<SessionEndReason>([
  "none",
  "idle",
  "expired",
  "ended",
  "key",
]);

function isEndReason(value: unknown): value is SessionEndReason {
  return endReasons.has(value);
}

/** Events of the calls, whatever page made them. */
interface ApiEvents {
  /** No answer came. */
  lost(): void;
  /** Any answer came. */
  answered(): void;
  /** The session has ended, and why. */
  signedOut(reason: SessionEndReason): void;
}

interface RequestOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

interface UploadOptions {
  readonly file: File;
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

const silent: ApiEvents = { lost: () => undefined, answered: () => undefined, signedOut: () => undefined };

export class ConsoleApi {
  /** Token of the session; sent with every change. */
  csrf: string | undefined;
  events: ApiEvents = silent;
  /** Whether somebody uses the page now; what it reads by itself does not lengthen the session. */
  isUsed: () => boolean = () => true;
  readonly #fetch: typeof fetch;

  constructor(fetcher: typeof fetch) {
    this.#fetch = fetcher;
  }

  async call<Id extends OperationId>(
    row: ApiOperation<Id>,
    input: CallInput<Id> = {},
  ): Promise<OperationResult<Id>> {
    return (await this.callWithTag(row, input)).body;
  }

  /** The same with the record's version. */
  async callWithTag<Id extends OperationId>(
    row: ApiOperation<Id>,
    input: CallInput<Id> = {},
  ): Promise<Answer<OperationResult<Id>>> {
    const { body, signal, ifMatch, idempotencyKey } = input;
    const headers = {
      ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
    const address = `/console/api${pathOf(row.path, input.params)}${queryOf(input.query)}`;
    const response = await this.send(row.method, address, { body, signal, headers });
    return { body: toResult<Id>(await response.json()), etag: response.headers.get("etag") ?? undefined };
  }

  /** Any request to the gateway. Throws an ApiFailure, a ConnectionLost, or what the signal is aborted with. */
  async send(
    method: string,
    address: string,
    { body, signal, headers }: RequestOptions = {},
  ): Promise<Response> {
    const reads = method === "GET";
    const sent = new Headers(headers);
    if (body !== undefined && !(body instanceof FormData)) sent.set("content-type", "application/json");
    if (!reads && this.csrf !== undefined) sent.set("x-csrf", this.csrf);
    if (!this.isUsed()) sent.set(BACKGROUND_HEADER, "true");
    const content = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
    const response = await this.#exchange(address, { method, headers: sent, body: content, signal });
    if (response.ok) return response;
    throw await this.#failure(response);
  }

  /** Sends a file as a form, and tells how much of it has left, from 0 to 1. `fetch` cannot tell. */
  upload(address: string, { file, onProgress, signal }: UploadOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    signal.addEventListener("abort", stop);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onabort = () => reject(signal.reason);
    request.onerror = () => {
      this.events.lost();
      reject(new ConnectionLost("The connection broke off."));
    };
    request.onload = () => {
      this.events.answered();
      const headers = { "x-request-id": request.getResponseHeader("x-request-id") ?? "" };
      const response = new Response(request.responseText, { status: request.status, headers });
      if (response.ok) resolve();
      else this.#failure(response).then(reject, reject);
    };
    request.open("POST", address);
    if (this.csrf !== undefined) request.setRequestHeader("x-csrf", this.csrf);
    const form = new FormData();
    form.append("file", file);
    request.send(form);
    return promise.finally(() => signal.removeEventListener("abort", stop));
  }

  async #exchange(address: string, init: RequestInit): Promise<Response> {
    try {
      const response = await this.#fetch(address, { ...init, cache: "no-store", credentials: "same-origin" });
      this.events.answered();
      return response;
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      this.events.lost();
      throw new ConnectionLost("There is no connection to the gateway.", { cause });
    }
  }

  async #failure(response: Response): Promise<ApiFailure> {
    const failure = new ApiFailure(response, await parseJson(response));
    const { reason } = failure.metadata;
    if (response.status === 401 && isEndReason(reason)) this.events.signedOut(reason);
    return failure;
  }
}

/** Undefined for what is no JSON, such as a page of a proxy. */
async function parseJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The server has rendered it by the row's schema. */
function toResult<Id extends OperationId>(body: unknown): OperationResult<Id> {
  return body as OperationResult<Id>;
}

function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
  const values = new Map(Object.entries(params));
  return path.replaceAll(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
}

/** With the question mark; values that are undefined are left out. */
export function queryOf(query: Readonly<Record<string, unknown>> = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]]
  );
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}

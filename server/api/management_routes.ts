/**
 * The API of the management operations: every row of shared/management/api.ts is read, judged and answered the same
 * way.
 */

import * as z from "zod";
import { managementApi, type OperationId } from "../../shared/management/api.ts";
import type { EventFeed, FileDownload, ManagementOperation } from "../../shared/management/operation.ts";
import { ApiError } from "../../shared/errors.ts";
import { validate, type ValidationIssue } from "../../shared/validation/validate.ts";
import type { Caller } from "../../shared/keys.ts";
import type { IdempotencyCommit, OperationInput } from "../management/core/operation.ts";
import type { IdempotencyKeys } from "../management/core/idempotency.ts";
import type { HttpReply } from "../http/http_server/reply.ts";
import { recordTag } from "../management/core/record_tag.ts";
import type { IdempotencyClaim } from "../management/core/idempotency_claim.ts";
import type { Operations } from "../management/operations.ts";
import { throwStoreUnavailable } from "../management/core/store_errors.ts";
import type { Runtime } from "../runtime.ts";
import { authenticate, type AuthenticateDeps } from "./authenticate.ts";
import { downloadReply } from "./download_reply.ts";
import { eventReply } from "./event_reply.ts";
import { type BodyLimits, readBody } from "./body/read_body.ts";
import { readMultipart, type UploadLimits } from "./body/read_multipart.ts";
import { parseRequestUrl } from "./request_checks.ts";
import type { HttpExchange } from "./http_exchange.ts";
import type { SseLimits } from "./inference/sse_body.ts";
import { runOnce } from "./idempotent_request.ts";
import { parseJsonBody } from "./body/parse_json.ts";

export interface ManagementRouteDeps extends AuthenticateDeps {
  readonly runtime: Runtime;
  readonly limits: BodyLimits & UploadLimits & SseLimits;
  readonly operations: Operations;
  readonly idempotencyKeys: IdempotencyKeys;
}

export interface ManagementRoute {
  readonly row: ManagementOperation;
  readonly handle: (deps: ManagementRouteDeps, exchange: HttpExchange) => Promise<HttpReply>;
}

/** In the order of the table, so that `/keys/:hash` comes behind what is spelled out. */
export const managementRoutes: readonly ManagementRoute[] = Object.keys(managementApi).map((name) => {
  const id = toOperationId(name);
  const row: ManagementOperation = managementApi[id];
  return { row, handle: (deps, exchange) => handleOperation({ deps, exchange, row, id }) };
});

/** A key of the table. */
function toOperationId(name: string): OperationId {
  return name as OperationId;
}

interface OperationRoute {
  readonly deps: ManagementRouteDeps;
  readonly exchange: HttpExchange;
  readonly row: ManagementOperation;
  readonly id: OperationId;
}

/** Order of checks: 401, 403 (kind), 400 (malformed), then the operation's own (SECURITY.md, Authorization). */
async function handleOperation(api: OperationRoute): Promise<HttpReply> {
  const { deps, exchange, row, id } = api;
  const caller = await authenticate(deps, exchange);
  requireKind(row, caller);
  const { url } = exchange.request;
  const query = read(row.query, { row, value: queryOf(url) });
  const { text, body } = await bodyOf(api);
  const { params, request: { headers } } = exchange;
  const header = (name: string) => headers.get(name);
  const requested = { caller, params, query, body, header, requestId: `req_${exchange.id}` };
  const run = (claim?: IdempotencyClaim) =>
    runOperation(api, { ...requested, idempotency: claimIdempotencyKey(api, claim) });
  if (row.idempotent !== true) return await run();
  const request = `${id} ${JSON.stringify(exchange.params)} ${parseRequestUrl(url).search}\n${text}`;
  return await runOnce({
    idempotencyKeys: deps.idempotencyKeys,
    exchange,
    keyHash: caller.keyHash,
    request,
    run,
  });
}

async function runOperation(
  { deps, exchange, row, id }: OperationRoute,
  requested: Parameters<AnyOperationHandler>[0],
): Promise<Response> {
  const output = await asOperationHandler(deps.operations[id])(requested).catch(throwStoreUnavailable);
  if (row.output === "bytes") {
    return await downloadReply(exchange, asDownload(output)).catch(throwStoreUnavailable);
  }
  if (row.output === "events") return eventReply(deps, { exchange, feed: asFeed(output) });
  const text = render(row, output);
  const headers = row.versioned === true ? { ...json, etag: tagOf(text) } : json;
  return new Response(text, { status: row.status ?? 200, headers });
}

/** Makes the entity tag of the answer as it goes out. */
function tagOf(text: string): string {
  const { data } = z.object({ data: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text));
  return recordTag(data);
}

const json = { "content-type": "application/json" } as const;

/** Only what the row's schema names goes out (SECURITY.md, API3). */
const render = ({ output: schema }: ManagementOperation, output: unknown): string =>
  JSON.stringify(schema === "bytes" || schema === "events" ? undefined : schema.parse(output));

/** Casts the output of a handler whose row has `bytes` as output, as the compiler has made sure. */
function asDownload(output: unknown): FileDownload {
  return output as FileDownload;
}

/** The same for `events`. */
function asFeed(output: unknown): EventFeed {
  return output as EventFeed;
}

/** Claims an idempotency key, so that an operation keeps its answer in the commit of its work. */
function claimIdempotencyKey(
  { exchange, row }: OperationRoute,
  claim: IdempotencyClaim | undefined,
): IdempotencyCommit | undefined {
  if (claim === undefined) return undefined;
  const status = row.status ?? 200;
  return { kept: (output) => claim.commitParts({ status, text: render(row, output), id: exchange.id }) };
}

type AnyOperationHandler = (
  requested: Omit<OperationInput, "query" | "body"> & { readonly query: unknown; readonly body: unknown },
) => Promise<unknown>;

/** The row's own schemas have made what the handler is given. */
function asOperationHandler(act: unknown): AnyOperationHandler {
  return act as AnyOperationHandler;
}

function requireKind(row: ManagementOperation, caller: Caller): void {
  const { who, elseStatus, method, reads, tellsAll } = row;
  const kind = elseStatus === 401 ? "unauthorized" : "forbidden";
  if (!who.includes(caller.kind)) throw new ApiError(kind, wrongKeyKind(row));
  const looks = (method === "GET" && tellsAll !== true) || reads === true;
  if (caller.kind !== "management" || caller.readOnly !== true || looks) return;
  throw new ApiError(
    "forbidden",
    tellsAll === true
      ? "This management key is read-only, and this tells everything that is stored."
      : "This management key is read-only: it can look at everything and change nothing.",
  );
}

const kindNames = {
  api: "API keys",
  management: "management keys",
  client: "Connect client secrets",
} as const;

function wrongKeyKind({ who }: ManagementOperation): string {
  return `Only ${who.map((kind) => kindNames[kind]).join(" and ")} can perform this operation.`;
}

/** A parameter that is given more than once is an array, which few schemas take. */
function queryOf(url: string): Readonly<Record<string, string | readonly string[]>> {
  const { searchParams } = parseRequestUrl(url);
  const names = [...new Set(searchParams.keys())];
  return Object.fromEntries(names.map((name) => {
    const [first = "", ...more] = searchParams.getAll(name);
    return [name, more.length === 0 ? first : [first, ...more]];
  }));
}

interface RawBody {
  readonly text: string;
  readonly body: unknown;
}

async function bodyOf({ deps, exchange, row }: OperationRoute): Promise<RawBody> {
  const { clock } = deps.runtime;
  if (row.body === undefined) return { text: "", body: undefined };
  if (row.body === "multipart") {
    return { text: "", body: readMultipart(exchange.request, { clock, limits: deps.limits }) };
  }
  const text = await readBody(exchange.request, { clock, limits: deps.limits });
  const value = text === "" && row.bodyOptional === true ? {} : parseJsonBody(text);
  return { text, body: read(row.body, { row, value }) };
}

interface ParsedInput {
  readonly row: ManagementOperation;
  readonly value: unknown;
}

function read(schema: z.ZodType | undefined, { row, value }: ParsedInput): unknown {
  if (schema === undefined) return undefined;
  const checked = validate(schema, value);
  if (checked.ok) return checked.value;
  throw malformed(row, checked.faults);
}

function malformed({ verb }: ManagementOperation, faults: readonly ValidationIssue[]): ApiError {
  const path = faults[0]?.path ?? "body";
  return new ApiError(
    "invalid_request",
    `Cannot ${verb}: ${faults.map(({ message }) => message).join(". ")}`,
    {
      metadata: faults.length > 1 ? { path, issues: faults } : { path },
    },
  );
}

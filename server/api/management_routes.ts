/** The door of the management operations: every row of shared/management/api.ts is read, judged and answered the same way. */

import * as z from "zod";
import { api, type OperationId } from "../../shared/management/api.ts";
import type { ApiOperation } from "../../shared/management/operation.ts";
import { Refusal } from "../../shared/errors.ts";
import { check, type Fault } from "../../shared/validation/validate.ts";
import type { Caller } from "../../shared/keys.ts";
import type { Asked, Claim } from "../management/core/operation.ts";
import type { Claims } from "../management/core/idempotency.ts";
import type { Answered } from "../http_server/reply.ts";
import type { HeldClaim } from "../management/core/idempotency_claim.ts";
import type { Operations } from "../management/operations.ts";
import { refuseForStore } from "../management/core/store_errors.ts";
import type { World } from "../runtime.ts";
import { authenticate, type AuthenticateDeps } from "./authenticate.ts";
import { type BodyLimits, readBody } from "./read_body.ts";
import { addressOf } from "./request_checks.ts";
import type { Exchange } from "./http_exchange.ts";
import { once } from "./idempotent_request.ts";
import { parseJson } from "./parse_json.ts";

export interface ManagementDeps extends AuthenticateDeps {
  readonly world: World;
  readonly limits: BodyLimits;
  readonly operations: Operations;
  readonly claims: Claims;
}

export interface ManagementRoute {
  readonly row: ApiOperation;
  readonly handle: (deps: ManagementDeps, exchange: Exchange) => Promise<Answered>;
}

/** In the order of the table, so that `/keys/:hash` comes behind what is spelled out. */
export const managementRoutes: readonly ManagementRoute[] = Object.keys(api).map((name) => {
  const id = toOperationId(name);
  const row: ApiOperation = api[id];
  return { row, handle: (deps, exchange) => answer({ deps, exchange, row, id }) };
});

/** A key of the table. */
function toOperationId(name: string): OperationId {
  return name as OperationId;
}

interface Door {
  readonly deps: ManagementDeps;
  readonly exchange: Exchange;
  readonly row: ApiOperation;
  readonly id: OperationId;
}

/** Order of checks: 401, 403 (kind), 400 (malformed), then the operation's own (security.md 3.0). */
async function answer(door: Door): Promise<Answered> {
  const { deps, exchange, row, id } = door;
  const caller = await authenticate(deps, exchange);
  requireKind(row, caller);
  const { url } = exchange.request;
  const query = read(row.query, { row, value: queryOf(url) });
  const { text, body } = row.body === undefined ? { text: "", body: undefined } : await bodyOf(door);
  const asked = { caller, params: exchange.params, query, body, requestId: `req_${exchange.id}` };
  const run = (claim?: HeldClaim) => acted(door, { ...asked, claim: claimOf(door, claim) });
  if (row.idempotent !== true) return await run();
  const request = `${id} ${JSON.stringify(exchange.params)} ${addressOf(url).search}\n${text}`;
  return await once({ claims: deps.claims, exchange, keyHash: caller.keyHash, request, run });
}

async function acted({ deps, row, id }: Door, asked: Parameters<AnyAct>[0]): Promise<Response> {
  const output = await toAct(deps.operations[id])(asked).catch(refuseForStore);
  return new Response(render(row, output), { status: row.status ?? 200, headers: json });
}

const json = { "content-type": "application/json" } as const;

/** Only what the row's schema names goes out (security.md 3.1, API3). */
const render = (row: ApiOperation, output: unknown): string => JSON.stringify(row.output.parse(output));

/** What an operation needs to keep its answer in the commit of its work. */
function claimOf({ exchange, row }: Door, claim: HeldClaim | undefined): Claim | undefined {
  if (claim === undefined) return undefined;
  const status = row.status ?? 200;
  return { kept: (output) => claim.parts({ status, text: render(row, output), id: exchange.id }) };
}

type AnyAct = (
  asked: Omit<Asked, "query" | "body"> & { readonly query: unknown; readonly body: unknown },
) => Promise<unknown>;

/** The row's own schemas have made what the handler is given. */
function toAct(act: unknown): AnyAct {
  return act as AnyAct;
}

function requireKind(row: ApiOperation, caller: Caller): void {
  const { who, elseStatus, method, reads } = row;
  const kind = elseStatus === 401 ? "unauthorized" : "forbidden";
  if (!who.includes(caller.kind)) throw new Refusal(kind, refusedKind(row));
  const looks = method === "GET" || reads === true;
  if (caller.kind !== "management" || caller.readOnly !== true || looks) return;
  throw new Refusal(
    "forbidden",
    "This management key is read-only: it can look at everything and change nothing.",
  );
}

const kindNames = {
  api: "API keys",
  management: "management keys",
  client: "Connect client secrets",
} as const;

function refusedKind({ who }: ApiOperation): string {
  return `Only ${who.map((kind) => kindNames[kind]).join(" and ")} can perform this operation.`;
}

/** A parameter that is given more than once is an array, which few schemas take. */
function queryOf(url: string): Readonly<Record<string, string | readonly string[]>> {
  const { searchParams } = addressOf(url);
  const names = [...new Set(searchParams.keys())];
  return Object.fromEntries(names.map((name) => {
    const [first = "", ...more] = searchParams.getAll(name);
    return [name, more.length === 0 ? first : [first, ...more]];
  }));
}

interface SentBody {
  readonly text: string;
  readonly body: unknown;
}

async function bodyOf({ deps, exchange, row }: Door): Promise<SentBody> {
  const text = await readBody(exchange.request, { clock: deps.world.clock, limits: deps.limits });
  const value = text === "" && row.bodyOptional === true ? {} : parseJson(text);
  return { text, body: read(row.body, { row, value }) };
}

interface Read {
  readonly row: ApiOperation;
  readonly value: unknown;
}

function read(schema: z.ZodType | undefined, { row, value }: Read): unknown {
  if (schema === undefined) return undefined;
  const checked = check(schema, value);
  if (checked.ok) return checked.value;
  throw malformed(row, checked.faults);
}

function malformed({ verb }: ApiOperation, faults: readonly Fault[]): Refusal {
  const path = faults[0]?.path ?? "body";
  return new Refusal(
    "invalid_request",
    `Cannot ${verb}: ${faults.map(({ message }) => message).join(". ")}`,
    {
      metadata: faults.length > 1 ? { path, issues: faults } : { path },
    },
  );
}

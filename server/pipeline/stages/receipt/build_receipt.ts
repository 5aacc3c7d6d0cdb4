/** The receipt of a request, from what the stages have noted (promises M7). */

import { joinStrings, truncateStart } from "../../../../shared/util/text.ts";
import { ApiError, apiErrorKinds } from "../../../../shared/errors.ts";
import { toNanoUsd } from "../../../../shared/money.ts";
import type { Receipt, ReceiptStatus } from "../../../../shared/receipts.ts";
import type { TaskType } from "../../../../shared/task_types.ts";
import type { FailureEvent, FinishEvent } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { isModelVote } from "../../../billing/ledger/usage/task_rows.ts";
import type { LedgerTransaction } from "../../../billing/ledger/core/ledger.ts";
import type { CallRecord, RequestContext } from "../../request_context.ts";
import type { AttemptRecord, CallCost } from "../../request_record.ts";
import { cacheFields } from "./receipt_cache.ts";
import { chargeLines, madeCalls, receiptCalls, roundMs } from "./receipt_calls.ts";
import { receiptUsage } from "./receipt_usage.ts";

/** The end of a request. `cut`: a source without a last word; `refused`: something was thrown before an answer. */
export type RequestEnd =
  | FinishEvent
  | FailureEvent
  | { readonly type: "cut" }
  | { readonly type: "cancelled" }
  | { readonly type: "refused"; readonly error: unknown };

interface ReceiptInput {
  readonly context: RequestContext;
  readonly transaction: Pick<LedgerTransaction, "reserved" | "overrun">;
  /** When the request came in, ms since the epoch. */
  readonly at: number;
  /** When its answer began, monotonic ms. */
  readonly begunAt: number | undefined;
  /** The answer has calls that the client is to answer. */
  readonly callsClient: boolean;
  readonly ending: RequestEnd;
  readonly now: number;
  readonly monotonic: number;
  /** Classifies a request that nobody has classified yet. */
  readonly taskOf: (request: ModelRequest) => TaskType | undefined;
}

/** Longer texts of a caller's are cut: receipts are read in lists, and many are written at once. */
const LONGEST = 256;
const LONGEST_TRACE = 4_096;
const MOST_FILTER_RESULTS = 50;

export function buildReceipt(ended: ReceiptInput): Receipt {
  const { context: { record, preset }, transaction, begunAt, ending, monotonic } = ended;
  const { startedAt } = ended.context;
  const receipt: ReceiptDraft = { ...emptyReceipt };
  addRequestFields(receipt, ended);
  addCallerFields(receipt, ended.context);
  addEndpointFields(receipt, ended);
  Object.assign(receipt, cacheFields(ended));
  receipt.status = statusOf(ended);
  receipt.error = errorOf(ending);
  receipt.attempts = record.calls.flatMap(attemptsOf).slice(0, MOST_ATTEMPTS);
  receipt.usage = receiptUsage(record.callCosts, fileSearches(record));
  const made = madeCalls(record);
  receipt.lines = chargeLines(made);
  for (const call of record.calls) {
    for (const cost of call.callCosts) addCallCost(receipt, { cost, isTool: call.purpose !== "model" });
  }
  const calls = receiptCalls(made, { startedAt, now: monotonic, status: receipt.status });
  if (calls !== undefined) receipt.calls = calls;
  if (record.first.routeInput !== undefined) receipt.route_input = record.first.routeInput();
  const filterResults = record.filterResults?.() ?? [];
  if (filterResults.length > 0) receipt.guardrails = filterResults.slice(0, MOST_FILTER_RESULTS);
  if (record.router !== undefined) receipt.router = record.router;
  if (preset !== undefined) receipt.preset = preset;
  const task = record.task ?? (isModelVote(receipt) ? ended.taskOf(ended.context.request) : undefined);
  if (task !== undefined) receipt.task = task;
  receipt.reserved = transaction.reserved;
  receipt.overrun = transaction.overrun;
  receipt.output_cap = record.loweredMaxTokens ?? null;
  receipt.latency_ms = begunAt === undefined ? null : roundMs(begunAt - startedAt);
  receipt.total_ms = roundMs(monotonic - startedAt);
  return receipt;
}

/** Searches of files that the gateway has made. */
const fileSearches = ({ calls }: RequestContext["record"]): number =>
  calls.filter(({ purpose, end }) => purpose === "tool:file_search" && end?.status === "completed").length;

/** A receipt that is being written. */
type ReceiptDraft = { -readonly [Field in keyof Receipt]: Receipt[Field] };

/**
 * Receipt of a request that reached nothing. One is written with every request: a copy that has all fields from the
 * beginning is several times cheaper than one that gains them.
 */
const emptyReceipt: Receipt = {
  id: "",
  request_id: "",
  api: "responses",
  key_hash: "",
  workspace_id: "",
  status: "failed",
  created_at: "",
  ended_at: "",
  streamed: false,
  requested_model: null,
  model: null,
  provider: null,
  endpoint_id: null,
  upstream_id: null,
  finish_reason: null,
  error: null,
  attempts: [],
  usage: {},
  estimated: false,
  lines: [],
  price_source: null,
  unpriced: false,
  reserved: 0,
  cost: 0,
  upstream_cost: 0,
  input_cost: 0,
  output_cost: 0,
  server_tool_cost: 0,
  reported_cost: null,
  cache_discount: null,
  overrun: 0,
  is_byok: false,
  output_cap: null,
  service_tier: null,
  latency_ms: null,
  total_ms: 0,
  user: null,
  session_id: null,
  external_user: null,
  http_referer: null,
  app_title: null,
  user_agent: null,
  trace: null,
};

function addRequestFields(
  receipt: ReceiptDraft,
  { context: { ids, request, origin }, at, now }: ReceiptInput,
): void {
  receipt.id = ids.generation;
  receipt.request_id = ids.request;
  receipt.api = origin?.api ?? "responses";
  receipt.created_at = new Date(at).toISOString();
  receipt.ended_at = new Date(now).toISOString();
  receipt.streamed = request.stream;
  receipt.requested_model = truncateText(request.model ?? request.models[0]);
}

function addCallerFields(receipt: ReceiptDraft, { request, caller, origin, billing }: RequestContext): void {
  const { endUser, sessionId, trace } = request;
  receipt.key_hash = caller.keyHash;
  receipt.workspace_id = caller.workspaceId;
  if (caller.kind === "api" && caller.managementKeyHash !== undefined) {
    receipt.management_key_hash = caller.managementKeyHash;
  }
  if (billing?.selfTest === true) receipt.self_test = true;
  receipt.user = truncateText(endUser.user ?? endUser.safetyIdentifier);
  receipt.session_id = truncateText(sessionId);
  receipt.external_user = truncateText(caller.kind === "api" ? caller.externalUser : undefined);
  receipt.http_referer = truncateText(origin?.referer);
  receipt.app_title = truncateText(origin?.appTitle);
  receipt.user_agent = truncateText(origin?.userAgent);
  // One that is larger than its request deserves is left out rather than cut in two.
  if (trace !== undefined && JSON.stringify(trace).length <= LONGEST_TRACE) receipt.trace = trace;
}

/** The endpoint that answered, else the one that was asked last. */
function addEndpointFields(
  receipt: ReceiptDraft,
  { context: { record: { calls } }, callsClient }: ReceiptInput,
): void {
  const turns = calls.filter(({ purpose }) => purpose === "model");
  const cost = turns.findLast(({ callCosts }) => callCosts.length > 0)?.callCosts.at(-1);
  const endpoint = cost?.endpoint ?? turns.findLast(({ attempts }) => attempts.length > 0)?.attempts.at(-1)
    ?.endpoint;
  if (endpoint === undefined) return;
  receipt.model = endpoint.model.id;
  receipt.provider = endpoint.provider.name;
  receipt.endpoint_id = endpoint.id;
  receipt.is_byok = endpoint.byok === true;
  if (cost === undefined) return;
  receipt.price_source = cost.charge.by === "list" ? endpoint.pricedBy ?? null : null;
  receipt.upstream_id = providersWord(cost.upstreamId);
  receipt.finish_reason = cost.finishReason === "stop" && callsClient
    ? "tool_calls"
    : cost.finishReason ?? null;
  receipt.service_tier = providersWord(cost.serviceTier);
}

interface CostedCall {
  readonly cost: CallCost;
  /** All that a server tool's own model costs is the tool's cost. */
  readonly isTool: boolean;
}

/** Sums are exact amounts, each of which `toNanoUsd` holds to. */
function addCallCost(
  receipt: ReceiptDraft,
  { cost: { endpoint, usage, charge }, isTool }: CostedCall,
): void {
  receipt.estimated ||= usage.estimated;
  receipt.unpriced ||= !endpoint?.pricing && charge.by === "nobody" || charge.incomplete === true;
  if (charge.unpricedTier === true) receipt.unpriced_tier = true;
  if (endpoint?.byok !== true) receipt.cost = toNanoUsd(receipt.cost + charge.total);
  receipt.upstream_cost = toNanoUsd(receipt.upstream_cost + charge.total);
  const { input, output, tools } = isTool ? { input: 0, output: 0, tools: charge.total } : charge;
  receipt.input_cost = toNanoUsd(receipt.input_cost + input);
  receipt.output_cost = toNanoUsd(receipt.output_cost + output);
  receipt.server_tool_cost = toNanoUsd(receipt.server_tool_cost + tools);
  if (charge.reported !== undefined) {
    receipt.reported_cost = toNanoUsd((receipt.reported_cost ?? 0) + charge.reported);
  }
  const discount = toNanoUsd((receipt.cache_discount ?? 0) + charge.cacheDiscount);
  receipt.cache_discount = discount === 0 ? null : discount;
}

const truncateText = (text: string | undefined): string | null =>
  text === undefined ? null : truncateStart(text, LONGEST);

/** An id or a word of a provider's, which is no text that content filters would have to read. */
const providersWord = (text: string | undefined): string | null =>
  text !== undefined && /^[\w.:|+/=~@-]+$/.test(text) ? truncateText(text) : null;

function statusOf({ context: { clientDisconnect, record }, ending }: ReceiptInput): ReceiptStatus {
  if (ending.type === "finish") return ending.reason === "stop" ? "completed" : "incomplete";
  if (ending.type === "cancelled" || clientDisconnect.fired) return "cancelled";
  return ending.type === "refused" && record.attempts.length === 0 ? "refused" : "failed";
}

function errorOf(ending: RequestEnd): Receipt["error"] {
  switch (ending.type) {
    case "finish":
    case "cancelled":
      return null;
    case "failure": {
      const { kind, message } = ending.failure;
      return { kind, status: apiErrorKinds[kind].status, message: truncateStart(message, 2 * LONGEST) };
    }
    case "cut":
      return { kind: "upstream_failed", status: 502, message: "The answer ended without a word." };
    case "refused":
      return rejectionCode(ending.error);
    default:
      return ending satisfies never;
  }
}

function rejectionCode(error: unknown): Receipt["error"] {
  // What is no API error is our own fault; its words are for the log.
  if (!(error instanceof ApiError)) return { kind: "internal", status: 500, message: "The gateway failed." };
  return { kind: error.kind, status: error.status, message: truncateStart(error.message, 2 * LONGEST) };
}

/** More are left out: `calls` tells of theirs. */
const MOST_ATTEMPTS = 100;

const attemptsOf = (call: CallRecord): Receipt["attempts"] =>
  call.attempts.map((attempt, index) => attemptOf(attempt, { call, index }));

interface Which {
  readonly call: CallRecord;
  readonly index: number;
}

function attemptOf(attempt: AttemptRecord, { call, index }: Which): Receipt["attempts"][number] {
  const { endpoint, status, code, latencyMs } = attempt;
  return {
    endpoint_id: endpoint.id,
    model: endpoint.model.id,
    provider: endpoint.provider.name,
    status,
    ...(code === undefined ? {} : { code: truncateStart(code, LONGEST) }),
    latency_ms: roundMs(latencyMs),
    is_byok: endpoint.byok === true,
    why: attemptReason(attempt, { call, index }),
  };
}

/** Why this endpoint: its place in the order, and what became of the one before it. */
function attemptReason(
  { endpoint }: AttemptRecord,
  { call: { candidates, attempts }, index }: Which,
): string {
  const place = joinStrings(
    `${candidates.indexOf(endpoint) + 1}`,
    " of ",
    `${candidates.length}`,
    " that may serve",
  );
  const before = attempts[index - 1];
  if (before === undefined) return place;
  return joinStrings(place, `, after ${before.code ?? before.status} at ${before.endpoint.provider.name}`);
}

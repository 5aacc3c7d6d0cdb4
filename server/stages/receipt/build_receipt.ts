/** The receipt of a request, from what the stages have noted (promises M7). */

import { startOf } from "../../../shared/util/start_of.ts";
import { Refusal, refusalKinds } from "../../../shared/errors.ts";
import { joined } from "../../../shared/util/text.ts";
import { rateNames } from "../../../shared/models.ts";
import { toNanoUsd } from "../../../shared/money.ts";
import type { Receipt, ReceiptStatus } from "../../../shared/receipts.ts";
import { timestampOf } from "../../../shared/util/timestamps.ts";
import type { FailureEvent, FinishEvent } from "../../canonical/event.ts";
import type { Tab } from "../../ledger/core/ledger.ts";
import type { Attempt, Bill, Notes, Turn } from "../../pipeline/request_context.ts";
import { usageCounts } from "./receipt_usage.ts";

/** What ended a request. `cut`: a source without a last word; `refused`: something was thrown before an answer. */
export type Ending =
  | FinishEvent
  | FailureEvent
  | { readonly type: "cut" }
  | { readonly type: "cancelled" }
  | { readonly type: "refused"; readonly error: unknown };

export interface Ended {
  readonly turn: Turn;
  readonly tab: Pick<Tab, "reserved" | "overrun">;
  /** When the request came in, ms since the epoch. */
  readonly at: number;
  /** When its answer began, monotonic ms. */
  readonly begunAt: number | undefined;
  readonly ending: Ending;
  readonly now: number;
  readonly monotonic: number;
}

/** Longer texts of a caller's are cut: receipts are read in lists, and many are written at once. */
const LONGEST = 256;
const LONGEST_TRACE = 4_096;

export function receiptOf(ended: Ended): Receipt {
  const { turn: { notes }, tab, begunAt, ending, monotonic } = ended;
  const { startedAt } = ended.turn;
  const receipt: Draft = { ...blank };
  tellRequest(receipt, ended);
  tellCaller(receipt, ended.turn);
  tellAnswerer(receipt, notes);
  receipt.status = statusOf(ended);
  receipt.error = errorOf(ending);
  receipt.attempts = notes.attempts.map((one, index) => attemptOf(one, { ended, index }));
  receipt.usage = usageCounts(notes.bills);
  receipt.lines = [];
  for (const bill of notes.bills) addBill(receipt, bill);
  receipt.reserved = tab.reserved;
  receipt.overrun = tab.overrun;
  receipt.output_cap = notes.outputCap ?? null;
  receipt.latency_ms = begunAt === undefined ? null : rounded(begunAt - startedAt);
  receipt.total_ms = rounded(monotonic - startedAt);
  return receipt;
}

/** A receipt that is being written. */
type Draft = { -readonly [Field in keyof Receipt]: Receipt[Field] };

/**
 * Of a request that met nothing. One is written with every request: a copy that has all fields from the beginning is
 * several times cheaper than one that gains them.
 */
const blank: Receipt = {
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

function tellRequest(receipt: Draft, { turn: { ids, request, origin }, at, now }: Ended): void {
  receipt.id = ids.generation;
  receipt.request_id = ids.request;
  receipt.api = origin?.api ?? "responses";
  receipt.created_at = timestampOf(at);
  receipt.ended_at = timestampOf(now);
  receipt.streamed = request.stream;
  receipt.requested_model = short(request.model ?? request.models[0]);
}

function tellCaller(receipt: Draft, { request, caller, origin, payer }: Turn): void {
  const { endUser, sessionId, trace } = request;
  receipt.key_hash = caller.keyHash;
  receipt.workspace_id = caller.workspaceId;
  if (payer?.selfTest === true) receipt.self_test = true;
  receipt.user = short(endUser.user ?? endUser.safetyIdentifier);
  receipt.session_id = short(sessionId);
  receipt.external_user = short(caller.kind === "api" ? caller.externalUser : undefined);
  receipt.http_referer = short(origin?.referer);
  receipt.app_title = short(origin?.appTitle);
  receipt.user_agent = short(origin?.userAgent);
  // One that is larger than its request deserves is left out rather than cut in two.
  if (trace !== undefined && JSON.stringify(trace).length <= LONGEST_TRACE) receipt.trace = trace;
}

/** The endpoint that answered, else the one that was asked last. */
function tellAnswerer(receipt: Draft, { bills, attempts }: Notes): void {
  const bill = bills.at(-1);
  const endpoint = bill?.endpoint ?? attempts.at(-1)?.endpoint;
  if (endpoint === undefined) return;
  receipt.model = endpoint.model.id;
  receipt.provider = endpoint.provider.name;
  receipt.endpoint_id = endpoint.id;
  receipt.is_byok = endpoint.byok === true;
  if (bill === undefined) return;
  receipt.price_source = bill.charge.by === "list" ? endpoint.pricedBy ?? null : null;
  receipt.upstream_id = short(bill.upstreamId);
  receipt.finish_reason = bill.finish ?? null;
  receipt.service_tier = short(bill.serviceTier);
}

/** Sums are exact amounts, each of which `toNanoUsd` holds to. */
function addBill(receipt: Draft, { endpoint, usage, charge }: Bill): void {
  receipt.estimated ||= usage.estimated;
  receipt.unpriced ||= endpoint.pricing === null && charge.by === "nobody" || charge.incomplete === true;
  if (charge.unpricedTier === true) receipt.unpriced_tier = true;
  for (const { rate, quantity, unitPrice } of charge.lines) {
    receipt.lines.push({ rate: rateNames[rate], quantity, unit_price: unitPrice });
  }
  if (endpoint.byok !== true) receipt.cost = toNanoUsd(receipt.cost + charge.total);
  receipt.upstream_cost = toNanoUsd(receipt.upstream_cost + charge.total);
  receipt.input_cost = toNanoUsd(receipt.input_cost + charge.input);
  receipt.output_cost = toNanoUsd(receipt.output_cost + charge.output);
  receipt.server_tool_cost = toNanoUsd(receipt.server_tool_cost + charge.tools);
  if (charge.reported !== undefined) {
    receipt.reported_cost = toNanoUsd((receipt.reported_cost ?? 0) + charge.reported);
  }
  const discount = toNanoUsd((receipt.cache_discount ?? 0) + charge.cacheDiscount);
  receipt.cache_discount = discount === 0 ? null : discount;
}

const short = (text: string | undefined): string | null => text === undefined ? null : startOf(text, LONGEST);
/** To a hundredth of a millisecond. */
const rounded = (ms: number): number => Math.round(Math.max(0, ms) * 100) / 100;

function statusOf({ turn: { hangup, notes }, ending }: Ended): ReceiptStatus {
  if (ending.type === "finish") return ending.reason === "stop" ? "completed" : "incomplete";
  if (ending.type === "cancelled" || hangup.gone) return "cancelled";
  return ending.type === "refused" && notes.attempts.length === 0 ? "refused" : "failed";
}

function errorOf(ending: Ending): Receipt["error"] {
  switch (ending.type) {
    case "finish":
    case "cancelled":
      return null;
    case "failure": {
      const { kind, message } = ending.failure;
      return { kind, status: refusalKinds[kind].status, message: startOf(message, 2 * LONGEST) };
    }
    case "cut":
      return { kind: "upstream_failed", status: 502, message: "The answer ended without a word." };
    case "refused":
      return refusedAs(ending.error);
    default:
      return ending satisfies never;
  }
}

function refusedAs(error: unknown): Receipt["error"] {
  // What is no refusal is our own fault; its words are for the log.
  if (!(error instanceof Refusal)) return { kind: "internal", status: 500, message: "The gateway failed." };
  return { kind: error.kind, status: error.status, message: startOf(error.message, 2 * LONGEST) };
}

interface Which {
  readonly ended: Ended;
  readonly index: number;
}

function attemptOf(attempt: Attempt, { ended, index }: Which): Receipt["attempts"][number] {
  const { endpoint, status, code, latencyMs } = attempt;
  return {
    endpoint_id: endpoint.id,
    model: endpoint.model.id,
    provider: endpoint.provider.name,
    status,
    ...(code === undefined ? {} : { code: startOf(code, LONGEST) }),
    latency_ms: rounded(latencyMs),
    is_byok: endpoint.byok === true,
    why: whyOf(attempt, { ended, index }),
  };
}

/** Why this endpoint: its place in the order, and what became of the one before it. */
function whyOf({ endpoint }: Attempt, { ended: { turn: { notes } }, index }: Which): string {
  const { candidates, attempts } = notes;
  const place = joined(
    `${candidates.indexOf(endpoint) + 1}`,
    " of ",
    `${candidates.length}`,
    " that may serve",
  );
  const before = attempts[index - 1];
  if (before === undefined) return place;
  return joined(place, `, after ${before.code ?? before.status} at ${before.endpoint.provider.name}`);
}

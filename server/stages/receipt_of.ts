/** The receipt of a request, from what the stages have noted (promises M7). */

import { Refusal, refusalKinds } from "../../shared/errors.ts";
import { rateNames } from "../../shared/models.ts";
import { addUsd, type NanoUsd, toNanoUsd, ZERO } from "../../shared/money.ts";
import type { Receipt, ReceiptStatus } from "../../shared/receipts.ts";
import type { FailureEvent, FinishEvent } from "../hub/event.ts";
import type { Tab } from "../ledger/ledger.ts";
import type { Attempt, Bill, Turn } from "../pipeline/turn.ts";
import { usageCounts } from "./usage_counts.ts";

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
  const {
    turn: { caller, ids, origin, request, notes, startedAt, payer },
    tab,
    at,
    begunAt,
    now,
    monotonic,
  } = ended;
  const last = notes.bills.at(-1);
  return {
    id: ids.generation,
    request_id: ids.request,
    api: origin?.api ?? "responses",
    key_hash: caller.keyHash,
    workspace_id: caller.workspaceId,
    ...(payer?.selfTest === true ? { self_test: true } : {}),
    status: statusOf(ended),
    created_at: new Date(at).toISOString(),
    ended_at: new Date(now).toISOString(),
    streamed: request.stream,
    requested_model: short(request.model ?? request.models[0]),
    ...answererOf(ended, last),
    upstream_id: short(last?.upstreamId),
    finish_reason: last?.finish ?? null,
    error: errorOf(ended.ending),
    attempts: notes.attempts.map((one, index) => attemptOf(one, { ended, index })),
    ...moneyOf(notes.bills),
    reserved: tab.reserved,
    overrun: tab.overrun,
    output_cap: notes.outputCap ?? null,
    service_tier: short(last?.serviceTier),
    latency_ms: begunAt === undefined ? null : rounded(begunAt - startedAt),
    total_ms: rounded(monotonic - startedAt),
    ...whoOf(ended.turn),
  };
}

const short = (text: string | undefined): string | null => text === undefined ? null : text.slice(0, LONGEST);
/** To a hundredth of a millisecond. */
const rounded = (ms: number): number => Math.round(Math.max(0, ms) * 100) / 100;

function statusOf({ turn: { hangup, notes }, ending }: Ended): ReceiptStatus {
  if (ending.type === "finish") return ending.reason === "stop" ? "completed" : "incomplete";
  if (ending.type === "cancelled" || hangup.gone) return "cancelled";
  return ending.type === "refused" && notes.attempts.length === 0 ? "refused" : "failed";
}

/** The endpoint that answered, else the one that was asked last. */
function answererOf({ turn: { notes } }: Ended, bill: Bill | undefined) {
  const endpoint = bill?.endpoint ?? notes.attempts.at(-1)?.endpoint;
  return {
    model: endpoint?.model.id ?? null,
    provider: endpoint?.provider.name ?? null,
    endpoint_id: endpoint?.id ?? null,
    price_source: bill !== undefined && bill.charge.by === "list" ? bill.endpoint.pricedBy ?? null : null,
    is_byok: endpoint?.byok === true,
  };
}

function errorOf(ending: Ending): Receipt["error"] {
  switch (ending.type) {
    case "finish":
    case "cancelled":
      return null;
    case "failure": {
      const { kind, message } = ending.failure;
      return { kind, status: refusalKinds[kind].status, message: message.slice(0, 2 * LONGEST) };
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
  return { kind: error.kind, status: error.status, message: error.message.slice(0, 2 * LONGEST) };
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
    ...(code === undefined ? {} : { code: code.slice(0, LONGEST) }),
    latency_ms: rounded(latencyMs),
    is_byok: endpoint.byok === true,
    why: whyOf(attempt, { ended, index }),
  };
}

/** Why this endpoint: its place in the order, and what became of the one before it. */
function whyOf({ endpoint }: Attempt, { ended: { turn: { notes } }, index }: Which): string {
  const place = `${notes.candidates.indexOf(endpoint) + 1} of ${notes.candidates.length} that may serve`;
  const before = notes.attempts[index - 1];
  if (before === undefined) return place;
  return `${place}, after ${before.code ?? before.status} at ${before.endpoint.provider.name}`;
}

type Money = Pick<
  Receipt,
  | "usage"
  | "estimated"
  | "lines"
  | "unpriced"
  | "cost"
  | "upstream_cost"
  | "input_cost"
  | "output_cost"
  | "server_tool_cost"
  | "reported_cost"
  | "cache_discount"
>;

function moneyOf(bills: readonly Bill[]): Money {
  const sum = (of: (bill: Bill) => NanoUsd | undefined) => addUsd(...bills.map((bill) => of(bill) ?? ZERO));
  const reported = bills.filter(({ charge }) => charge.reported !== undefined);
  const discount = sum(({ charge }) => charge.cacheDiscount);
  return {
    usage: usageCounts(bills.map(({ usage }) => usage)),
    estimated: bills.some(({ usage }) => usage.estimated),
    lines: bills.flatMap(({ charge }) =>
      charge.lines.map(({ rate, quantity, unitPrice }) => ({
        rate: rateNames[rate],
        quantity,
        unit_price: unitPrice,
      }))
    ),
    unpriced: bills.some(({ endpoint, charge }) => endpoint.pricing === null && charge.by === "nobody"),
    cost: sum(({ endpoint, charge }) => endpoint.byok === true ? ZERO : charge.total),
    upstream_cost: sum(({ charge }) => charge.total),
    input_cost: sum(({ charge }) => charge.input),
    output_cost: sum(({ charge }) => charge.output),
    server_tool_cost: sum(({ charge }) => charge.tools),
    reported_cost: reported.length === 0 ? null : sum(({ charge }) => charge.reported),
    cache_discount: discount === 0 ? null : toNanoUsd(discount),
  };
}

function whoOf({ request: { endUser, sessionId, trace }, caller, origin }: Turn) {
  return {
    user: short(endUser.user ?? endUser.safetyIdentifier),
    session_id: short(sessionId),
    external_user: short(caller.kind === "api" ? caller.externalUser : undefined),
    http_referer: short(origin?.referer),
    app_title: short(origin?.appTitle),
    user_agent: short(origin?.userAgent),
    // One that is larger than its request deserves is left out rather than cut in two.
    trace: trace === undefined || JSON.stringify(trace).length > LONGEST_TRACE ? null : trace,
  };
}

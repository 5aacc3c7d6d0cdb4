/** The calls of a request that made several, and what each has cost, as its receipt has them. */

import { chargedRateNames } from "../../../../shared/models.ts";
import { toNanoUsd } from "../../../../shared/money.ts";
import type { ChargeLine, ReceiptCall, ReceiptStatus } from "../../../../shared/receipts.ts";
import type { CallRecord, RequestRecord } from "../../request_record.ts";

/** More are summed up in a last one. */
const MOST = 100;

type Calls = Pick<RequestRecord, "calls">;

/** The calls that were made: without the model's where the request ended before it was asked. */
export function madeCalls({ calls }: Calls): Calls {
  return calls.length === 1 ? { calls } : { calls: calls.filter((call) => !isUnasked(call)) };
}

const isUnasked = ({ purpose, end, attempts, callCosts }: CallRecord): boolean =>
  purpose === "model" && end === undefined && attempts.length === 0 && callCosts.length === 0;

/** A request that was one call of its model. */
const isOneCall = ({ calls }: Calls): boolean =>
  calls.length === 0 || calls.length === 1 && calls[0]?.purpose === "model";

/** Undefined for a request that was one call. */
export function receiptCalls(made: Calls, timing: CallTiming): ReceiptCall[] | undefined {
  const { calls } = made;
  if (isOneCall(made)) return undefined;
  if (calls.length <= MOST) return calls.map((call) => receiptCall(call, timing));
  const named = calls.slice(0, MOST - 1).map((call) => receiptCall(call, timing));
  return [...named, sumOfCalls(calls.slice(MOST - 1), timing)];
}

interface CallTiming {
  /** When the request came in, and now, monotonic ms. */
  readonly startedAt: number;
  readonly now: number;
  /** How the request ended. */
  readonly status: ReceiptStatus;
}

function receiptCall(call: CallRecord, { startedAt, now, status }: CallTiming): ReceiptCall {
  const endpoint = call.callCosts.at(-1)?.endpoint ?? call.attempts.at(-1)?.endpoint;
  return {
    step: call.step,
    purpose: call.purpose,
    model: endpoint?.model.id ?? null,
    provider: endpoint?.provider.name ?? call.callCosts.at(-1)?.service ?? null,
    status: call.end?.status ?? openStatus(call, status),
    latency_ms: roundMs((call.end?.at ?? now) - (call.startedAt ?? startedAt)),
    cost: costOf(call),
    ...(call.commandUse === undefined ? {} : {
      commands: call.commandUse.commands,
      command_seconds: Math.round(call.commandUse.seconds * 1_000) / 1_000,
    }),
  };
}

/** A turn that no loop has ended, ends as its request does; another call ends with the request. */
function openStatus({ purpose }: CallRecord, status: ReceiptStatus): ReceiptCall["status"] {
  if (purpose !== "model" || status === "interrupted") return "cancelled";
  return status === "refused" ? "failed" : status;
}

function sumOfCalls(calls: readonly CallRecord[], timing: CallTiming): ReceiptCall {
  const all = calls.map((call) => receiptCall(call, timing));
  return {
    step: all[0]?.step ?? 1,
    purpose: "other",
    model: null,
    provider: null,
    status: all.every(({ status }) => status === "completed") ? "completed" : "incomplete",
    latency_ms: roundMs(all.reduce((sum, { latency_ms }) => sum + latency_ms, 0)),
    cost: toNanoUsd(all.reduce((sum, { cost }) => sum + cost, 0)),
    count: all.length,
  };
}

/** Cost of a call that the caller is charged for. */
function costOf({ callCosts }: CallRecord): number {
  return toNanoUsd(
    callCosts.reduce((sum, { endpoint, charge }) => sum + (endpoint?.byok === true ? 0 : charge.total), 0),
  );
}

/** To a hundredth of a millisecond. */
export const roundMs = (ms: number): number => Math.round(Math.max(0, ms) * 100) / 100;

/** The lines of all calls; those of calls that are summed up are one for each price. */
export function chargeLines(made: Calls): ChargeLine[] {
  const { calls } = made;
  if (isOneCall(made)) return calls.flatMap(linesOf);
  const last = MOST - 1;
  const named = calls.length <= MOST ? calls : calls.slice(0, last);
  const summed = calls.slice(named.length).flatMap(linesOf);
  return [
    ...named.flatMap((call, index) => linesOf(call).map((line) => ({ ...line, call: index }))),
    ...mergeLines(summed).map((line) => ({ ...line, call: last })),
  ];
}

function linesOf({ callCosts }: CallRecord): ChargeLine[] {
  return callCosts.flatMap(({ charge }) =>
    charge.lines.map(({ rate, quantity, unitPrice }) => ({
      rate: chargedRateNames[rate],
      quantity,
      unit_price: unitPrice,
    }))
  );
}

function mergeLines(lines: readonly ChargeLine[]): readonly ChargeLine[] {
  const merged = new Map<string, ChargeLine>();
  for (const line of lines) {
    const key = `${line.rate} ${line.unit_price}`;
    const before = merged.get(key);
    merged.set(key, before === undefined ? line : { ...before, quantity: before.quantity + line.quantity });
  }
  return [...merged.values()];
}

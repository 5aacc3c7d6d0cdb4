/** Fixtures for tests of the ledger: billing contexts, reservations and receipts with little in them. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { toNanoUsd } from "../../shared/money.ts";
import type { Receipt } from "../../shared/receipts.ts";
import type {
  BillingContext,
  CostBound,
  Ledger,
  LedgerTransaction,
  ReservationRequest,
  SpendingLimit,
} from "../../server/billing/ledger/core/ledger.ts";
import type { LedgerOptions } from "../../server/billing/ledger/core/ledger_options.ts";

export const KEY_HASH = "a".repeat(64);
export const WORKSPACE = "00000000-0000-4000-8000-000000000001";
export const KEY_SCOPE = "key:one";
export const nano = toNanoUsd;

export function limitOf(amount: number, more: Partial<SpendingLimit> = {}): SpendingLimit {
  return {
    source: "key",
    name: "The key's limit",
    scope: KEY_SCOPE,
    period: "lifetime",
    amount: nano(amount),
    includeByok: false,
    ...more,
  };
}

export function billingOf(...limits: readonly SpendingLimit[]): BillingContext {
  return { scopes: [KEY_SCOPE, `workspace:${WORKSPACE}`, "account"], limits };
}

/** So much for the input, and so much for each token of the answer. */
export function costBoundOf(input: number, perToken: number): CostBound {
  return {
    total: (cap) => nano(input + cap * perToken),
    maxTokensWithin: (amount) =>
      amount < input ? -1 : Math.floor((amount - input) / Math.max(perToken, 1e-9)),
    inputCost: nano(input),
  };
}

/** One call that may cost `amount`, whatever is asked for. */
export function flatOrder(amount: number, more: Partial<ReservationRequest> = {}): ReservationRequest {
  const costBound: CostBound = {
    total: () => nano(amount),
    maxTokensWithin: (room) => room >= amount ? 1_000_000 : -1,
    inputCost: nano(Math.floor(amount / 10)),
  };
  return { ...orderOf(costBound), ...more };
}

export function orderOf(
  costBound: CostBound | undefined,
  more: Partial<ReservationRequest> = {},
): ReservationRequest {
  return {
    costBound,
    requestedMaxTokens: undefined,
    defaultMaxTokens: 8_192,
    byok: false,
    endpoint: { id: "p/m", model: "m", provider: "p" },
    ...more,
  };
}

let receipts = 0;

export interface OpenTransaction {
  readonly transaction: LedgerTransaction;
  readonly id: string;
  /** Closes it with a receipt over what was settled. */
  close(more?: Partial<Receipt>): Promise<void>;
}

export interface OpenOptions {
  readonly billing?: BillingContext;
  readonly at?: number;
  readonly id?: string;
  readonly onAbort?: (reason: string) => void;
  readonly gone?: () => boolean;
  readonly router?: () => string | undefined;
}

export function openTransaction(ledger: Ledger, options: OpenOptions = {}): OpenTransaction {
  const { billing = billingOf(), at = Date.UTC(2026, 0, 14, 12), id = `gen-${receipts++}` } = options;
  const { onAbort, gone, router } = options;
  const about = { requestId: `req-${id}`, keyHash: KEY_HASH, workspaceId: WORKSPACE };
  const transaction = ledger.openTransaction({
    id,
    ...about,
    billing,
    at,
    router,
    onAbort,
    isDisconnected: gone,
  });
  const close = (more: Partial<Receipt> = {}) =>
    transaction.close({ ...receiptOf(id, transaction), ...more });
  return { transaction, id, close };
}

/** Reserves, settles and closes one request; what is refused gets a receipt as well. */
export async function oneRequest(
  ledger: Ledger,
  preference: OpenOptions & RequestOptions,
): Promise<"served" | ApiError> {
  const { request, cost, byok = 0, during } = preference;
  const { transaction, close } = openTransaction(ledger, preference);
  try {
    const reservation = await transaction.reserve(request);
    await reservation.durable();
    await during?.();
    reservation.settle({ cost: nano(cost), byok: nano(byok) });
  } catch (error) {
    assert(error instanceof ApiError, String(error));
    await close({ status: "refused" });
    return error;
  }
  await close();
  return "served";
}

export interface RequestOptions {
  readonly request: ReservationRequest;
  readonly cost: number;
  readonly byok?: number;
  readonly during?: () => Promise<void>;
}

/** A world whose ids count up and whose log is kept. */
export function ledgerRuntime(
  clock: LedgerOptions["runtime"]["clock"],
  name = "id",
): LedgerOptions["runtime"] & { readonly lines: string[] } {
  let ids = 0;
  const lines: string[] = [];
  const keep = (message: string) => void lines.push(message);
  return {
    clock,
    id: () => `${name}-${ids++}`,
    log: { debug: keep, info: keep, warn: keep, error: keep },
    lines,
  };
}

export function receiptOf(id: string, transaction?: LedgerTransaction): Receipt {
  const { cost, byok } = transaction?.settled ?? { cost: 0, byok: 0 };
  return {
    id,
    request_id: `req-${id}`,
    api: "responses",
    key_hash: KEY_HASH,
    workspace_id: WORKSPACE,
    status: "completed",
    created_at: "2026-01-14T12:00:00.000Z",
    ended_at: "2026-01-14T12:00:01.000Z",
    streamed: false,
    requested_model: "m",
    model: "m",
    provider: "p",
    endpoint_id: "p/m",
    upstream_id: null,
    finish_reason: "stop",
    error: null,
    attempts: [],
    usage: {},
    estimated: false,
    lines: [],
    price_source: null,
    unpriced: false,
    reserved: transaction?.reserved ?? 0,
    cost,
    upstream_cost: cost + byok,
    input_cost: 0,
    output_cost: 0,
    server_tool_cost: 0,
    reported_cost: null,
    cache_discount: null,
    overrun: transaction?.overrun ?? 0,
    is_byok: byok > 0,
    output_cap: null,
    service_tier: null,
    latency_ms: null,
    total_ms: 1_000,
    user: null,
    session_id: null,
    external_user: null,
    http_referer: null,
    app_title: null,
    user_agent: null,
    trace: null,
  };
}

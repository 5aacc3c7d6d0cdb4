/** Requests whose gateway has died: what is left of them is a receipt to be written. */

import { toNanoUsd } from "../../../../../shared/money.ts";
import type { Receipt } from "../../../../../shared/receipts.ts";
import { bucketNamesAt } from "../../core/counters/bucket_names.ts";
import { addSettled, type SpendBuckets, type SpendCounter } from "../../core/counters/spend_counter.ts";
import type { CloseEntry, JournalEntry, OpenEntry } from "../journal_batch.ts";
import { JournaledRequest } from "../journaled_request.ts";
import type { Settlement } from "../../core/ledger.ts";
import type { CounterCache } from "../../core/counters/counter_cache.ts";

export class InterruptedRequest extends JournaledRequest {
  readonly counters: readonly SpendCounter[];
  readonly bucketSets: readonly SpendBuckets[];
  readonly settled: Settlement;
  override readonly isRecovered = true;
  readonly #entry: CloseEntry;

  constructor(entry: CloseEntry, scopes: CounterCache) {
    super();
    this.#entry = entry;
    const { cost, byok, at } = entry;
    this.settled = { cost: toNanoUsd(cost), byok: toNanoUsd(byok) };
    this.counters = entry.scopes.map((scope) => scopes.get(scope));
    this.bucketSets = this.counters.map((counter) => counter.at(bucketNamesAt(at)));
    for (const counter of this.counters) {
      counter.openTransactions++;
      scopes.load(counter);
    }
    for (const set of this.bucketSets) addSettled(set, this.settled);
    this.change("close");
  }

  get receipt(): Receipt {
    return this.#entry.receipt;
  }

  entry(): JournalEntry {
    return this.#entry;
  }

  closeEntry(receipt: Receipt): CloseEntry {
    return { ...this.#entry, receipt };
  }

  /** It is an interrupted one already. */
  replace(): void {}
}

/**
 * How a request ends whose gateway has died (promises M2): final calls at their cost, others at what the journal
 * knows, and at least at the estimate of their input.
 */
export function interruptedCloseEntry(open: OpenEntry, now: number): CloseEntry {
  let cost = 0;
  let byok = 0;
  for (const reservation of open.holds) {
    const floor = reservation.done ? 0 : reservation.input;
    cost += reservation.own_key ? reservation.cost : Math.max(reservation.cost, floor);
    byok += reservation.own_key ? Math.max(reservation.byok, floor) : reservation.byok;
  }
  const { at, scopes } = open;
  return { type: "close", at, scopes, cost, byok, receipt: interruptedReceipt(open, { cost, byok, now }) };
}

interface InterruptedEnd {
  readonly cost: number;
  readonly byok: number;
  readonly now: number;
}

function interruptedReceipt(
  { id, at, about, holds }: OpenEntry,
  { cost, byok, now }: InterruptedEnd,
): Receipt {
  const last = holds.at(-1);
  const reserved = holds.reduce((sum, reservation) => sum + reservation.reserved, 0);
  return {
    ...NOTHING_KNOWN,
    id,
    ...about,
    usage: {},
    lines: [],
    created_at: new Date(at).toISOString(),
    ended_at: new Date(now).toISOString(),
    model: last?.endpoint.model ?? null,
    provider: last?.endpoint.provider ?? null,
    endpoint_id: last?.endpoint.id ?? null,
    attempts: holds.map(({ endpoint, own_key }) => ({
      endpoint_id: endpoint.id,
      model: endpoint.model,
      provider: endpoint.provider,
      status: 0,
      code: "interrupted",
      latency_ms: 0,
      is_byok: own_key,
    })),
    reserved,
    cost,
    upstream_cost: cost + byok,
    input_cost: cost,
    is_byok: last?.own_key ?? false,
    total_ms: Math.max(0, now - at),
  };
}

const NOTHING_KNOWN = {
  status: "interrupted",
  upstream_id: null,
  finish_reason: null,
  error: { kind: "internal", status: 500, message: "The gateway ended before the answer did." },
  estimated: true,
  price_source: null,
  unpriced: false,
  output_cost: 0,
  server_tool_cost: 0,
  reported_cost: null,
  cache_discount: null,
  overrun: 0,
  output_cap: null,
  service_tier: null,
  latency_ms: null,
  user: null,
  session_id: null,
  external_user: null,
  http_referer: null,
  app_title: null,
  user_agent: null,
  trace: null,
} as const;

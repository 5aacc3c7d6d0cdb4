/** Receipts of a test's choosing, and groups of them as the ledger's parts see them. */

import {
  batchPositionOf,
  type BatchRange,
  type ProjectionPart,
} from "../../server/billing/ledger/projection/projection_part.ts";
import type { BatchReceiptReader } from "../../server/billing/ledger/index/receipt_list.ts";
import type { Store, StorePut } from "../../server/storage/stores/store.ts";
import type { Receipt } from "../../shared/receipts.ts";

export const KEY_A = "a".repeat(64);
export const KEY_B = "b".repeat(64);
export const WORKSPACE = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";

export type Changes = Partial<Receipt> & { readonly at?: number };

let made = 0;

/** A completed call that cost 2,500 nano-USD; `at` is when it came in, in ms; it took half a second. */
export function receiptWith({ at = Date.UTC(2026, 0, 14, 12), ...changes }: Changes = {}): Receipt {
  const count = ++made;
  return {
    id: `gen-${count}`,
    request_id: `req_${count}`,
    api: "responses",
    key_hash: KEY_A,
    workspace_id: WORKSPACE,
    status: "completed",
    created_at: new Date(at).toISOString(),
    ended_at: new Date(at + 500).toISOString(),
    streamed: false,
    requested_model: "mock/model",
    model: "mock/model",
    provider: "mock",
    endpoint_id: "mock|mock/model|upstream-model",
    upstream_id: "resp_1",
    finish_reason: "stop",
    error: null,
    attempts: [{
      endpoint_id: "mock|mock/model|upstream-model",
      model: "mock/model",
      provider: "mock",
      status: 200,
      latency_ms: 120,
      is_byok: false,
      why: "the cheapest",
    }],
    usage: { input_tokens: 100, output_tokens: 20, cached_tokens: 10, reasoning_tokens: 5 },
    estimated: false,
    lines: [
      { rate: "prompt", quantity: 90, unit_price: "0.00000001" },
      { rate: "completion", quantity: 20, unit_price: "0.00000008" },
    ],
    price_source: { name: "genai-prices", date: "2026-01-01" },
    unpriced: false,
    reserved: 10_000,
    cost: 2_500,
    upstream_cost: 2_500,
    input_cost: 900,
    output_cost: 1_600,
    server_tool_cost: 0,
    reported_cost: null,
    cache_discount: 90,
    overrun: 0,
    is_byok: false,
    output_cap: null,
    service_tier: null,
    latency_ms: 120,
    total_ms: 500,
    user: null,
    session_id: null,
    external_user: null,
    http_referer: null,
    app_title: null,
    user_agent: null,
    trace: null,
    ...changes,
  };
}

/** The rows of a projection of one block. */
export function rowsOf(
  part: ProjectionPart,
  receipts: readonly Receipt[],
  span: BatchRange = { instance: "one", first: 1 },
): readonly StorePut[] {
  part.add({ receipts, offset: 0 });
  return part.take(span);
}

/** Writes postings as the ledger does: the rows of one block or several in one commit. */
export class Groups implements BatchReceiptReader {
  readonly #store: Store;
  readonly #parts: readonly ProjectionPart[];
  readonly #blocks = new Map<string, readonly Receipt[]>();
  #seq = 0;
  /** Blocks that were read. */
  reads = 0;

  constructor(store: Store, parts: readonly ProjectionPart[]) {
    this.#store = store;
    this.#parts = parts;
  }

  /** A projection of one block. */
  write(receipts: readonly Receipt[], instance?: string): Promise<BatchRange> {
    return this.writeAll([receipts], instance);
  }

  /** A projection of several blocks. */
  async writeAll(blocks: readonly (readonly Receipt[])[], instance = "one"): Promise<BatchRange> {
    const span = { instance, first: this.#seq + 1 };
    for (const [offset, receipts] of blocks.entries()) {
      for (const part of this.#parts) part.add({ receipts, offset });
      this.#blocks.set(`${instance}/${++this.#seq}`, receipts);
    }
    await this.#store.commit({ puts: this.#parts.flatMap((part) => part.take(span)), small: true });
    return span;
  }

  receiptsAt({ instance, first }: BatchRange, places: readonly number[]) {
    this.reads++;
    return Promise.resolve(places.flatMap((place) => {
      const { seq, position } = batchPositionOf(first, place);
      const receipt = this.#blocks.get(`${instance}/${seq}`)?.[position];
      return receipt === undefined ? [] : [{ place, receipt }];
    }));
  }

  /** As if the receipts of a block had been retired. */
  remove({ instance, first }: BatchRange): void {
    this.#blocks.delete(`${instance}/${first}`);
  }
}

/** A store that counts what is asked of it. */
export function counting(
  store: Store,
): { readonly store: Store; readonly calls: { lists: number; rows: number } } {
  const calls = { lists: 0, rows: 0 };
  return {
    calls,
    store: {
      get: (key) => store.get(key),
      getMany: (keys) => store.getMany(keys),
      commit: (commit) => store.commit(commit),
      health: () => store.health(),
      close: () => store.close(),
      list: async (prefix, options) => {
        const entries = await store.list(prefix, options);
        calls.lists++;
        calls.rows += entries.length;
        return entries;
      },
    },
  };
}

/** Rig of the tests of money: priced models, the three APIs, and the receipts behind their answers. */

import assert from "node:assert/strict";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, type ProviderSpec } from "../support/gateway.ts";
import { until } from "../support/until.ts";

/** USD: a millionth for a token of the prompt, two for one of the answer. */
export const price = { prompt: "0.000001", completion: "0.000002" } as const;

/** A provider whose `mock/model` has a price. */
export function pricedAt(baseUrl: string, changes: ProviderSpec = {}): ProviderSpec {
  return providerAt(baseUrl, {
    models: [{ ...mockModel, max_output_tokens: 20_000, pricing: price }],
    ...changes,
  });
}

/** Models `mock/first` and `mock/second` of one provider, at the same price. */
export const twoModels = ["first", "second"].map((name) => ({
  ...mockModel,
  id: `mock/${name}`,
  upstream_id: name,
  max_output_tokens: 20_000,
  pricing: price,
}));

export const apiNames = ["responses", "chat", "messages"] as const;
export type ApiName = typeof apiNames[number];

export interface Asking {
  readonly model?: string;
  readonly text?: string;
  readonly stream?: boolean;
  /** In the API's own words. */
  readonly cap?: number;
  readonly more?: Json;
}

interface Api {
  readonly path: string;
  readonly body: (asking: Asking) => Json;
}

const received = ({ text = "Hi" }: Asking) => [{ role: "user", content: text }];

export const apis: { readonly [D in ApiName]: Api } = {
  responses: {
    path: "/v1/responses",
    body: (asking) => ({ input: asking.text ?? "Hi", max_output_tokens: asking.cap }),
  },
  chat: {
    path: "/v1/chat/completions",
    body: (asking) => ({ messages: received(asking), max_completion_tokens: asking.cap }),
  },
  // A cap is mandatory here.
  messages: {
    path: "/v1/messages",
    body: (asking) => ({ messages: received(asking), max_tokens: asking.cap ?? 300 }),
  },
};

export interface Calling extends Asking {
  readonly api?: ApiName;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function call(
  { url }: Pick<Gateway, "url">,
  { api = "responses", key, headers, signal, ...asking }: Calling,
): Promise<Response> {
  const { model = "mock/model", stream = false, more = {} } = asking;
  return fetch(url + apis[api].path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, stream, ...apis[api].body(asking), ...more }),
    signal,
  });
}

/** The `data` of every frame that is JSON. */
export function framesOf(text: string): readonly Json[] {
  return text.split("\n").filter((line) => line.startsWith("data: {")).map((line) =>
    asObject(JSON.parse(line.slice("data: ".length)))
  );
}

/** `usage` wherever the API's last word has it. */
export function usageIn(frames: readonly Json[]): Json {
  for (const one of frames.toReversed()) {
    const { usage } = "response" in one ? asObject(one.response) : one;
    if (usage !== undefined && usage !== null) return asObject(usage);
  }
  throw new Error("no usage");
}

export async function receiptOf(
  { store, ledger }: Pick<Gateway, "store" | "ledger">,
  response: Pick<Response, "headers">,
): Promise<Receipt> {
  await ledger.caughtUp();
  const id = response.headers.get("x-generation-id") ?? "";
  const receipt = await createReceiptReader(store).receipt(id);
  assert(receipt !== undefined, `no receipt of ${id}`);
  return receipt;
}

/** Nano-USD that a request with such a cap reserves: its bytes count, so a test asks for the amount. */
export async function reservedWith(gateway: Gateway, cap: number): Promise<number> {
  const response = await call(gateway, { key: gateway.apiKey, cap });
  assert.equal(response.status, 200, await response.text());
  return (await receiptOf(gateway, response)).reserved;
}

/** Reads what a key has spent for ever from its record, in nano-USD. */
export async function spentBy({ url }: Pick<Gateway, "url">, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  const { usage } = asObject(asObject(await response.json()).data);
  return Math.round(Number(usage) * 1e9);
}

interface Crowd {
  readonly gateway: Pick<Gateway, "url">;
  readonly key: string;
  /** USD. */
  readonly limit: number;
  /** Receipts of all that the key has asked. */
  readonly receipts: readonly Receipt[];
}

/** Holds M1 for a key whose requests have ended; gives what it has spent, in nano-USD. */
export async function checkSpent({ gateway, key, limit, receipts }: Crowd): Promise<number> {
  for (const { overrun, cost, reserved } of receipts) {
    assert.equal(overrun, 0);
    assert(cost <= reserved, "no more was taken than was set aside");
  }
  const [spent, most] = [await spentBy(gateway, key), Math.round(limit * 1e9)];
  assert.equal(spent, receipts.reduce((sum, { cost }) => sum + cost, 0));
  assert(spent <= most, `${spent} of ${most}`);
  const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  const { limit_remaining } = asObject(asObject(await response.json()).data);
  assert.equal(Math.round(Number(limit_remaining) * 1e9), most - spent, "nothing is held");
  return spent;
}

/** The receipt of the newest request, once one is written. */
export async function newestReceipt({ store, ledger }: Pick<Gateway, "store" | "ledger">): Promise<Receipt> {
  const deps = { store, batches: createReceiptReader(store) };
  let receipt: Receipt | undefined;
  await until(async () => {
    await ledger.caughtUp();
    [receipt] = (await listReceipts(deps, { filters: {}, limit: 1 })).receipts;
    return receipt !== undefined;
  }, { what: "that the receipt is written" });
  return receipt ?? assert.fail();
}

/** Rig of the tests of speech: a provider that speaks as OpenAI's does, and requests for speech. */

import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, providerAt, type ProviderSpec } from "../support/gateway.ts";
import assert from "node:assert/strict";
import { until } from "../support/until.ts";

export interface Requested {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Speaker {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Every request, in the order in which they came. */
  readonly requested: readonly Requested[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Answer of the provider to the request with this number, counted from 0. */
export type Script = (requested: Requested, number: number) => Response | Promise<Response>;

export function speaker(script: Script): Speaker {
  const requested: Requested[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const one = {
      path: new URL(request.url).pathname,
      headers: request.headers,
      body: asObject(JSON.parse(await request.text())),
    };
    requested.push(one);
    return await script(one, requested.length - 1);
  });
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    requested,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** OpenAI's raw samples. */
export const RATE = 24_000;

/** A tone of 220 Hz, 16 bits, one channel. */
export function tone(seconds: number, rate = RATE): Uint8Array<ArrayBuffer> {
  const samples = Int16Array.from(
    { length: Math.round(seconds * rate) },
    (_, at) => Math.round(8_000 * Math.sin(2 * Math.PI * 220 * at / rate)),
  );
  return new Uint8Array(samples.buffer);
}

export function wav(samples: Uint8Array, rate = RATE): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + samples.length);
  const view = new DataView(bytes.buffer);
  new TextEncoder().encodeInto("RIFF    WAVEfmt ", bytes);
  view.setUint32(4, 36 + samples.length, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  new TextEncoder().encodeInto("data", bytes.subarray(36));
  view.setUint32(40, samples.length, true);
  bytes.set(samples, 44);
  return bytes;
}

export const sound = (bytes: Uint8Array<ArrayBuffer>, type = "audio/pcm"): Response =>
  new Response(bytes, { headers: { "content-type": type } });

/** Events, each a frame. */
export function sse(events: readonly Json[]): Response {
  const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(frames, { headers: { "content-type": "text/event-stream" } });
}

/** USD: a hundred-thousandth for each character. */
export const voicePrice = { prompt: "0", completion: "0", character: "0.00001" } as const;

export const voiceModel = {
  id: "mock/voice",
  upstream_id: "upstream-voice",
  output_modalities: ["speech"],
  pricing: voicePrice,
} as const;

/** A provider whose `mock/voice` speaks at a price. */
export function speakerAt(baseUrl: string, changes: ProviderSpec = {}): ProviderSpec {
  return providerAt(baseUrl, { wire: "chat", models: [voiceModel], ...changes });
}

export interface Calling {
  /** Above those of a request for a few words. */
  readonly body?: Json;
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export function speak(
  { url, apiKey }: Pick<Gateway, "url" | "apiKey">,
  { body = {}, key = apiKey, signal, headers }: Calling = {},
): Promise<Response> {
  return fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "mock/voice", input: "Good morning", voice: "alloy", ...body }),
    signal,
  });
}

export interface Stalling {
  readonly answer: () => Response;
  /** The caller has left. */
  readonly ended: () => boolean;
}

/** Says `first`, and then nothing more. */
export function stalling(first?: Uint8Array<ArrayBuffer>): Stalling {
  let ended = false;
  const answer = () => {
    let sent = first === undefined;
    const body = new ReadableStream({
      pull(controller) {
        if (sent) return new Promise<void>(() => {});
        sent = true;
        controller.enqueue(first);
      },
      cancel: () => {
        ended = true;
      },
    });
    return new Response(body, { headers: { "content-type": "audio/pcm" } });
  };
  return { answer, ended: () => ended };
}

/** The newest receipt, as soon as there is one. */
export async function lastReceipt({ store, ledger }: Pick<Gateway, "store" | "ledger">): Promise<Receipt> {
  let last: Receipt | undefined;
  await until(async () => {
    await ledger.caughtUp();
    const page = await listReceipts({ store, batches: createReceiptReader(store) }, {
      filters: {},
      limit: 1,
    });
    [last] = page.receipts;
    return last !== undefined;
  }, { what: "a receipt" });
  return last ?? assert.fail();
}

export const bytesOf = async (response: Response): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await response.arrayBuffer());

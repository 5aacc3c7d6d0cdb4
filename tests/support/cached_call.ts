/** Calls for which the response cache is on, and what their replies say of it. */

import assert from "node:assert/strict";
import { asObject, type Json } from "./event_stream.ts";
import { type Gateway, type GatewayOptions, providerAt, startGateway } from "./gateway.ts";
import { managed } from "./manage.ts";
import { type Script, type Scripted, scripted } from "./scripted.ts";

export const cachedApis = ["chat", "responses", "messages"] as const;
export type CachedApi = (typeof cachedApis)[number];

export const apiPaths: { readonly [A in CachedApi]: string } = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/messages",
};

const question = (text: string): { readonly [A in CachedApi]: Json } => {
  const messages = [{ role: "user", content: text }];
  return { chat: { messages }, responses: { input: text }, messages: { messages, max_tokens: 64 } };
};

export interface CachedCall {
  readonly api?: CachedApi;
  /** Instead of a question of its own. */
  readonly text?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** HIT, MISS, or null where the cache is off. */
export interface CachedReply {
  readonly cached: string | null;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly generation: string;
}

export async function callCached(
  { url, apiKey }: Pick<Gateway, "url" | "apiKey">,
  { api = "chat", text = "Hello", body = {}, headers = {}, key = apiKey, signal }: CachedCall = {},
): Promise<CachedReply> {
  const reply = await fetch(`${url}/v1${apiPaths[api]}`, {
    method: "POST",
    signal,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-openrouter-cache": "true",
      ...headers,
    },
    body: JSON.stringify({ model: "acme/one", ...question(text)[api], ...body }),
  });
  return {
    cached: reply.headers.get("x-openrouter-cache-status"),
    status: reply.status,
    text: await reply.text(),
    headers: reply.headers,
    generation: reply.headers.get("x-generation-id") ?? "",
  };
}

/** Costs a dollar for a million tokens each way. */
const pricing = { prompt: "0.000001", completion: "0.000001" };
const model = (name: string) => ({
  id: `acme/${name}`,
  upstream_id: name,
  context_length: 10_000,
  max_output_tokens: 1_000,
  pricing,
});

const vectors = {
  id: "acme/vectors",
  upstream_id: "vectors",
  context_length: 1_000,
  output_modalities: ["embeddings"],
  pricing: { prompt: "0.000001", completion: "0" },
};

export interface CacheRig extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly upstream: Scripted;
  /** With which it was started. */
  readonly options: GatewayOptions;
}

/** A gateway before a provider with two models. `files` gets its configuration file. */
export async function startCacheRig(
  script: Script,
  more: GatewayOptions & { readonly files?: Map<string, string> } = {},
): Promise<CacheRig> {
  const upstream = scripted(script);
  const provider = {
    id: "acme",
    wire: "chat",
    data_policy: { zdr: true, training: false },
    models: [model("one"), model("two"), vectors],
  } as const;
  const options = { providers: [providerAt(upstream.baseUrl, provider)], ...more };
  more.files?.set("test.jsonc", JSON.stringify({ providers: options.providers }));
  const gateway = await startGateway(options);
  const close = async () => {
    await gateway.close();
    await upstream.close();
  };
  return { gateway, upstream, options, [Symbol.asyncDispose]: close };
}

/** The receipt, as its generation is shown. */
export async function generationOf(
  gateway: Gateway,
  { generation }: Pick<CachedReply, "generation">,
): Promise<Json> {
  const { status, body } = await managed(gateway, { call: `GET /generation?id=${generation}` });
  assert.equal(status, 200, JSON.stringify(body));
  return asObject(body.data);
}

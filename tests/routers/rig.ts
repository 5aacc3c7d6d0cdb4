/** A gateway with five models of rising price, one in each tier, that routers choose among. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { asList, asObject } from "../support/event_stream.ts";
import {
  type Gateway,
  type GatewayOptions,
  mockModel,
  providerAt,
  startGateway,
} from "../support/gateway.ts";
import { says, type Script, type Scripted, scripted } from "../support/scripted.ts";
import { type Api, send, type Sent } from "../server_tools/rig.ts";

/** `acme/m0` is the cheapest, `acme/m4` the dearest and the best. */
export const modelIds = [0, 1, 2, 3, 4].map((at) => `acme/m${at}`);

const usd = (at: number): string => (at * 1e-6).toFixed(6);

interface ModelsOptions extends GatewayOptions {
  /** Answers of the models, which are called `acme-m0` there; absent: all say "Done.". */
  readonly script?: Script;
  /** Further settings of routers. */
  readonly auto?: Json;
}

export async function withModels(
  { script = says("chat", "Done."), ...options }: ModelsOptions,
  test: (gateway: Gateway, upstream: Scripted) => Promise<void>,
): Promise<void> {
  await using upstream = scripted(script);
  const models = modelIds.map((id, at) => ({
    ...mockModel,
    id,
    upstream_id: id.replace("/", "-"),
    max_output_tokens: 1_000,
    pricing: { prompt: usd(at + 1), completion: usd(at + 1) },
  }));
  await using gateway = await startGateway({
    ...options,
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models })],
    file: { auto: { default_models: modelIds.toReversed(), ...options.auto }, ...options.file },
  });
  await test(gateway, upstream);
}

/** A turn of a conversation: who says it, what, and the model that an answer is from. */
export interface Turn {
  readonly role: "user" | "assistant" | "system";
  readonly content: string;
  readonly model?: string;
}

export const bodyOn = (api: Api, turns: readonly Turn[]): Json =>
  api === "responses"
    ? { input: turns }
    : { messages: turns, ...(api === "messages" ? { max_tokens: 100 } : {}) };

export interface RoutedBody {
  readonly api: Api;
  readonly stream?: boolean;
  readonly body: Json;
  readonly key?: string;
}

export interface Routed {
  readonly sent: Sent;
  /** The model of the answer. */
  readonly model: string;
  /** Data of the router's stage. */
  readonly stage: Json;
  readonly metadata: Json;
}

/** Asks with the routing metadata, and reads what was routed. */
export async function ask(gateway: Gateway, { api, stream = false, body, key }: RoutedBody): Promise<Routed> {
  const headers = { "x-service-metadata": "enabled" };
  const sent = await send(gateway, { api, body: { ...body, stream }, headers, key });
  assert.equal(sent.status, 200, sent.text);
  const metadata = metadataOf(sent);
  const [, model = ""] = /"model":"(acme\/m\d|local\/[a-z]+)"/.exec(sent.text) ?? [];
  const stages = asList(metadata.pipeline).map(asObject);
  const found = stages.find(({ name }) => String(name).endsWith("-router"));
  return { sent, model, stage: asObject(found?.data ?? {}), metadata };
}

/** The last object that has it: of an answer in one piece, or of an event. */
function metadataOf({ text }: Sent): Json {
  const lines = text.startsWith("{")
    ? [text]
    : text.split("\n").flatMap((line) => line.startsWith("data: {") ? [line.slice("data: ".length)] : []);
  const found = lines.map((line) => asObject(JSON.parse(line))).flatMap((one) => [
    one.service_metadata,
    asObject(one.response ?? {}).service_metadata,
    asObject(one.message ?? {}).service_metadata,
  ]).findLast((one) => one !== undefined);
  return asObject(found ?? {});
}

export async function explain(gateway: Gateway, body: Json): Promise<Json> {
  const response = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return asObject(JSON.parse(text));
}

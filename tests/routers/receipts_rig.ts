/** Rig of the tests of receipts as evidence: three priced models that no scores know, and keys that name them. */

import assert from "node:assert/strict";
import { call } from "../money/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import {
  type Gateway,
  type GatewayOptions,
  mockModel,
  providerAt,
  startGateway,
} from "../support/gateway.ts";
import { createKey } from "../support/manage.ts";
import { says, type Script, type Scripted, scripted } from "../support/scripted.ts";

/** USD of a million tokens of the prompt; ten times as much for the answer, a tenth for what was in the cache. */
const prices = { cheap: 1, middle: 3, dear: 9 };
export type Name = keyof typeof prices;

/** A prompt of the task `code:debugging`. */
export const PROMPT = "Fix the bug in this function, it throws a TypeError: function f(x) { return x.y.z; }";

function modelAt([name, usd]: readonly [string, number]) {
  const usdOf = (million: number) => (million / 1e6).toFixed(8);
  const pricing = { prompt: usdOf(usd), completion: usdOf(10 * usd), input_cache_read: usdOf(usd / 10) };
  return { ...mockModel, id: `acme/${name}`, upstream_id: name, pricing, max_output_tokens: 1_000 };
}

export interface Traffic extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly upstream: Scripted;
  /** Three keys of the default workspace. */
  readonly keys: readonly string[];
}

export const providersAt = ({ baseUrl }: Pick<Scripted, "baseUrl">) => [
  providerAt(baseUrl, { id: "acme", name: "Acme", models: Object.entries(prices).map(modelAt) }),
];

interface TrafficOptions extends GatewayOptions {
  /** Answers every model; two words and 7 tokens of prompt by default. */
  readonly script?: Script;
}

export async function withTraffic(
  { script = says("responses", "two words"), ...options }: TrafficOptions = {},
): Promise<Traffic> {
  const upstream = scripted(script);
  const gateway = await startGateway({ providers: providersAt(upstream), ...options });
  const made = await Promise.all([0, 1, 2].map(() => createKey(gateway)));
  const keys = made.map(({ key }) => key);
  const close = async () => {
    await gateway.close();
    await upstream.close();
  };
  return { gateway, upstream, keys, [Symbol.asyncDispose]: close };
}

export interface Votes {
  readonly model?: string;
  /** In turn. */
  readonly keys: readonly string[];
  readonly count: number;
  readonly more?: Json;
}

/** Requests one after another, each of which is answered. */
export async function vote(
  gateway: Pick<Gateway, "url">,
  { model = "acme/dear", keys, count, more }: Votes,
): Promise<void> {
  for (let at = 0; at < count; at++) {
    const response = await call(gateway, { model, key: keys[at % keys.length] ?? "", text: PROMPT, more });
    assert.equal(response.status, 200, await response.text());
  }
}

export interface Routed {
  /** The source of evidence that ranks. */
  readonly evidence: unknown;
  /** The chosen models, without their author. */
  readonly order: string;
  readonly router: Json;
  /** The error that the request would get; null where it gets none. */
  readonly refusal: unknown;
}

interface RoutedOptions {
  readonly key: string;
  readonly model?: string;
  readonly more?: Json;
}

/** How the gateway would route a request for `service/auto`, or another router. */
export async function routed(
  { url }: Pick<Gateway, "url">,
  { key, model = "service/auto", more = {} }: RoutedOptions,
): Promise<Routed> {
  const response = await fetch(`${url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: PROMPT, ...more }),
  });
  const answer = asObject(await response.json());
  assert.equal(response.status, 200, JSON.stringify(answer));
  const router = asObject(asList(answer.routers)[0]);
  const models = asList(router.candidates).map((one) => String(asObject(one).model).slice("acme/".length));
  return { evidence: router.evidence, order: models.join(" "), router, refusal: answer.refusal };
}

/** Money that is reserved for a key, as explain tells it. */

import { asList, asObject, type Json } from "./event_stream.ts";
import type { Gateway } from "./gateway.ts";
import { managed } from "./manage.ts";
import { until } from "./until.ts";

export interface Keyed {
  readonly gateway: Gateway;
  /** With a spending limit. */
  readonly key: string;
}

export const nano = (usd: unknown): number => Math.round(Number(usd) * 1e9);

export async function explainedFor({ gateway, key }: Keyed, body: Json): Promise<Json> {
  const { status, body: told } = await managed(gateway, { call: "POST /route/explain", token: key, body });
  if (status !== 200) throw new Error(JSON.stringify(told));
  return told;
}

interface Holding extends Keyed {
  /** A model of the gateway. */
  readonly model: string;
}

/** Nano-USD that are reserved at this moment. */
export async function heldFor({ model, ...keyed }: Holding): Promise<number> {
  const { reservation } = await explainedFor(keyed, { model, input: "Hi", max_output_tokens: 5 });
  const [limit] = asList(asObject(reservation).limits).map(asObject);
  if (limit === undefined) throw new Error("the key has no limit");
  return nano(limit.reserved_usd);
}

/** Waits until nothing is reserved. */
export async function nothingHeld(holding: Holding): Promise<void> {
  await until(async () => {
    await holding.gateway.ledger.flush();
    return await heldFor(holding) === 0;
  }, { what: "that nothing is reserved" });
}

interface Calling extends Holding {
  readonly body: Json;
  /** The calls whose money is looked at are under way, and do not end. */
  readonly isAsked: () => boolean;
}

/** Nano-USD that a request has reserved in the middle. Its client leaves then, and nothing is reserved any more. */
export async function heldWhile({ body, isAsked, ...holding }: Calling): Promise<number> {
  const { gateway, key } = holding;
  const leaving = new AbortController();
  const going = fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).then((response) => response.text());
  const left = going.catch((error) => String(error));
  await until(isAsked, { what: "that the models are asked" });
  const held = await heldFor(holding);
  leaving.abort();
  await left;
  await nothingHeld(holding);
  return held;
}

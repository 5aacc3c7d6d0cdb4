/** `Idempotency-Key` at the door: one call for a key, and its answer again for whoever repeats the request. */

import type { Claims } from "../management/core/idempotency.ts";
import type { HeldClaim } from "../management/core/idempotency_claim.ts";
import { refuseForStore } from "../management/core/store_errors.ts";
import { Refusal } from "../../shared/errors.ts";
import { type Answered, asResponse } from "../http_server/reply.ts";
import { tokenOf } from "./authenticate.ts";
import type { Exchange } from "./http_exchange.ts";

export interface Once {
  readonly claims: Claims;
  readonly exchange: Exchange;
  readonly keyHash: string;
  /** Operation and body, by which a repetition is told from another request. */
  readonly request: string;
  readonly run: (claim: HeldClaim | undefined) => Promise<Answered>;
}

const allowed = /^[\x21-\x7e]{1,255}$/;

function keyOf({ request }: Exchange): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null || allowed.test(key)) return key ?? undefined;
  throw new Refusal(
    "invalid_request",
    "Idempotency-Key holds something that is not allowed: 1 to 255 printable ASCII characters without spaces are.",
    { metadata: { path: "Idempotency-Key" } },
  );
}

/** What succeeded is kept for a day; what failed is forgotten, and the next call tries again. */
export function once(call: Once): Promise<Answered> {
  const key = keyOf(call.exchange);
  return key === undefined ? call.run(undefined) : claimed(call, key);
}

async function claimed({ claims, exchange, keyHash, request, run }: Once, key: string): Promise<Response> {
  const wish = { keyHash, token: tokenOf(exchange), key, request };
  const taken = await claims.take(wish).catch(refuseForStore);
  if (taken.type === "mine") return await held({ exchange, claim: taken.claim, run });
  const { status, text, id } = taken.kept;
  exchange.generation = `gen-${id}`;
  const headers = { "content-type": "application/json", "idempotent-replayed": "true" };
  return new Response(text, { status, headers });
}

interface Held extends Pick<Once, "exchange" | "run"> {
  readonly claim: HeldClaim;
}

async function held({ exchange, claim, run }: Held): Promise<Response> {
  try {
    const response = await asResponse(await run(claim));
    if (!response.ok) {
      await claim.release();
      return response;
    }
    const text = await response.text();
    await claim.keep({ status: response.status, text, id: exchange.id });
    return new Response(text, { status: response.status, headers: response.headers });
  } catch (error) {
    await claim.release();
    throw error;
  }
}

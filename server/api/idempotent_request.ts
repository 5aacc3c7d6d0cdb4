/** `Idempotency-Key` at the API: one call for a key, and its answer again for everyone who repeats the request. */

import type { IdempotencyKeys } from "../management/core/idempotency.ts";
import type { IdempotencyClaim } from "../management/core/idempotency_claim.ts";
import { throwStoreUnavailable } from "../management/core/store_errors.ts";
import { ApiError } from "../../shared/errors.ts";
import { type HttpReply, toResponse } from "../http/http_server/reply.ts";
import { readToken } from "./authenticate.ts";
import type { HttpExchange } from "./http_exchange.ts";

interface IdempotentRequest {
  readonly idempotencyKeys: IdempotencyKeys;
  readonly exchange: HttpExchange;
  readonly keyHash: string;
  /** Operation and body, by which a repetition is told from another request. */
  readonly request: string;
  readonly run: (claim: IdempotencyClaim | undefined) => Promise<HttpReply>;
}

const allowed = /^[\x21-\x7e]{1,255}$/;

function keyOf({ request }: HttpExchange): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null || allowed.test(key)) return key ?? undefined;
  throw new ApiError(
    "invalid_request",
    "Idempotency-Key holds something that is not allowed: 1 to 255 printable ASCII characters without spaces are.",
    { metadata: { path: "Idempotency-Key" } },
  );
}

/** Runs a request once for its key: a reply that succeeded is kept for a day, one that failed is forgotten. */
export function runOnce(call: IdempotentRequest): Promise<HttpReply> {
  const key = keyOf(call.exchange);
  return key === undefined ? call.run(undefined) : startClaimed(call, key);
}

async function startClaimed(
  { idempotencyKeys, exchange, keyHash, request, run }: IdempotentRequest,
  key: string,
): Promise<Response> {
  const idempotencyRequest = {
    keyHash,
    token: exchange.session?.secret ?? readToken(exchange),
    key,
    request,
  };
  const taken = await idempotencyKeys.claim(idempotencyRequest).catch(throwStoreUnavailable);
  if (taken.type === "mine") return await storedReply({ exchange, claim: taken.claim, run });
  const { status, text, id, notes = [] } = taken.kept;
  exchange.generation = `gen-${id}`;
  exchange.notes = () => notes;
  const headers = { "content-type": "application/json", "idempotent-replayed": "true" };
  return new Response(text, { status, headers });
}

interface Held extends Pick<IdempotentRequest, "exchange" | "run"> {
  readonly claim: IdempotencyClaim;
}

async function storedReply({ exchange, claim, run }: Held): Promise<Response> {
  try {
    const response = toResponse(await run(claim));
    if (!response.ok) {
      await claim.release();
      return response;
    }
    const text = await response.text();
    await claim.storeReply({
      status: response.status,
      text,
      id: exchange.id,
      notes: [...exchange.notes?.() ?? []],
    });
    return new Response(text, { status: response.status, headers: response.headers });
  } catch (error) {
    await claim.release();
    throw error;
  }
}

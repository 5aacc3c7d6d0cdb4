/** The body of an inference request as the canonical request. Its text is let go of: it is as large again. */

import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { RequestContext } from "../../pipeline/request_context.ts";
import type { Inbound } from "../../protocols/wire.ts";
import type { Clock } from "../../runtime.ts";
import type { HttpExchange } from "../http_exchange.ts";
import type { BodyLimits } from "../body/read_body.ts";
import { readJsonBody } from "../body/read_json.ts";
import { addAnthropicBetas } from "./anthropic_betas.ts";
import { fileFieldsOf } from "./file_fields.ts";

interface ParsedBody<Echo> {
  readonly request: ModelRequest;
  readonly fileFields: RequestContext["fileFields"];
  /** Characters of the body. */
  readonly size: number;
  readonly echo: Echo;
  /** Operation and body of a request that names an idempotency key; others do not keep their text. */
  readonly repeatable: string | undefined;
}

interface BodyInput {
  readonly deps: { readonly runtime: { readonly clock: Clock }; readonly limits: BodyLimits };
  readonly exchange: HttpExchange;
}

export async function readInferenceRequest<Echo, State, Event>(
  inbound: Inbound<Echo, State, Event>,
  { deps, exchange }: BodyInput,
): Promise<ParsedBody<Echo>> {
  const { headers } = exchange.request;
  const { runtime: { clock }, limits } = deps;
  const { text, value: body } = await readJsonBody(exchange.request, { clock, limits });
  const fileFields = fileFieldsOf(text, body);
  const parsed = inbound.parseRequest(body, { sessionId: headers.get("x-session-id") ?? undefined });
  const request = addAnthropicBetas(parsed.request, headers);
  const isRepeatable = !request.stream && exchange.operation === "create_response" &&
    headers.get("idempotency-key") !== null;
  const repeatable = isRepeatable ? `create_response ${text}` : undefined;
  return { request, fileFields, size: text.length, echo: parsed.echo, repeatable };
}

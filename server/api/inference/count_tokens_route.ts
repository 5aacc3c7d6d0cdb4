/** POST /messages/count_tokens: how many tokens a request is as input. No answer, no charge, no receipt. */

import { joinStrings } from "../../../shared/util/text.ts";
import type { RequestContext } from "../../pipeline/request_context.ts";
import { parseCountRequest } from "../../protocols/messages/outbound/count_tokens.ts";
import { messagesInbound } from "../../protocols/messages/inbound/mod.ts";
import type { TokenCounter } from "../../pipeline/stages/count_tokens.ts";
import { authenticate, requireWork } from "../authenticate.ts";
import { addAnthropicBetas } from "./anthropic_betas.ts";
import { fileFieldsOf } from "./file_fields.ts";
import { fillFromPreset, parseFilled } from "./use_preset.ts";
import { readJsonBody } from "../body/read_json.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { ClientDisconnect } from "../client_disconnect.ts";
import { RequestRecord } from "../../pipeline/request_record.ts";
import type { InferenceDeps } from "./inference_route.ts";

export interface CountTokensDeps extends InferenceDeps {
  readonly countTokens: TokenCounter;
}

/** For API keys only, like the calls whose input it counts. */
export async function countTokensRoute(deps: CountTokensDeps, exchange: HttpExchange): Promise<Response> {
  exchange.renderError = messagesInbound.renderError;
  const caller = await authenticate(deps, exchange);
  requireWork(deps, caller);
  exchange.rateLimitStanding = () => deps.rateLimitStanding(caller);
  const { text, value } = await readJsonBody(exchange.request, {
    clock: deps.runtime.clock,
    limits: deps.limits,
  });
  const filled = await fillFromPreset(deps, { wire: messagesInbound.wire, body: value, caller });
  const sessionId = exchange.request.headers.get("x-session-id") ?? undefined;
  const request = parseFilled(filled, () => parseCountRequest(filled.body, { sessionId }));
  const clientDisconnect = new ClientDisconnect();
  const record = new RequestRecord();
  const context: RequestContext = {
    request: addAnthropicBetas(request, exchange.request.headers),
    fileFields: fileFieldsOf(text, filled.body),
    caller,
    ids: { generation: joinStrings("gen-", exchange.id), request: joinStrings("req_", exchange.id) },
    clientDisconnect,
    record,
    call: record.first,
    startedAt: exchange.startedAt,
  };
  exchange.rateLimitStanding = () => context.record.rateLimitStanding?.();
  clientDisconnect.watch(exchange.request, deps.runtime.clock);
  try {
    return Response.json({ input_tokens: await deps.countTokens(context) });
  } finally {
    clientDisconnect.unwatch();
    exchange.upstreamMs = context.record.upstreamMs;
  }
}

/** POST /messages/count_tokens: how many tokens a request is as input. No answer, no charge, no receipt. */

import { joined } from "../../../shared/util/text.ts";
import type { Turn } from "../../pipeline/request_context.ts";
import { parseCountRequest } from "../../protocols/messages/outbound/count_tokens.ts";
import { messagesInbound } from "../../protocols/messages/inbound/mod.ts";
import type { TokenCounter } from "../../stages/count_tokens.ts";
import { authenticate, requireInference } from "../authenticate.ts";
import { withBetas } from "./anthropic_betas.ts";
import { readBody } from "../read_body.ts";
import type { Exchange } from "../http_exchange.ts";
import { ClientHangup } from "../client_disconnect.ts";
import { blankNotes, type InferenceDeps } from "./inference_route.ts";
import { parseJson } from "../parse_json.ts";

export interface CountTokensDeps extends InferenceDeps {
  readonly countTokens: TokenCounter;
}

/** For API keys only, like the calls whose input it counts. */
export async function countTokensRoute(deps: CountTokensDeps, exchange: Exchange): Promise<Response> {
  exchange.renderRefusal = messagesInbound.renderRefusal;
  const caller = await authenticate(deps, exchange);
  requireInference(caller);
  const known = () => deps.rateOf(caller);
  exchange.rate = known;
  const text = await readBody(exchange.request, { clock: deps.world.clock, limits: deps.limits });
  const request = parseCountRequest(parseJson(text), {
    sessionId: exchange.request.headers.get("x-session-id") ?? undefined,
  });
  const hangup = new ClientHangup();
  const turn: Turn = {
    request: withBetas(request, exchange.request.headers),
    caller,
    ids: { generation: joined("gen-", exchange.id), request: joined("req_", exchange.id) },
    hangup,
    notes: blankNotes(),
    startedAt: exchange.startedAt,
  };
  const current = () => turn.notes.rate?.();
  exchange.rate = current;
  hangup.watch(exchange.request, deps.world.clock);
  try {
    return Response.json({ input_tokens: await deps.countTokens(turn) });
  } finally {
    hangup.unwatch();
    exchange.upstreamMs = turn.notes.upstreamMs;
  }
}

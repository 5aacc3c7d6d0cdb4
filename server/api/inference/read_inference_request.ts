/** The body of an inference request as the canonical request. Its text is let go of: it is as large again. */

import type { Caller } from "../../../shared/keys.ts";
import type { UsedPreset } from "../../../shared/presets/records.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { RequestContext } from "../../pipeline/request_context.ts";
import { CacheUse } from "../../pipeline/response_cache/cache_use.ts";
import type { Inbound, ParseOptions } from "../../protocols/wire.ts";
import type { Clock } from "../../runtime.ts";
import type { HttpExchange } from "../http_exchange.ts";
import type { BodyLimits } from "../body/read_body.ts";
import { readJsonBody } from "../body/read_json.ts";
import { addAnthropicBetas } from "./anthropic_betas.ts";
import { cachePreference } from "./cache_preference.ts";
import { fileFieldsOf } from "./file_fields.ts";
import { fillFromPreset, parseFilled, type PresetDeps } from "./use_preset.ts";

interface ParsedBody<Echo> {
  readonly request: ModelRequest;
  readonly fileFields: RequestContext["fileFields"];
  /** Characters of the body. */
  readonly size: number;
  readonly preset: UsedPreset | undefined;
  readonly cacheUse: CacheUse | undefined;
  readonly echo: Echo;
  /** Operation and body of a request that names an idempotency key; others do not keep their text. */
  readonly repeatable: string | undefined;
}

interface BodyInput {
  readonly deps: PresetDeps & {
    readonly runtime: { readonly clock: Clock };
    readonly limits: BodyLimits;
    readonly loadTokenDecoder: () => Promise<ParseOptions["decodeTokens"]>;
  };
  readonly exchange: HttpExchange;
  readonly caller: Caller;
}

export async function readInferenceRequest<Echo, State, Event>(
  inbound: Inbound<Echo, State, Event>,
  { deps, exchange, caller }: BodyInput,
): Promise<ParsedBody<Echo>> {
  const { headers } = exchange.request;
  const { runtime: { clock }, limits } = deps;
  const { text, value } = await readJsonBody(exchange.request, { clock, limits });
  const filling = fillFromPreset(deps, { wire: inbound.wire, body: value, caller });
  const filled = filling instanceof Promise ? await filling : filling;
  const { body, preset, caching, added } = filled;
  const fileFields = fileFieldsOf(text, body);
  const decodeTokens = inbound.holdsTokens?.(body) === true ? await deps.loadTokenDecoder() : undefined;
  const sessionId = headers.get("x-session-id") ?? undefined;
  const parsed = parseFilled(filled, () => inbound.parseRequest(body, { sessionId, decodeTokens }));
  const request = addAnthropicBetas(parsed.request, headers);
  const key = caller.kind === "api" ? caller.caching : undefined;
  const preference = cachePreference(headers, { preset: caching, key });
  const cacheUse = preference && new CacheUse(preference);
  const isRepeatable = !request.stream && exchange.operation === "create_response" &&
    headers.get("idempotency-key") !== null;
  const repeatable = isRepeatable ? `create_response ${text}` : undefined;
  return { request, fileFields, size: text.length + added, preset, cacheUse, echo: parsed.echo, repeatable };
}

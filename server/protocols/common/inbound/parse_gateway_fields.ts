/** Fields that speak to the gateway, of a body of any API but the Responses wire's → the canonical model's. */

import type { GatewayFields } from "../../../../shared/fields/gateway_fields.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { parseProviderPreferences } from "./parse_service_fields.ts";
import { parseSessionId } from "./parse_session_id.ts";

type GatewayRequestFields = Pick<
  ModelRequest,
  | "models"
  | "imageConfig"
  | "promptCacheKey"
  | "cache"
  | "endUser"
  | "sessionId"
  | "maxToolCalls"
  | "stopWhen"
  | "plugins"
  | "provider"
  | "trace"
  | "echoUpstreamBody"
>;

/** `sessionId`: what a header says; the body's own wins. */
export function parseGatewayFields(body: GatewayFields, sessionId: string | undefined): GatewayRequestFields {
  return {
    models: body.models ?? [],
    imageConfig: body.image_config ?? undefined,
    promptCacheKey: body.prompt_cache_key ?? undefined,
    cache: body.cache_control ? { ttl: body.cache_control.ttl ?? undefined } : undefined,
    endUser: { user: body.user || undefined, safetyIdentifier: body.safety_identifier || undefined },
    sessionId: parseSessionId(body.session_id, sessionId),
    maxToolCalls: body.max_tool_calls ?? undefined,
    stopWhen: body.stop_server_tools_when ?? undefined,
    plugins: body.plugins ?? [],
    provider: parseProviderPreferences(body),
    trace: body.trace ?? undefined,
    echoUpstreamBody: body.debug?.echo_upstream_body ?? false,
  };
}

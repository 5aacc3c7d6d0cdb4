/** Canonical requests and endpoint traits for tests that only care about a few of their fields. */

import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import type { EndpointTraits } from "../../server/protocols/wire.ts";

export function modelRequest(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "acme/one",
    models: [],
    input: [{ type: "message", role: "user", parts: [{ type: "text", text: "Hi" }] }],
    tools: [],
    sampling: {},
    format: { type: "text" },
    stream: false,
    include: [],
    endUser: {},
    plugins: [],
    echoUpstreamBody: false,
    dropped: [],
    ...fields,
  };
}

export function endpointTraits(fields: Partial<EndpointTraits> = {}): EndpointTraits {
  return {
    upstreamModel: "one-2026",
    passKeys: [],
    omit: [],
    rename: {},
    developerRole: "developer",
    extraBody: {},
    ...fields,
  };
}

/** Canonical requests and endpoint traits for tests that only care about a few of their fields. */

import { emptyRequest } from "../../server/protocols/canonical/empty_request.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import type { EndpointTraits } from "../../server/protocols/wire.ts";

export function modelRequest(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    ...emptyRequest,
    model: "acme/one",
    input: [{ type: "message", role: "user", parts: [{ type: "text", text: "Hi" }] }],
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

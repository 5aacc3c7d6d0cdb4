/** An endpoint for tests; anything may be told otherwise. */

import type { Endpoint, Model, Provider } from "../../server/providers/endpoint.ts";

export interface EndpointChanges {
  readonly provider?: Partial<Provider>;
  readonly model?: Partial<Model>;
  readonly endpoint?: Partial<Endpoint>;
}

export function testEndpoint({ provider, model, endpoint }: EndpointChanges = {}): Endpoint {
  const one: Provider = {
    id: "mock",
    name: "Mock",
    wire: "responses",
    baseUrl: "http://127.0.0.1:1",
    headers: {},
    quirks: {},
    open: false,
    ...provider,
  };
  const served: Model = {
    id: "mock/model",
    name: "Mock model",
    created: 0,
    contextLength: null,
    inputModalities: ["text"],
    outputModalities: ["text"],
    supportedParameters: [],
    hidden: false,
    ...model,
  };
  return {
    id: `${one.id}|${served.id}`,
    model: served,
    provider: one,
    upstreamModel: "model",
    maxOutputTokens: null,
    pricing: null,
    ...endpoint,
  };
}

import assert from "node:assert/strict";
import { endpointAt } from "../../../tests/routing/rig.ts";
import { modelRequest } from "../../../tests/support/requests.ts";
import { routerDeps } from "../../../tests/support/router_deps.ts";
import { routeInputSchema } from "../../../shared/receipts.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import { EndpointHealth } from "./health/endpoint_health.ts";
import { LiveStats } from "./health/endpoint_stats.ts";
import { fakeClock } from "../../../tests/support/clock.ts";
import { routeInputOf } from "./route_input.ts";
import { planRoute } from "./route_plan.ts";

function routeInput(fields: Partial<ModelRequest>) {
  const clock = fakeClock();
  const deps = {
    ...routerDeps({ stats: new LiveStats(clock) }),
    resolve: () => [endpointAt("a")],
    health: new EndpointHealth(clock),
  };
  const request = modelRequest({ model: "acme/llama", input: [], ...fields });
  const input = routeInputOf(planRoute(deps, { request, generation: "gen-1" }), request);
  assert.deepEqual(routeInputSchema.parse(input), input);
  assert.ok(JSON.stringify(input).length <= 300, "within its limit");
  return input;
}

Deno.test("routeInputOf says the estimated tokens of a plain request, and nothing else", () => {
  assert.deepEqual(routeInput({ instructions: "x".repeat(41) }), { tokens: 11 });
});

Deno.test("routeInputOf says what routing looked at", () => {
  const input = routeInput({
    models: ["acme/llama:nitro", "acme/other"],
    maxOutputTokens: 7,
    sessionId: "s",
    modalities: ["text", "image"],
    tools: [{ type: "function", name: "secret", parameters: null }],
    provider: { sort: "price" },
  });
  assert.deepEqual(input, {
    tokens: 0,
    max_tokens: 7,
    sticky: "session_id",
    requires: ["output:image", "tools"],
    models: ["acme/llama", "acme/llama:nitro", "acme/other"],
    preferences: { sort: "price" },
  });
});

Deno.test("routeInputOf names what is too long for a receipt", () => {
  const order = Array.from({ length: 50 }, (_, index) => `provider-${index}`);
  assert.deepEqual(routeInput({ provider: { order, sort: "price" } }), { tokens: 0, cut: ["preferences"] });
  const models = Array.from({ length: 90 }, (_, index) => `acme/model-${index}`);
  const input = routeInput({ models, provider: { sort: "latency" } });
  assert.deepEqual(input.cut, ["models"]);
  assert.deepEqual(input.preferences, { sort: "latency" });
});

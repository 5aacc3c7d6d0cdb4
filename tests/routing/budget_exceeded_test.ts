import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import type { Endpoint } from "../../server/providers/endpoint.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { BudgetExceeded, mayBeCheaper } from "../../server/pipeline/routing/budget_exceeded.ts";
import { type RateName, rateNames } from "../../shared/models.ts";
import { endpointAt, routing } from "./rig.ts";

const order = ["dear", "dearer", "same", "cheap", "unknown", "free"];
const endpoints = [
  endpointAt("dear", { usd: 5 }),
  endpointAt("dearer", { usd: 9 }),
  endpointAt("same", { usd: 5 }),
  endpointAt("cheap", { usd: 1 }),
  endpointAt("unknown", { usd: null }),
  endpointAt("free", { usd: 0 }),
];
const preferred = { provider: { order } } as const;

const refused = (endpoint: Endpoint, retryAfter?: number) =>
  new BudgetExceeded(
    endpoint,
    new ApiError("payment_required", `${endpoint.provider.id} cannot be paid`, { retryAfter }),
  );

const requested = (called: readonly Endpoint[]) => called.map(({ provider }) => provider.id);

Deno.test("route goes on with what costs less than what could not be paid, and hurts nobody's health", async () => {
  const rig = routing({
    endpoints,
    at: (endpoint) => {
      if (endpoint.provider.id !== "free") throw refused(endpoint);
      return undefined;
    },
  });
  for (let at = 0; at < 6; at++) {
    const { called, error, record } = await rig.send(preferred);
    assert.equal(error, undefined);
    assert.deepEqual(requested(called), ["dear", "cheap", "free"]);
    assert.deepEqual(record.lastTurn.skipped?.map(({ endpoint, reason: by }) => [endpoint.provider.id, by]), [
      ["dear", "limit"],
      ["cheap", "limit"],
    ]);
  }
  assert(endpoints.every(({ id }) => rig.health.stateOf(id).type === "well"));
});

Deno.test("route waits for money once: then it tries only what is free", async () => {
  const rig = routing({
    endpoints,
    at: (endpoint) => {
      if (endpoint.provider.id !== "free") throw refused(endpoint, 5);
      return undefined;
    },
  });
  assert.deepEqual(requested((await rig.send(preferred)).called), ["dear", "free"]);
});

Deno.test("route tells the refusal of the first choice where nobody can be paid", async () => {
  const rig = routing({
    endpoints,
    at: (endpoint) => {
      throw refused(endpoint);
    },
  });
  const { error } = await rig.send(preferred);
  assert(error instanceof ApiError && error.status === 402);
  assert.match(error.message, /^dear cannot/);
});

Deno.test("route tells a provider's failure rather than the price of its fallback", async () => {
  const rig = routing({
    endpoints: endpoints.slice(0, 2),
    at: (endpoint) => {
      if (endpoint.provider.id === "dearer") throw refused(endpoint);
      const message = "No.";
      throw new UpstreamError({
        endpoint,
        kind: "unavailable",
        status: 503,
        message,
        endpointSpecific: false,
      });
    },
  });
  const { called, error } = await rig.send(preferred);
  assert.deepEqual(requested(called), ["dear", "dearer"]);
  assert(error instanceof ApiError && error.status === 503);
});

Deno.test("mayBeCheaper knows every rate, at any hour and in any tier", () => {
  const rates = Object.keys(rateNames);
  const all = (price: string) => Object.fromEntries(rates.map((rate) => [rate, price]));
  const listed = (changes: Partial<Record<RateName, string>>) =>
    endpointAt("any", {
      endpoint: { pricing: { prompt: "0.5", completion: "0.5", ...all("0.5"), ...changes } },
    });
  const fallback = listed({});
  assert.equal(mayBeCheaper(listed({}), fallback), false);
  for (const rate of rates) {
    assert.equal(mayBeCheaper(listed({ [rate]: "0.4" }), fallback), true, rate);
    assert.equal(mayBeCheaper(listed({ [rate]: "0.6" }), fallback), false, rate);
  }
  const pricing = { prompt: "0.1", completion: "0.1", overrides: [{ minPromptTokens: 10, prompt: "0.9" }] };
  const stepped = endpointAt("stepped", { endpoint: { pricing } });
  const flat = endpointAt("flat", { endpoint: { pricing: { prompt: "0.5", completion: "0.1" } } });
  assert.equal(mayBeCheaper(flat, stepped), true, "a long prompt costs less there");
});

Deno.test("mayBeCheaper knows what bounds a call", () => {
  const fallback = endpointAt("usual", { endpoint: { maxOutputTokens: 500 }, model: { contextLength: 500 } });
  const at = (maxOutputTokens: number | null, contextLength: number | null) =>
    mayBeCheaper(endpointAt("any", { endpoint: { maxOutputTokens }, model: { contextLength } }), fallback);
  assert.deepEqual([at(500, 500), at(499, 500), at(500, 499)], [false, true, true]);
  assert.deepEqual([at(null, null), at(501, 501)], [false, false]);
  const seeing = (upstreamModel: string) => endpointAt("any", { endpoint: { upstreamModel } });
  assert.equal(
    mayBeCheaper(seeing("gpt-4o"), seeing("gpt-4o-mini")),
    true,
    "a picture is fewer tokens there",
  );
  assert.equal(mayBeCheaper(seeing("gpt-4o-mini"), seeing("gpt-4o")), false);
});

Deno.test("route goes on to any other price where something has none", async () => {
  const rig = routing({
    endpoints,
    at: (endpoint) => {
      if (endpoint.provider.id === "same") return undefined;
      throw new BudgetExceeded(endpoint, new ApiError("not_found", "No price is known."));
    },
  });
  const { called, error } = await rig.send(preferred);
  assert.equal(error, undefined);
  assert.deepEqual(requested(called), ["dear", "dearer", "same"]);
});

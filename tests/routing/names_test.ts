import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { endpointAt, routing } from "./rig.ts";

const endpoints = [
  endpointAt("free", { usd: 0 }),
  endpointAt("cheap", { usd: 0.5 }),
  endpointAt("fast", { usd: 2 }),
  endpointAt("free", { usd: 1, model: { id: "acme/own:free" } }),
  endpointAt("else", { model: { id: "acme/other" } }),
];

function rig() {
  const made = routing({
    endpoints,
    aliases: {
      best: "acme/llama",
      quick: "acme/llama:nitro",
      chain: ["acme/other", "acme/llama:floor"],
      pair: ["acme/other", "acme/llama"],
      half: ["acme/nothing", "acme/other"],
    },
    defaultModel: "acme/other",
    attempts: 9,
    at: (endpoint) => {
      throw new UpstreamError({
        endpoint,
        kind: "unavailable",
        status: 503,
        message: "",
        endpointSpecific: false,
      });
    },
  });
  made.stats.recordThroughput("fast|acme/llama", 500);
  made.stats.recordThroughput("cheap|acme/llama", 50);
  return made;
}

interface Case {
  readonly model?: string;
  readonly models?: readonly string[];
  /** The first of them, or all with `!` before. */
  readonly called: readonly string[];
  readonly all?: true;
  readonly strategy?: string;
}

const cases: Readonly<Record<string, Case>> = {
  "an alias": { model: "best", called: [], strategy: "alias" },
  "an alias with a variant": { model: "best:floor", called: ["free", "cheap", "fast"], strategy: "alias" },
  "an alias of a variant": { model: "quick", called: ["fast", "cheap", "free"], strategy: "alias" },
  "an alias of two models": {
    model: "chain",
    called: ["else", "free", "cheap", "fast"],
    strategy: "fallback",
  },
  "an alias of two models with a variant": {
    model: "pair:floor",
    called: ["else", "free", "cheap", "fast"],
    strategy: "fallback",
  },
  "an alias of two models among models": {
    models: ["acme/own:free", "chain"],
    called: ["free", "else", "free", "cheap", "fast"],
    strategy: "fallback",
  },
  "an alias of an unknown model and another": { model: "half", called: ["else"], all: true },
  "the default": { model: undefined, called: ["else"], strategy: "direct" },
  ":free": { model: "acme/llama:free", called: ["free"], all: true },
  ":nitro": { model: "acme/llama:nitro", called: ["fast", "cheap", "free"] },
  ":floor": { model: "acme/llama:floor", called: ["free", "cheap", "fast"] },
  "two variants": { model: "acme/llama:free:nitro", called: ["free"], all: true },
  "a model whose own name ends so": { model: "acme/own:free", called: ["free"], all: true },
  "two models": {
    model: "acme/other",
    models: ["acme/llama:floor"],
    called: ["else", "free", "cheap", "fast"],
    strategy: "fallback",
  },
  "a model twice": {
    model: "acme/other",
    models: ["acme/other"],
    called: ["else"],
    all: true,
    strategy: "direct",
  },
  "an endpoint under two names": {
    models: ["acme/llama:free", "acme/llama:floor"],
    called: ["free", "cheap", "fast"],
    all: true,
  },
  "an unknown one first": { model: "acme/nothing", models: ["acme/other"], called: ["else"], all: true },
};

for (const [name, { model, models = [], called, all, strategy }] of Object.entries(cases)) {
  Deno.test(`route finds ${name}`, async () => {
    const routed = await rig().send({ model, models });
    const slugs = routed.called.map(({ provider }) => provider.id);
    assert.deepEqual(slugs.slice(0, called.length), called);
    if (all) assert.equal(slugs.length, called.length);
    if (strategy !== undefined) assert.equal(routed.record.lastTurn.strategy, strategy);
  });
}

Deno.test("route names the models that nobody knows", async () => {
  const { record } = await rig().send({ model: "acme/nothing", models: ["acme/other"] });
  assert.deepEqual(record.lastTurn.routingParams?.().unknown_models, ["acme/nothing"]);
  const { record: aliased } = await rig().send({ model: "half" });
  assert.deepEqual(aliased.lastTurn.routingParams?.().unknown_models, ["acme/nothing"]);
  const { error } = await rig().send({ model: "acme/nothing", models: ["acme/less"] });
  assert(error instanceof ApiError);
  assert.equal(error.status, 404);
  assert.equal(error.details.availability?.code, "model_not_found");
  assert.deepEqual(error.details.availability?.requested_models, ["acme/nothing", "acme/less"]);
});

Deno.test("route refuses a request without a model where there is no default", async () => {
  const { error } = await routing({ endpoints }).send({ model: undefined });
  assert(error instanceof ApiError);
  assert.equal(error.status, 400);
});

Deno.test("route switches reasoning on for :thinking, and leaves the caller's own wishes", async () => {
  const { send } = routing({ endpoints });
  assert.deepEqual((await send({ model: "acme/llama:thinking" })).sent?.reasoning, {
    enabled: true,
    effort: "medium",
  });
  const high = await send({ model: "acme/llama:thinking", reasoning: { effort: "high" } });
  assert.deepEqual(high.sent?.reasoning, { enabled: true, effort: "high" });
  const budget = await send({ model: "acme/llama:thinking", reasoning: { maxTokens: 100 } });
  assert.deepEqual(budget.sent?.reasoning, { enabled: true, effort: undefined, maxTokens: 100 });
});

Deno.test("route finds the endpoints of a name with :online, and says so", async () => {
  const { record } = await routing({ endpoints }).send({ model: "acme/llama:online" });
  assert.deepEqual(record.lastTurn.routingParams?.().variants, ["online"]);
});

const tiers: readonly (readonly [string | undefined, string | undefined, readonly string[]])[] = [
  [undefined, undefined, []],
  ["auto", undefined, []],
  ["default", "default", []],
  ["fast", "prio", []],
  ["priority", "prio", []],
  ["flex", undefined, ["service_tier flex"]],
  ["scale", undefined, ["service_tier scale"]],
];

for (const [requested, sent, dropped] of tiers) {
  Deno.test(`route says the service tier ${requested} in the words of the provider's row`, async () => {
    const serviceTiers = { priority: "prio", default: "default" };
    const one = endpointAt("a", { provider: { quirks: { serviceTiers } } });
    const routed = await routing({ endpoints: [one] }).send({ serviceTier: requested });
    assert.equal(routed.sent?.serviceTier, sent);
    assert.deepEqual(routed.record.dropped, dropped);
  });
}

Deno.test("route leaves a service tier out where the row omits it, and to the wire where it says nothing", async () => {
  const omitting = endpointAt("a", { provider: { quirks: { omit: ["service_tier"] } } });
  const routed = await routing({ endpoints: [omitting] }).send({ serviceTier: "flex" });
  assert.equal(routed.sent?.serviceTier, undefined);
  assert.deepEqual(routed.record.dropped, ["service_tier flex"]);
  const plain = await routing({ endpoints: [endpointAt("a")] }).send({ serviceTier: "flex" });
  assert.equal(plain.sent?.serviceTier, "flex");
});

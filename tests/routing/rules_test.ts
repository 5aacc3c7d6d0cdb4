/** Tests the effect of guardrails and of a workspace's own provider keys on a route. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import type { ByokKey, CallerRules, GuardrailPolicy } from "../../server/pipeline/caller_rules.ts";
import type { Endpoint } from "../../server/providers/endpoint.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { modelRequest } from "../support/requests.ts";
import { endpointAt, priced, routing } from "./rig.ts";
import { threadMs } from "../support/thread_time.ts";

const endpoints = [
  endpointAt("a", { usd: 3, endpoint: { dataPolicy: { training: false, zdr: true } } }),
  endpointAt("b/turbo", { usd: 2, endpoint: { dataPolicy: { training: true, zdr: false } } }),
  endpointAt("c", { usd: 1 }),
  endpointAt("d", { endpoint: { pricing: priced(0) } }),
  endpointAt("a", { usd: 1, model: { id: "other/model" } }),
];

const open: GuardrailPolicy = {
  allowedModels: [],
  ignoredModels: [],
  allowedProviders: [],
  ignoredProviders: [],
  zdr: new Set(),
  noPaidTraining: false,
  noFreeTraining: false,
  regions: [],
};

const fails = (endpoint: Endpoint) => {
  throw new UpstreamError({
    endpoint,
    kind: "unavailable",
    status: 503,
    message: "",
    endpointSpecific: false,
  });
};

/** Endpoints in the order in which they are asked when all of them fail. */
async function order(rules: CallerRules, provider?: object): Promise<readonly string[]> {
  const { send } = routing({ endpoints, attempts: 20, rules, at: fails });
  const { called } = await send({ provider: { sort: "price", ...provider } });
  return called.map(({ provider: { id }, byokKey: ownKey }) =>
    ownKey === undefined ? id : `${id}:${ownKey.id}`
  );
}

const under = (policy: Partial<GuardrailPolicy>): CallerRules => ({
  policy: { ...open, ...policy },
  byokKeys: [],
});

interface Row {
  readonly policy: Partial<GuardrailPolicy>;
  readonly left: readonly string[];
  readonly by?: string;
}

const rows: readonly Row[] = [
  { policy: {}, left: ["d", "c", "b/turbo", "a"] },
  { policy: { allowedModels: [["acme/*"]] }, left: ["d", "c", "b/turbo", "a"] },
  { policy: { allowedModels: [["ACME/Llama"]] }, left: ["d", "c", "b/turbo", "a"] },
  { policy: { allowedModels: [["acme/*"], ["other/*"]] }, left: [], by: "allowed_models" },
  { policy: { ignoredModels: ["*llama"] }, left: [], by: "ignored_models" },
  { policy: { allowedProviders: [["a", "b"]] }, left: ["b/turbo", "a"] },
  { policy: { allowedProviders: [["a", "b"], ["b/*", "c"]] }, left: ["b/turbo"] },
  { policy: { allowedProviders: [["x"]] }, left: [], by: "allowed_providers" },
  { policy: { ignoredProviders: ["b", "the c"] }, left: ["d", "a"] },
  { policy: { ignoredProviders: ["*"] }, left: [], by: "ignored_providers" },
  { policy: { zdr: new Set(["other"] as const) }, left: ["a"] },
  { policy: { zdr: new Set(["openai"] as const) }, left: ["d", "c", "b/turbo", "a"] },
  { policy: { regions: [["europe"]] }, left: [], by: "data_region" },
  { policy: { noPaidTraining: true }, left: ["d", "a"] },
  { policy: { noFreeTraining: true }, left: ["c", "b/turbo", "a"] },
];

for (const { policy, left, by } of rows) {
  const shown = JSON.stringify(policy, (_, value) => value instanceof Set ? [...value] : value);
  Deno.test(`a guardrail with ${shown} leaves ${left.join(", ") || "nobody"}`, async () => {
    assert.deepEqual(await order(under(policy)), left);
    const { explain, send } = routing({ endpoints, rules: under(policy) });
    const { candidates, refusal } = toReported(explain(modelRequest({ model: "acme/llama" })));
    const open = candidates.filter(({ excluded_by }) => excluded_by === null);
    assert.deepEqual(new Set(open.map(({ provider_slug }) => provider_slug)), new Set(left));
    if (by === undefined) return;
    assert.equal(refusal?.status, 404);
    const { error } = await send({});
    assert(error instanceof ApiError);
    assert.deepEqual(error.details.availability?.excluded_by, [by]);
    assert.deepEqual(error.details.metadata, { path: "guardrail" });
  });
}

interface Reported {
  readonly candidates: readonly { readonly excluded_by: string | null; readonly provider_slug: string }[];
  readonly refusal: { readonly status: number } | null;
}

function toReported(value: unknown): Reported {
  return value as Reported;
}

Deno.test("a guardrail's patterns are judged once for each endpoint", async () => {
  const hostile = Array.from({ length: 1_024 }, () => "*a".repeat(500));
  const { send } = routing({ endpoints, rules: under({ ignoredModels: hostile }) });
  await send({});
  const took = await threadMs(async () => {
    for (let time = 0; time < 200; time++) await send({});
  });
  assert(took < 1_000, `${took} ms`);
});

function ownKey(id: string, changes: Partial<ByokKey> = {}): ByokKey {
  const { provider = "a", fallback = false } = changes;
  const made = new Map<Endpoint, Endpoint>();
  return {
    id,
    provider,
    fallback,
    required: false,
    exclusive: false,
    models: undefined,
    at: (endpoint) => {
      const variant = made.get(endpoint) ??
        {
          ...endpoint,
          id: `${endpoint.id}|byok:${id}`,
          byok: true,
          byokKey: { id, fallback, order: Number(id) },
        };
      made.set(endpoint, variant);
      return variant;
    },
    ...changes,
  };
}

const keys = (...ownKeys: readonly ByokKey[]): CallerRules => ({ byokKeys: ownKeys });

Deno.test("own keys are asked before the gateway's, by their order, and fallback keys behind", async () => {
  const all = keys(ownKey("1"), ownKey("2"), ownKey("3", { provider: "c", fallback: true }));
  assert.deepEqual(await order(all), ["a:1", "a:2", "d", "c", "b/turbo", "a", "c:3"]);
  assert.deepEqual(
    await order(all, { order: ["c", "a"] }),
    ["a:1", "a:2", "c", "a", "d", "b/turbo", "c:3"],
    "whatever providers the caller prefers",
  );
  assert.deepEqual(await order(keys(ownKey("1", { provider: "b" }))), [
    "b/turbo:1",
    "d",
    "c",
    "b/turbo",
    "a",
  ]);
});

Deno.test("own keys that are required take the gateway's place at their provider, for their models", async () => {
  assert.deepEqual(await order(keys(ownKey("1", { required: true }))), ["a:1", "d", "c", "b/turbo"]);
  const others = { required: true, models: ["other/*"] };
  assert.deepEqual(await order(keys(ownKey("1", others))), ["d", "c", "b/turbo", "a"]);
  const only = { exclusive: true, models: ["other/*"] };
  assert.deepEqual(await order(keys(ownKey("1", only))), ["d", "c", "b/turbo"]);
  const unusable = { required: true, at: () => undefined };
  assert.deepEqual(await order(keys(ownKey("1", unusable))), ["d", "c", "b/turbo"]);
});

Deno.test("own keys are for a provider under each of its names", async () => {
  const served = ["google", "bedrock", "azure", "azure-chat"].map((slug) => endpointAt(slug));
  const all = ["google-ai-studio", "amazon-bedrock", "azure"].map((provider, at) =>
    ownKey(String(at), { provider, required: true })
  );
  const { send } = routing({ endpoints: served, rules: keys(...all), attempts: 9, at: fails });
  const { called } = await send({});
  const requested = called.map(({ provider: { id }, byokKey: ownKey }) => `${id}:${ownKey?.id}`);
  assert.deepEqual(requested.sort(), ["azure-chat:2", "azure:2", "bedrock:1", "google:0"]);
});

Deno.test("own keys obey guardrails and preferences like everybody", async () => {
  const rules = {
    ...keys(ownKey("1"), ownKey("2", { provider: "c" })),
    ...under({ ignoredProviders: ["a"] }),
  };
  const { byokKeys: ownKeys } = keys(ownKey("1"), ownKey("2", { provider: "c" }));
  assert.deepEqual(await order({ ...rules, byokKeys: ownKeys }), ["c:2", "d", "c", "b/turbo"]);
  assert.deepEqual(await order({ byokKeys: ownKeys }, { only: ["b"] }), ["b/turbo"]);
  assert.deepEqual(await order({ byokKeys: ownKeys }, { zdr: true }), ["a:1", "a"]);
});

/** Every preference, alone: who is asked, in which order, and who is not and why. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import type { ContentPart } from "../../server/protocols/canonical/item.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { modelRequest } from "../support/requests.ts";
import { endpointAt, priced, routing } from "./rig.ts";

const listed = ["temperature", "tools", "max_tokens"];

/** Cheapest: c; fastest: b; most private: a. */
const endpoints = [
  endpointAt("a", {
    usd: 3,
    model: { supportedParameters: listed, contextLength: 1_000_000, inputModalities: ["text", "image"] },
    endpoint: { quantization: "bf16", dataPolicy: { training: false, zdr: true }, scores: { exacto: 0.5 } },
  }),
  endpointAt("b/turbo", {
    usd: 2,
    model: { supportedParameters: ["temperature"], contextLength: 8_500, distillable: true },
    endpoint: { quantization: "fp8", dataPolicy: { training: false, zdr: false }, scores: { exacto: 0.9 } },
  }),
  endpointAt("c", {
    usd: 1,
    model: { contextLength: null, inputModalities: ["text", "file"], outputModalities: ["text", "image"] },
    provider: { dataPolicy: { training: true, zdr: false } },
  }),
];
const [a, b, c] = ["a", "b/turbo", "c"];

function rig() {
  const made = routing({
    endpoints,
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
  const [one, two, three] = endpoints;
  for (const [endpoint, ms, rate] of [[one, 900, 10], [two, 100, 90], [three, 500, 50]] as const) {
    assert(endpoint);
    made.stats.recordLatency(endpoint.id, ms);
    made.stats.recordThroughput(endpoint.id, rate);
  }
  return made;
}

type Provider = NonNullable<ModelRequest["provider"]>;
interface Case {
  readonly provider?: Provider;
  readonly request?: Partial<ModelRequest>;
  /** Slugs in order, or as a set. */
  readonly order?: readonly (string | undefined)[];
  readonly among?: readonly (string | undefined)[];
  readonly excluded?: Readonly<Record<string, string>>;
}

const image: ContentPart = { type: "image", url: "data:image/png;base64,AA==" };
const file: ContentPart = { type: "file", data: "AA==", filename: "a.pdf" };
const input = (...parts: ContentPart[]) => [{ type: "message" as const, role: "user" as const, parts }];
const tool = { type: "function" as const, name: "f", parameters: null };

const cases: Readonly<Record<string, Case>> = {
  "no preference": { among: [a, b, c] },
  "order": { provider: { order: ["c", "a"] }, order: [c, a, b] },
  "order by display name": { provider: { order: ["The B/TURBO", "c"] }, order: [b, c, a] },
  "order by base slug": { provider: { order: ["b", "c"] }, order: [b, c, a] },
  "order of the unknown": { provider: { order: ["nobody", "c", "b"] }, order: [c, b, a] },
  "order and quantization": { provider: { order: ["a/bf16", "b/fp8", "c"] }, order: [a, b, c] },
  "order, null": { provider: { order: null, only: null, sort: null, max_price: null }, among: [a, b, c] },
  "only": {
    provider: { only: ["b", "c"], sort: "price" },
    order: [c, b],
    excluded: { [a ?? ""]: "allowed_providers" },
  },
  "only, empty": { provider: { only: [] }, among: [a, b, c] },
  "only a variant": { provider: { only: ["b/turbo"] }, order: [b] },
  "ignore": { provider: { ignore: ["A", "b"] }, order: [c], excluded: { a: "ignored_providers" } },
  "allow_fallbacks: false": {
    provider: { order: ["b"], allow_fallbacks: false },
    order: [b],
    excluded: { a: "allow_fallbacks", c: "allow_fallbacks" },
  },
  "sort: price": { provider: { sort: "price" }, order: [c, b, a] },
  "sort: throughput": { provider: { sort: "throughput" }, order: [b, c, a] },
  "sort: latency": { provider: { sort: "latency" }, order: [b, c, a] },
  "sort: exacto": { provider: { sort: "exacto" }, order: [b, a, c] },
  "sort, as an object": { provider: { sort: { by: "price", partition: "model" } }, order: [c, b, a] },
  "order, then sort": { provider: { order: ["a"], sort: "price" }, order: [a, c, b] },
  "require_parameters": {
    provider: { require_parameters: true },
    request: { sampling: { temperature: 1 }, maxOutputTokens: 5 },
    order: [a],
    excluded: { "b/turbo": "require_parameters", c: "require_parameters" },
  },
  "require_parameters of nothing": { provider: { require_parameters: true }, among: [a, b, c] },
  "data_collection: deny": {
    provider: { data_collection: "deny" },
    among: [a, b],
    excluded: { c: "data_policy:training" },
  },
  "data_collection: allow": { provider: { data_collection: "allow" }, among: [a, b, c] },
  "zdr": { provider: { zdr: true }, order: [a], excluded: { c: "data_policy:zdr" } },
  "enforce_distillable_text": {
    provider: { enforce_distillable_text: true },
    order: [b],
    excluded: { a: "distillable" },
  },
  "quantizations": {
    provider: { quantizations: ["fp8", "unknown"] },
    among: [b, c],
    excluded: { a: "quantization" },
  },
  "max_price as a number": {
    provider: { max_price: { prompt: 2 } },
    among: [b, c],
    excluded: { a: "max_price" },
  },
  "max_price as a string": { provider: { max_price: { completion: "1.00" } }, order: [c] },
  "max_price of a request": { provider: { max_price: { request: 0, image: "0" } }, among: [a, b, c] },
  "preferred_min_throughput": {
    provider: { preferred_min_throughput: 40, sort: "price" },
    order: [c, b, a],
  },
  "preferred_max_latency": {
    provider: { preferred_max_latency: { p50: 0.2, p90: 0.5 }, sort: "price" },
    order: [b, c, a],
  },
  "preferred_max_latency does not overrule order": {
    provider: { preferred_max_latency: 0.2, order: ["a"], sort: "price" },
    order: [a, b, c],
  },
  "an image comes in": {
    request: { input: input(image) },
    order: [a],
    excluded: { "b/turbo": "modality", c: "modality" },
  },
  "an image in a tool's result": {
    request: { input: [{ type: "result", kind: "function", callId: "1", output: [image] }] },
    order: [a],
  },
  "a file comes in": { request: { input: input(file) }, order: [c] },
  "an image is to come out": { request: { modalities: ["text", "image"] }, order: [c] },
  "tools": { request: { tools: [tool] }, among: [a, c], excluded: { "b/turbo": "tool_kind" } },
  "a long prompt": {
    request: { input: input({ type: "text", text: "word ".repeat(9_000) }) },
    among: [a, c],
    excluded: { "b/turbo": "context_length" },
  },
  "a long prompt that may be cut": {
    request: { input: input({ type: "text", text: "word ".repeat(9_000) }), truncation: "auto" },
    among: [a, b, c],
  },
  "a prompt that may fit": {
    request: { input: input({ type: "text", text: "x".repeat(500_000) }) },
    among: [a, b, c],
  },
};

for (const [name, { provider, request, order, among, excluded = {} }] of Object.entries(cases)) {
  Deno.test(`route keeps the preference ${name}`, async () => {
    const { called, record } = await rig().send({ provider, ...request });
    const slugs = called.map(({ provider }) => provider.id);
    if (order !== undefined) assert.deepEqual(slugs, order);
    if (among !== undefined) assert.deepEqual(slugs.toSorted(), among);
    const passed = new Map(
      record.lastTurn.skipped?.map(({ endpoint, reason: by }) => [endpoint.provider.id, by]),
    );
    for (const [slug, by] of Object.entries(excluded)) assert.equal(passed.get(slug), by, slug);
    assert.equal(passed.size + slugs.length, 3, "nobody is forgotten");
  });
}

const refused: Readonly<Record<string, readonly [Case, number, string, string]>> = {
  "only": [{ provider: { only: ["nobody"] } }, 404, "constraint_filtered", "provider.only"],
  "privacy": [
    { provider: { zdr: true, only: ["c"] } },
    404,
    "constraint_filtered",
    "provider.zdr",
  ],
  "zdr alone": [
    { provider: { zdr: true, ignore: [] }, request: { model: "acme/c" } },
    404,
    "privacy_restricted",
    "provider.zdr",
  ],
  "price": [
    { provider: { max_price: { prompt: "0.5" } } },
    404,
    "constraint_filtered",
    "provider.max_price.prompt",
  ],
  "free": [{ request: { model: "acme/llama:free" } }, 404, "free_variant_ended", "model"],
  "length": [
    { request: { model: "acme/short", input: input({ type: "text", text: "word ".repeat(9_000) }) } },
    400,
    "constraint_filtered",
    "input",
  ],
};

const others = [
  endpointAt("c", { model: { id: "acme/c" } }),
  endpointAt("s", { model: { id: "acme/short", contextLength: 8_400 } }),
];

for (const [name, [{ provider, request }, status, code, field]] of Object.entries(refused)) {
  Deno.test(`route says why nobody may serve: ${name}`, async () => {
    const { send } = routing({ endpoints: [...endpoints, ...others] });
    const { error, called } = await send({ provider, ...request });
    assert(error instanceof ApiError);
    assert.equal(error.status, status);
    assert.deepEqual(called, []);
    const { availability = {} } = error.details;
    assert.equal(availability.code, code);
    assert.equal(availability.retryable, false);
    assert.equal(Object(availability.constraint).field, field);
    assert.equal(availability.docs_url, "/v1/models");
    assert(Array.isArray(availability.excluded_by) && availability.excluded_by.length > 0);
    assert(Array.isArray(availability.affected_providers) && availability.affected_providers.length > 0);
    if (name === "free") assert.deepEqual(availability.fallback_models, ["acme/llama"]);
  });
}

Deno.test("route sorts all models together with partition none, and each by itself otherwise", () => {
  const both = [...endpoints, endpointAt("z", { usd: 0.1, model: { id: "acme/other" } })];
  const { explain } = routing({ endpoints: both });
  const first = (provider: Provider) => {
    const explanation = explain(
      modelRequest({ model: "acme/llama", models: ["acme/other"], sessionId: "s", provider }),
    );
    return Object(explanation.order)[0].provider;
  };
  assert.equal(first({ sort: "price" }), c);
  assert.equal(first({ sort: { by: "price", partition: "none" } }), "z");
});

Deno.test("route gives free endpoints their share and not everything", () => {
  const { explain } = routing({
    endpoints: [endpointAt("free", { usd: 0 }), endpointAt("cheap", { endpoint: { pricing: priced(0.01) } })],
  });
  const { candidates } = Object(explain(modelRequest({ model: "acme/llama" })));
  assert.deepEqual(candidates.map(({ probability }: { probability: number }) => probability), [0.5, 0.5]);
});

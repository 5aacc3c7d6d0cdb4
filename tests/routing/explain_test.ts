/** Tests that explain says what happens. */

import assert from "node:assert/strict";
import type { ProviderPreferences } from "../../shared/fields/gateway_preferences.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import type { EndpointExplanation } from "../../server/pipeline/routing/explain_route.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { modelRequest } from "../support/requests.ts";
import { endpointAt, routing } from "./rig.ts";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";

interface Explanation {
  readonly exact: boolean;
  readonly attempts: number;
  readonly candidates: readonly EndpointExplanation[];
  readonly order: readonly { readonly model: string; readonly provider: string }[];
  readonly refusal: { readonly status: number; readonly availability: unknown } | null;
}

function asExplanation(answer: unknown): Explanation {
  return answer as Explanation;
}

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T | undefined =>
  list[Math.floor(random() * list.length)];
const some = <T>(random: Random, list: readonly T[]): T[] => list.filter(() => random() < 0.5);
const maybe = <T>(random: Random, make: () => T): T | undefined => random() < 0.3 ? make() : undefined;

const slugs = ["p0", "p1", "p2", "p3", "p4", "The p1", "P2", "base", "base/turbo"];

function preferences(random: Random): ProviderPreferences {
  return {
    order: maybe(random, () => some(random, slugs)),
    only: maybe(random, () => [...some(random, slugs), "p3"]),
    ignore: maybe(random, () => some(random, slugs).slice(0, 2)),
    allow_fallbacks: maybe(random, () => random() < 0.5),
    data_collection: maybe(random, () => random() < 0.5 ? "deny" : "allow"),
    zdr: maybe(random, () => random() < 0.3),
    quantizations: maybe(random, () => some(random, ["fp8", "unknown", "bf16"] as const)),
    sort: maybe(
      random,
      () =>
        random() < 0.5 ? pick(random, ["price", "throughput", "latency", "exacto"] as const) : {
          by: pick(random, ["price", "latency"] as const),
          partition: pick(random, ["model", "none"] as const),
        },
    ),
    preferred_max_latency: maybe(random, () => random()),
    preferred_min_throughput: maybe(random, () => ({ p50: random() * 100, p90: null })),
    max_price: maybe(random, () => ({ prompt: String((random() * 3).toFixed(2)), completion: random() * 3 })),
  };
}

function endpointsOf(random: Random) {
  const at = (slug: string, model: string) =>
    endpointAt(slug, {
      usd: random() < 0.2 ? null : random() * 2,
      model: { id: model },
      endpoint: {
        quantization: pick(random, ["fp8", "bf16", undefined]),
        dataPolicy: random() < 0.5 ? { training: random() < 0.5, zdr: random() < 0.5 } : undefined,
        scores: random() < 0.5 ? { exacto: random() } : undefined,
      },
    });
  return ["acme/llama", "acme/other"].flatMap((model) =>
    ["p0", "p1", "p2", "p3", "p4", "base", "base/turbo"].map((slug) => at(slug, model))
  );
}

Deno.test("explain with a session agrees with the call, over 1,000 random preferences", async () => {
  const random = seeded(seed).next;
  const endpoints = endpointsOf(random);
  const rig = routing({
    endpoints,
    attempts: 16,
    // Nobody answers, so everybody is asked who may be.
    at: (endpoint) => {
      throw new UpstreamError({
        endpoint,
        kind: "context_length",
        status: 400,
        message: "too long",
        endpointSpecific: true,
      });
    },
  });
  for (const { id } of endpoints) {
    if (random() < 0.7) rig.stats.recordLatency(id, random() * 1_000);
    if (random() < 0.7) rig.stats.recordThroughput(id, random() * 100);
  }
  for (const endpoint of [endpoints[2], endpoints[9]]) {
    assert(endpoint);
    rig.health.recordFailure({
      endpoint,
      kind: "upstream_failed",
      status: 401,
      message: "",
      endpointSpecific: false,
    });
  }
  let requested = 0;
  for (let at = 0; at < 1_000; at++) {
    const fields: Partial<ModelRequest> = {
      model: "acme/llama",
      models: random() < 0.5 ? ["acme/other"] : [],
      provider: preferences(random),
      sessionId: `session-${at}`,
    };
    const explanation = asExplanation(rig.explain(modelRequest(fields)));
    const { called } = await rig.send(fields);
    const real = called.map(({ model, provider }) => ({ model: model.id, provider: provider.id }));
    assert.deepEqual(explanation.order, real, JSON.stringify(fields.provider));
    assert.equal(explanation.exact, true);
    const considered = fields.models?.length === 0 ? 7 : 14;
    assert.equal(explanation.candidates.length, considered, "every endpoint is accounted for");
    requested += called.length;
  }
  assert(requested > 1_000, "most preferences leave somebody to ask");
});

Deno.test("explain tells probabilities that add up to one, or who was removed by what", () => {
  const random = seeded(seed).next;
  const { explain } = routing({ endpoints: endpointsOf(random) });
  for (let at = 0; at < 300; at++) {
    const explanation = asExplanation(
      explain(modelRequest({ model: "acme/llama", provider: preferences(random) })),
    );
    const sum = explanation.candidates.reduce((all, { probability }) => all + probability, 0);
    assert.equal(explanation.exact, false);
    if (explanation.order.length > 0) assert(Math.abs(sum - 1) < 1e-9);
    else assert.equal(explanation.refusal?.status ?? 0, 404);
    for (const one of explanation.candidates) {
      assert.equal(one.excluded_by === null, one.position !== null);
      if (one.excluded_by !== null) assert.equal(one.probability, 0);
    }
  }
});

Deno.test("explain tells of an unknown model what the call would be refused with", () => {
  const { explain } = routing({ endpoints: [] });
  const explanation = asExplanation(explain(modelRequest({ model: "acme/nothing" })));
  assert.deepEqual(explanation.candidates, []);
  assert.equal(explanation.refusal?.status, 404);
});

/** `openrouter/pareto-code` against brute force written apart, and `openrouter/free`. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { modelRequest } from "../support/requests.ts";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";
import type { Plugin } from "../../shared/responses/plugins.ts";
import { endpointAt, routing, type RoutingOptions } from "../routing/rig.ts";
import { type Evidence, noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";

type Settings = Pick<
  Extract<Plugin, { id: "pareto-router" }>,
  "max_price" | "min_coding_score" | "price_source"
>;

/** A field of 61 scores: models m00 to m20 of acme at every third place, and names that the catalog does not have. */
const place = (at: number): string =>
  at % 3 === 0 ? `acme/m${String(at / 3).padStart(2, "0")}` : `other${at}`;
const field = new Map(Array.from({ length: 61 }, (_, at) => [place(at), { value: at }]));
const coding = { scale: "Coding", source: "Bench", date: "2026-07-01", models: field };
const evidence: Evidence = { ...noEvidence, coding };

/** Percentile of m7 is 0.35, of m10 0.5, of m14 0.7, of m17 0.85. Prices fall while the scores rise, but for each fifth. */
const priceOf = (at: number): number => at % 5 === 0 ? 0.5 + at / 100 : 40 - at;
const endpoints = Array.from(
  { length: 21 },
  (_, at) =>
    endpointAt(`p${at}`, { usd: priceOf(at), model: { id: `acme/m${String(at).padStart(2, "0")}` } }),
);
const rig = (more: Partial<RoutingOptions> = {}) => routing({ endpoints, evidence, ...more });

const request = (settings: Settings, fields: Partial<ModelRequest> = {}) =>
  modelRequest({
    model: "openrouter/pareto-code",
    plugins: [{ id: "pareto-router", ...settings }],
    ...fields,
  });
const explained = (
  settings: Settings,
  more?: Partial<RoutingOptions>,
  fields?: Partial<ModelRequest>,
): Json => asObject(rig(more).explain(request(settings, fields)));
const orderOf = (explanation: Json): string =>
  asList(explanation.order).map((one) => String(asObject(one).model).slice("acme/".length)).join(" ");
const stageOf = (explanation: Json): Json => asObject(asList(explanation.routers)[0]);

Deno.test("a tier is a band of the whole field, and the cheapest of it comes first", () => {
  assert.equal(orderOf(explained({})), "m20 m19 m18");
  assert.equal(orderOf(explained({ min_coding_score: 0.66 })), "m20 m19 m18");
  assert.equal(orderOf(explained({ min_coding_score: 0.5 })), "m15 m16 m14");
  assert.equal(orderOf(explained({ min_coding_score: 0.1 })), "m10 m13 m12");
  assert.equal(
    orderOf(explained({ min_coding_score: 0.95 })),
    "m20 m19",
    "the very minimum, where any reaches it",
  );
  const stage = stageOf(explained({}));
  assert.deepEqual([stage.evidence, stage.field, stage.tier], ["scores", "61 models, 2026-07-01", "high"]);
});

Deno.test("an empty tier is replaced by the nearest one, and the stage says so", () => {
  const upTo = (most: number) => ({ endpoints: endpoints.slice(0, most) });
  assert.deepEqual(
    [17, 14, 10, 3].map((most) => {
      const explanation = explained({}, upTo(most));
      return [orderOf(explanation), stageOf(explanation).nearest_tier];
    }),
    [["m15 m16 m14", "medium"], ["m10 m13 m12", "low"], ["m00 m05 m09", "rest"], ["m00 m02 m01", "rest"]],
  );
});

Deno.test("under a cap the best comes first, then cheaper ones of the frontier, then others", () => {
  assert.equal(orderOf(explained({ max_price: 1 })), "m20 m15 m10");
  assert.equal(orderOf(explained({ max_price: 0.65, min_coding_score: 1 })), "m15 m10 m05");
  const { strategy, refusal } = explained({ max_price: 0.1 });
  const { status, message } = asObject(refusal);
  assert.deepEqual([strategy, status], ["pareto", 404]);
  assert.match(String(message), /max_price 0\.1 USD per million input tokens.* acme\/m00 at 0\.5 USD/);
});

Deno.test("a model without a price satisfies no cap, and a free one does", () => {
  const unknown = endpointAt("x", { usd: null, model: { id: "acme/m20" } });
  const free = endpointAt("y", { usd: 0, model: { id: "acme/m01" } });
  const cap = (max_price: number, list: RoutingOptions["endpoints"]) =>
    orderOf(explained({ max_price }, { endpoints: list }));
  assert.equal(cap(0, [unknown, free]), "m01");
  assert.equal(cap(1_000, [unknown]), "");
});

Deno.test("no endpoint above the cap is called", () => {
  const both = [endpointAt("dear", { usd: 9, model: { id: "acme/m20" } }), ...endpoints];
  const explanation = explained({ max_price: 1 }, { endpoints: both });
  assert.deepEqual(asList(explanation.order).map((one) => asObject(one).provider), ["p20", "p15", "p10"]);
});

Deno.test("weighted_avg reads what was paid, and the list price where there is no traffic", () => {
  const paid = { evidence: { ...evidence, paidInputPrices: new Map([["acme/m19", 0.2], ["acme/m20", 30]]) } };
  assert.equal(orderOf(explained({ price_source: "weighted_avg" }, paid)), "m19 m18 m17");
  assert.equal(orderOf(explained({ price_source: "prompt" }, paid)), "m20 m19 m18");
  const cap = { price_source: "weighted_avg", max_price: 0.3 } as const;
  assert.equal(orderOf(explained(cap, paid)), "m19", "its list price is above the cap");
  const { refusal } = explained({ ...cap, max_price: 0.1 }, paid);
  assert.match(String(asObject(refusal).message), /max_price 0\.1 .* acme\/m19 at 0\.2 USD/);
});

Deno.test(":nitro takes the fastest of the tier", async () => {
  const routes = rig();
  for (const [at, tokens] of [[18, 400], [19, 100], [17, 200]] as const) {
    for (let more = 0; more < 30; more++) routes.stats.recordThroughput(`p${at}|acme/m${at}`, tokens);
  }
  const { called } = await routes.send(request({}, { model: "service/pareto-code:nitro" }));
  assert.deepEqual(called.map(({ model }) => model.id), ["acme/m18"]);
});

Deno.test("without scores the router still answers and says on what evidence", () => {
  const none = explained({}, { evidence: noEvidence });
  assert.deepEqual([orderOf(none), stageOf(none).evidence], ["m00 m05 m10", "price"]);
  const listed = explained({}, { evidence: { ...noEvidence, defaultModels: ["acme/m07"] } });
  assert.deepEqual([orderOf(listed), stageOf(listed).evidence], ["m07 m00 m05", "default_models"]);
});

Deno.test("random fields and prices: the same as brute force", () => {
  const { next: random } = seeded(seed);
  for (let round = 0; round < 300; round++) {
    const models = Array.from({ length: 2 + Math.floor(random() * 12) }, (_, at) => ({
      id: `acme/r${at}`,
      usd: Math.round(random() * 8) / 2,
      score: random() < 0.2 ? undefined : Math.floor(random() * 10),
    }));
    const scores = new Map(
      models.flatMap(({ id, score }) => score === undefined ? [] : [[id, { value: score }] as const]),
    );
    for (let at = 0; at < 10; at++) scores.set(`x${at}`, { value: Math.floor(random() * 10) });
    const settings: Settings = random() < 0.5
      ? { max_price: Math.round(random() * 8) / 2 }
      : { min_coding_score: Math.round(random() * 100) / 100 };
    const made = explained(settings, {
      endpoints: models.map(({ id, usd }) => endpointAt(id.slice(5), { usd, model: { id } })),
      evidence: { ...noEvidence, coding: { ...coding, models: scores } },
    });
    assert.equal(orderOf(made), expected(models, { scores, settings }), `seed ${seed}, round ${round}`);
  }
});

interface Made {
  readonly id: string;
  readonly usd: number;
  readonly score: number | undefined;
}

/** The rules of the page, told without a look at the router. */
function expected(
  models: readonly Made[],
  { scores, settings }: {
    readonly scores: ReadonlyMap<string, { value: number }>;
    readonly settings: Settings;
  },
): string {
  const rivals = [...scores].map(([id, { value }]) => ({ id, value }));
  const isBelow = (one: { id: string; value: number }, { id, score = 0 }: Made) =>
    one.value < score || (one.value === score && one.id < id);
  const percentile = (model: Made) =>
    rivals.filter((one) => isBelow(one, model)).length / Math.max(1, rivals.length - 1);
  const known = models.filter(({ score }) => score !== undefined);
  const cheapest = (one: Made, other: Made) => one.usd - other.usd || percentile(other) - percentile(one);
  const names = (list: readonly Made[]) => list.slice(0, 3).map(({ id }) => id.slice(5)).join(" ");
  const { max_price: cap, min_coding_score: minimum } = settings;
  if (cap !== undefined && cap !== null) {
    const paid = models.filter(({ usd }) => usd <= cap);
    const rest = paid.filter(({ score }) => score === undefined)
      .sort((one, other) => one.usd - other.usd || (one.id < other.id ? -1 : 1));
    const best = paid.filter(({ score }) => score !== undefined).sort((one, other) =>
      (other.score ?? 0) - (one.score ?? 0) || one.usd - other.usd || (one.id < other.id ? -1 : 1)
    );
    const isOnFrontier = (model: Made, at: number) => best.slice(0, at).every(({ usd }) => usd > model.usd);
    const frontier = best.filter(isOnFrontier);
    return names([...frontier, ...best.filter((one) => !frontier.includes(one)), ...rest]);
  }
  if (known.length === 0) {
    return names(models.toSorted((one, other) => one.usd - other.usd || (one.id < other.id ? -1 : 1)));
  }
  const tiers = [[5 / 6, 2], [4 / 6, 5 / 6], [3 / 6, 4 / 6], [0, 3 / 6]] as const;
  const wanted = (minimum ?? 1) >= 0.66 ? 0 : (minimum ?? 1) >= 0.33 ? 1 : 2;
  const nearest = [0, 1, 2, 3].sort((one, other) =>
    Math.abs(one - wanted) - Math.abs(other - wanted) || one - other
  );
  for (const tier of nearest) {
    const [from = 0, to = 0] = tiers[tier] ?? [];
    const members = known.filter((one) => percentile(one) >= from && percentile(one) < to).sort(cheapest);
    if (members.length === 0) continue;
    const reaching = members.filter((one) => percentile(one) >= (minimum ?? 0));
    return names(reaching.length === 0 ? members : reaching);
  }
  return "";
}

Deno.test("openrouter/free draws one of the free models, and stays with it in a session", async () => {
  const list = [
    ...["a", "b", "c", "d"].map((id) => endpointAt(id, { usd: 0, model: { id: `acme/${id}` } })),
    endpointAt("paid", { usd: 1, model: { id: "acme/paid" } }),
  ];
  const routes = routing({ endpoints: list });
  const ask = async (fields: Partial<ModelRequest>) =>
    (await routes.send(modelRequest({ model: "openrouter/free", ...fields }))).called[0]?.model.id;
  const first = await ask({ sessionId: "s" });
  assert.equal(await ask({ sessionId: "s" }), first);
  const drawn = new Set<string | undefined>();
  for (let at = 0; at < 60; at++) drawn.add(await ask({ sessionId: `s${at}` }));
  assert.deepEqual([...drawn].toSorted(), ["acme/a", "acme/b", "acme/c", "acme/d"]);
  const explanation = asObject(routes.explain(modelRequest({ model: "openrouter/free" })));
  assert.equal(explanation.strategy, "free");
  assert.deepEqual(asList(explanation.candidates).slice(0, 4).map((one) => asObject(one).probability), [
    0.25,
    0.25,
    0.25,
    0.25,
  ]);
  const paid = routing({ endpoints: list.slice(4) }).explain(modelRequest({ model: "service/free" }));
  assert.equal(asObject(asObject(paid).refusal).status, 404);
  assert.match(String(asObject(asObject(paid).refusal).message), /No model that costs nothing/);
});

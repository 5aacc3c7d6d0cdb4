/** An alias of several models is what the same models are in a request's `models`: one mechanism, whatever is asked. */

import assert from "node:assert/strict";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { type Random, seeded } from "../fuzz/random.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { modelRequest } from "../support/requests.ts";
import { seed } from "../support/seed.ts";
import { endpointAt, type Routed, type Routing, routing } from "./rig.ts";

/** The last one has no endpoint. */
const ids = ["acme/a", "acme/b", "acme/c:free", "acme/d:floor", "acme/nothing"];
const base = (id: string) => id.replace(/:.*$/, "");

const endpoints = ids.slice(0, 4).flatMap((id, at) =>
  [0, 1, 2].map((usd) => endpointAt(`p${at}${usd}`, { usd: usd * at, model: { id: base(id) } }))
);

const preferences: readonly ModelRequest["provider"][] = [
  undefined,
  { allow_fallbacks: false },
  { sort: "price" },
  { sort: { by: "price", partition: "none" } },
  { order: ["p11", "p01"] },
  { ignore: ["p00", "p01", "p02"] },
  { max_price: { prompt: 0.5 } },
  { zdr: true },
];

/** Every endpoint fails but those of one model. */
const rig = (models: readonly string[], answering: string) =>
  routing({
    endpoints,
    aliases: { chain: models },
    attempts: 9,
    at: (endpoint) => {
      if (endpoint.model.id === answering) return undefined;
      throw new UpstreamError({
        endpoint,
        kind: "unavailable",
        status: 503,
        message: "",
        endpointSpecific: false,
      });
    },
  });

/** All that tells what became of a request, but for the names that it was asked by. */
function outcome({ called, record: { lastTurn }, events, error }: Routed) {
  const { strategy, candidates, skipped, routingParams } = lastTurn;
  return {
    called: called.map(({ id }) => id),
    strategy,
    candidates: candidates?.map(({ id }) => id),
    skipped: skipped?.map(({ endpoint, reason }) => [endpoint.id, reason]),
    params: routingParams?.(),
    events,
    status: asObject(error ?? {}).status,
  };
}

/** The request's field differs by which a filter names the model. */
function explanationOf({ explain }: Pick<Routing, "explain">, fields: Partial<ModelRequest>) {
  const { requested, refusal, candidates, ...rest } = explain(modelRequest(fields));
  const shown = asList(candidates).map((one) => ({ ...asObject(one), excluded_field: undefined }));
  return { requested, status: asObject(refusal ?? {}).status, explained: { shown, ...rest } };
}

const shuffled = ({ next }: Random): readonly string[] =>
  ids.map((id) => ({ id, by: next() })).toSorted((one, other) => one.by - other.by).map(({ id }) => id);

Deno.test("an alias of several models is routed and explained as the same models in a request", async () => {
  const random = seeded(seed);
  for (let run = 0; run < 60; run++) {
    const drawn = shuffled(random).slice(0, 2 + random.below(4));
    const answering = base(random.pick(ids));
    for (const provider of preferences) {
      const asked = { provider, sessionId: `s${run}` };
      const [named, aliased] = [rig(drawn, answering), rig(drawn, answering)];
      const byModels = await named.send({ ...asked, model: undefined, models: drawn });
      const byAlias = await aliased.send({ ...asked, model: "chain" });
      const words = `${drawn}; ${answering}; ${JSON.stringify(provider)}`;
      assert.deepEqual(outcome(byAlias), outcome(byModels), words);
      const one = explanationOf(aliased, { ...asked, model: "chain" });
      const other = explanationOf(named, { ...asked, model: undefined, models: drawn });
      assert.deepEqual(one.explained, other.explained, words);
      assert.deepEqual([one.requested, one.status], [["chain"], other.status], words);
    }
  }
});

Deno.test("an alias of more models than attempts is tried as far as they go, as those of a request are", async () => {
  const six = [0, 1, 2, 3, 4, 5].map((at) => `acme/m${at}`);
  for (let attempts = 1; attempts <= 8; attempts++) {
    const { send } = routing({
      endpoints: six.map((id, at) => endpointAt(`p${at}`, { model: { id } })),
      aliases: { wide: six },
      attempts,
      at: (endpoint) => {
        const failed = { kind: "unavailable", status: 503, message: "", endpointSpecific: false } as const;
        throw new UpstreamError({ endpoint, ...failed });
      },
    });
    const { called } = await send({ model: "wide" });
    assert.deepEqual(called.map(({ model }) => model.id), six.slice(0, attempts));
  }
});

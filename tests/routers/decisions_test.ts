/** Choices of `auto` over random catalogs, evidence and requests, against brute force, and in explain and call alike. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { macroOf, type TaskType } from "../../shared/task_types.ts";
import { classifyTask } from "../../server/pipeline/routing/tasks/classify_task.ts";
import type { Plugin } from "../../shared/responses/plugins.ts";
import type { CallerRules } from "../../server/pipeline/caller_rules.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { autoRouter } from "../../server/pipeline/routing/routers/auto_router.ts";
import { type Evidence, noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { endpointAt, routing } from "../routing/rig.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { assertProperty, runs } from "../support/property.ts";
import { shippedPresets } from "../../shared/fields/fusion.ts";
import { modelRequest } from "../support/requests.ts";
import { seed } from "../support/seed.ts";

type AutoRouter = Extract<Plugin, { id: "auto-router" }>;
type Settings = Partial<
  Pick<AutoRouter, "allowed_models" | "excluded_models" | "cost_tier" | "cost_quality_tradeoff">
>;

interface Made {
  readonly id: string;
  /** USD per million tokens; Infinity: no price. */
  readonly price: number;
}

const names = Array.from({ length: 12 }, (_, at) => `${at % 2 === 0 ? "acme" : "rival"}/m${at}`);
const price = fc.constantFrom(0, 0.5, 1, 1, 2, 3, 5, 8, 13, Infinity);
const models: fc.Arbitrary<readonly Made[]> = fc.subarray(names, { minLength: 1 }).chain((some) =>
  fc.tuple(...some.map((id) => price.map((usd) => ({ id, price: usd }))))
);

const patterns = fc.constantFrom<string[] | undefined>(undefined, [], ["acme/*"], ["*/m1*", "acme/m2"], [
  "rival/m3",
  "*m5",
], ["*"]);
const settings: fc.Arbitrary<Settings> = fc.record({
  allowed_models: patterns,
  excluded_models: fc.constantFrom<string[] | undefined>(undefined, undefined, [], ["*/m3"], [
    "acme/m1*",
    "acme/m0",
  ], ["*"]),
  cost_tier: fc.constantFrom(undefined, undefined, "low", "medium", "high", "xhigh", "max"),
  cost_quality_tradeoff: fc.option(fc.nat({ max: 10 }), { nil: undefined }),
});

/** The task of the requests that are planned below. */
const TASK: TaskType = classifyTask(modelRequest()) ?? "qa_knowledge";
const figures = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(0.1, 0.2, 0.2, 0.4), { maxKeys: 6 })
  .map((byModel) => new Map(Object.entries(byModel)));
const receipts = fc.record({
  votes: fc.constantFrom(19, 20, 500),
  keys: fc.constantFrom(2, 3),
  shares: figures,
  costs: fc.dictionary(fc.constantFrom(...names), fc.constantFrom(0, 0.001, 0.004, 0.02), { maxKeys: 5 }),
});
type Receipts = { readonly [K in "votes" | "keys"]: number } & {
  readonly shares: ReadonlyMap<string, number>;
  readonly costs: Readonly<Record<string, number>>;
};

interface MadeEvidence {
  readonly tag: Receipts | undefined;
  readonly macro: Receipts | undefined;
  readonly market: ReadonlyMap<string, number> | undefined;
  /** By the table that is preferred, and by another one of the same task. */
  readonly scores: ReadonlyMap<string, number> | undefined;
  readonly older: ReadonlyMap<string, number> | undefined;
  readonly defaults: readonly string[];
}
const evidence: fc.Arbitrary<MadeEvidence> = fc.record({
  tag: fc.option(receipts, { nil: undefined }),
  macro: fc.option(receipts, { nil: undefined }),
  market: fc.option(figures, { nil: undefined }),
  scores: fc.option(figures, { nil: undefined }),
  older: fc.option(figures, { nil: undefined }),
  defaults: fc.shuffledSubarray(names, { maxLength: 4 }),
});

const tableOf = ({ votes, keys, shares, costs }: Receipts) => ({
  votes,
  keys,
  models: new Map(
    names.filter((id) => shares.has(id) || Object.hasOwn(costs, id)).map((
      id,
    ) => [id, { share: shares.get(id) ?? 0, averageCost: costs[id] }]),
  ),
});

function evidenceOf({ tag, macro, market, scores, older, defaults }: MadeEvidence): Evidence {
  const tables = new Map();
  if (tag !== undefined) tables.set(TASK, tableOf(tag));
  if (macro !== undefined) tables.set(macroOf(TASK), tableOf(macro));
  const scales = [scores, older].flatMap((made) => {
    const models = new Map([...made ?? []].map(([id, value]) => [id, { value }]));
    return made === undefined ? [] : [{ scale: "Scale", source: "Bench", date: "2026-07-01", models }];
  });
  return {
    ...noEvidence,
    receipts: tables,
    market: market && { source: "Market", date: "2026-11-01", shares: new Map([[TASK, market]]) },
    scores: new Map(scales.length === 0 ? [] : [[TASK, scales]]),
    defaultModels: defaults,
  };
}

/** By steps, none of which the product's code has: each model is compared with each. */
interface BruteInput {
  readonly pool: readonly Made[];
  readonly made: MadeEvidence;
  readonly task: TaskType | undefined;
  readonly chosen: Settings;
}

function bruteForce({ pool, made, task, chosen }: BruteInput): readonly string[] {
  const named = pool.filter(({ id }) => isNamed(id, chosen));
  const ranks = firstRanks(named, { made, task });
  const isOpen = chosen.allowed_models === undefined || chosen.allowed_models?.length === 0;
  const known = named.filter(({ id }) => ranks.has(id));
  const field = isOpen && known.length > 0 ? known : named;
  const cost = costsOf(field, { made, task });
  const at = (id: string) => cost.get(id) ?? Infinity;
  const percentile = (id: string) =>
    field.length === 1 ? 0 : 100 * field.filter((other) => at(other.id) < at(id)).length / (field.length - 1);
  const inBand = bandTest(field.map(({ id }) => percentile(id)), chosen);
  return field.filter(({ id }) => inBand(percentile(id))).sort((one, other) =>
    (ranks.get(other.id) ?? -1) - (ranks.get(one.id) ?? -1) || sign(one.price, other.price) ||
    sign(one.id, other.id)
  ).map(({ id }) => id);
}

const sign = <T extends number | string>(one: T, other: T): number => one < other ? -1 : one > other ? 1 : 0;

/** The few patterns above, by hand. */
function isNamed(id: string, { allowed_models: allowed, excluded_models: excluded }: Settings): boolean {
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("/", "\\/")}$`).test(id);
  const inside = !allowed || allowed.length === 0 || allowed.some(fits);
  return inside && !(excluded ?? []).some(fits);
}

type Judged = Pick<BruteInput, "made" | "task">;

/** Figures of the first source that knows any of the models. */
function firstRanks(named: readonly Made[], { made, task }: Judged): ReadonlyMap<string, number> {
  const { tag, macro, market, defaults } = made;
  const scores = bothScores(made);
  const enough = (one: Receipts | undefined) =>
    one !== undefined && one.votes >= 20 && one.keys >= 3 ? sharesOf(one) : undefined;
  const byTask = task === undefined ? [] : [enough(tag), enough(macro), market, scores];
  const byDefault = new Map(defaults.map((id, place) => [id, 100 - place]));
  return [...byTask, byDefault].find((source) => named.some(({ id }) => source?.has(id))) ?? new Map();
}

/** No figure of the older table comes near those of the newer one. */
function bothScores({ scores, older }: MadeEvidence): ReadonlyMap<string, number> {
  const ahead = [...scores ?? []].map(([id, value]) => [id, value + 1e6] as const);
  return new Map([...older ?? [], ...ahead]);
}

const sharesOf = (one: Receipts): ReadonlyMap<string, number> =>
  new Map([...tableOf(one).models].map(([id, { share }]) => [id, share]));

function costsOf(field: readonly Made[], { made, task }: Judged): ReadonlyMap<string, number> {
  const average = (id: string) => {
    if (task === undefined) return undefined;
    return made.tag?.costs[id] ?? made.macro?.costs[id];
  };
  const ratios = field.flatMap(({ id, price: usd }) => {
    const mean = average(id) ?? 0;
    return mean > 0 && usd > 0 && usd < Infinity ? [mean / usd] : [];
  }).sort((one, other) => one - other);
  const ratio = ratios[Math.floor(ratios.length / 2)] ?? 0.002;
  return new Map(field.map(({ id, price: usd }) => [id, average(id) ?? usd * ratio]));
}

const tiers = ["low", "medium", "high", "xhigh", "max"];

function bandTest(all: readonly number[], chosen: Settings): (percentile: number) => boolean {
  const { cost_tier: tier, cost_quality_tradeoff: tradeoff } = chosen;
  if (!tier && tradeoff !== undefined && tradeoff !== null) return (one) => one <= 90 - 8 * tradeoff;
  const bandOf = (one: number) => one >= 80 ? 4 : one >= 60 ? 3 : one >= 40 ? 2 : one >= 20 ? 1 : 0;
  const wanted = tiers.indexOf(tier ?? "low");
  const tries = [0, -1, 1, -2, 2, -3, 3, -4, 4].map((step) => wanted + step);
  const band = tries.find((one) => all.some((percentile) => bandOf(percentile) === one));
  return (one) => bandOf(one) === band;
}

const poolOf = (pool: readonly Made[]) =>
  pool.map(({ id, price: usd }) => ({ id, created: 0, endpoints: [], price: usd, promptPrice: usd }));

Deno.test(`auto chooses as brute force does, seed ${seed}`, () => {
  const task = fc.constantFrom(undefined, TASK, TASK, TASK);
  const property = fc.property(models, settings, evidence, task, (pool, chosen, made, type) => {
    const rows = poolOf(pool);
    const { ranked } = autoRouter.choose({
      named: { slug: "auto", plugin: "auto-router", name: "openrouter/auto" },
      variants: new Set(),
      request: modelRequest(),
      settingsOf: settingsOf({ id: "auto-router", ...chosen }),
      task: type,
      evidence: evidenceOf(made),
      stats: routing({ endpoints: [] }).stats,
      pool: { models: rows, byId: new Map(rows.map((row) => [row.id, row])) },
      idOf: (name) => name,
      fusionPresets: shippedPresets,
    });
    assert.deepEqual(ranked, bruteForce({ pool, made, task: type, chosen }));
  });
  assertProperty(property, { numRuns: runs(1_000) });
});

/** A finder of one plugin's settings. */
const settingsOf = (plugin: Plugin) => (<Id extends Plugin["id"]>(id: Id) => {
  const isIt = (one: Plugin): one is Extract<Plugin, { readonly id: Id }> => one.id === id;
  return isIt(plugin) ? plugin : undefined;
});

const zdr = { training: false, zdr: true };
const policy = (ignoredModels: readonly string[]): CallerRules => ({
  byokKeys: [],
  policy: {
    allowedModels: [],
    ignoredModels,
    allowedProviders: [],
    ignoredProviders: [],
    zdr: new Set(),
    noPaidTraining: false,
    noFreeTraining: false,
    regions: [],
  },
});

const request: fc.Arbitrary<Partial<ModelRequest>> = fc.record({
  model: fc.constantFrom(
    "openrouter/auto",
    "service/auto",
    "openrouter/auto:floor",
    "acme/m0",
    "nobody/none",
  ),
  models: fc.constantFrom([], ["openrouter/auto"], ["rival/m1", "service/auto", "acme/m2"]),
  provider: fc.constantFrom(
    undefined,
    { zdr: true },
    { max_price: { prompt: 2 } },
    { ignore: ["even"] },
    { allow_fallbacks: false },
  ),
  sessionId: fc.constantFrom("one", "two"),
  plugins: settings.map((chosen): readonly Plugin[] => [{ id: "auto-router", ...chosen }]),
});

Deno.test(`a decision is the same in explain, in the call and again, seed ${seed}`, async () => {
  const ignored = fc.constantFrom([], ["rival/*"], ["acme/m4", "acme/m6"]);
  const property = fc.asyncProperty(
    models,
    request,
    evidence,
    ignored,
    async (pool, fields, made, out) => {
      const endpoints = pool.map(({ id, price: usd }, at) =>
        endpointAt(at % 2 === 0 ? "even" : "odd", {
          usd: usd === Infinity ? null : usd,
          model: { id },
          endpoint: { dataPolicy: at % 3 === 0 ? zdr : undefined },
        })
      );
      const same = { endpoints, evidence: evidenceOf(made), rules: policy(out) };
      const [rig, other] = [routing(same), routing(same)];
      const asked = modelRequest(fields);
      const told = asObject(rig.explain(asked));
      assert.deepEqual(told, rig.explain(modelRequest(fields)));
      assert.deepEqual(told, other.explain(asked));
      const { called, record, error } = await rig.send(fields);
      const order = asList(told.order).map((one) => asObject(one).model);
      assert.deepEqual(record.first.candidates.map(({ model }) => model.id), order);
      assert.deepEqual(called.map(({ model }) => model.id), order.slice(0, 1));
      assert.deepEqual(
        record.stages.filter(({ name }) => name === "auto-router").map(({ data }) => data),
        asList(told.routers ?? []).slice(0, 1),
      );
      if (error !== undefined) assert.equal(asObject(told.refusal).message, messageOf(error));
      for (const id of order) assertMayServe(String(id), { pool, fields, out });
    },
  );
  await assertProperty(property, { numRuns: runs(1_000) });
});

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error);

interface Served {
  readonly pool: readonly Made[];
  readonly fields: Partial<ModelRequest>;
  readonly out: readonly string[];
}

/** No filter of the request is passed by. */
function assertMayServe(id: string, { pool, fields: { provider }, out }: Served): void {
  const at = pool.findIndex((one) => one.id === id);
  assert(at !== -1 && !out.includes(id) && !(out[0] === "rival/*" && id.startsWith("rival/")), id);
  if (provider?.zdr === true) assert.equal(at % 3, 0, id);
  if (provider?.max_price) assert((pool[at]?.price ?? Infinity) <= 2, id);
  if (provider?.ignore) assert.equal(at % 2, 1, id);
}

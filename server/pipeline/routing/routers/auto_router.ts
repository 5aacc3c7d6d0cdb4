/**
 * The routers `auto` and `auto-beta`: the best models by the evidence for the task, in a band of what a generation
 * costs (docs/auto-routing.md).
 */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import { plainSpelling, versionless } from "../../../providers/model_spelling.ts";
import type { PluginOptions } from "../../plugins/plugin_use.ts";
import { matchesAny, type NamePatterns } from "../selection/glob.ts";
import { compileModelPatterns } from "../selection/model_patterns.ts";
import {
  ceilingOf,
  type CostTier,
  costTiers,
  type ModelCost,
  modelCosts,
  nearestTier,
  tierOf,
} from "./model_costs.ts";
import { identityOf, RecentMap } from "./identity.ts";
import type { ModelPool, PoolModel } from "./model_pool.ts";
import { type Ranking, rankModels } from "./rank_models.ts";
import type { Router, RouterChoice, RouterQuestion } from "./router.ts";

/** Settings of one of the two plugins. */
type AutoSettings = Partial<
  Pick<
    PluginOptions<"auto-beta-router">,
    "allowed_models" | "excluded_models" | "cost_tier" | "cost_quality_tradeoff"
  >
>;

const noSettings: AutoSettings = {};

export const autoRouter: Router = {
  strategy: "auto",
  choose: (question) => chooseModels(question.settingsOf("auto-router") ?? noSettings, question),
  readsTask: true,
  patterns: (settingsOf) => listsOf(settingsOf("auto-router")),
  pins: (settingsOf) => settingsOf("auto-router")?.pin_model === true,
};

/** The same without `pin_model`. */
export const autoBetaRouter: Router = {
  strategy: "auto",
  choose: (question) => chooseModels(question.settingsOf("auto-beta-router") ?? noSettings, question),
  readsTask: true,
  patterns: (settingsOf) => listsOf(settingsOf("auto-beta-router")),
};

const listsOf = ({ allowed_models: allowed, excluded_models: excluded }: AutoSettings = noSettings) =>
  [allowed, excluded].filter((list) => list !== null && list !== undefined);

const choices = new WeakMap<ModelPool, RecentMap<RouterChoice>>();

/** Most choices that are kept of one pool. */
const MOST_CHOICES = 32;

/** The choice of before, where pool, evidence and lists are those of before. */
function chooseModels(settings: AutoSettings, question: RouterQuestion): RouterChoice {
  const { pool, evidence, task } = question;
  const { allowed_models: allowed, excluded_models: excluded, cost_tier: tier } = settings;
  const known = choices.get(pool) ?? new RecentMap<RouterChoice>(MOST_CHOICES);
  choices.set(pool, known);
  const lists = [allowed, excluded].map((list) => identityOf(patternsOf(list)));
  const key = [identityOf(evidence), task, tier, settings.cost_quality_tradeoff, ...lists].join(" ");
  return known.get(key) ?? known.set(key, makeChoice(settings, question));
}

/** Models in the order of a ranking. */
type Ranked = Ranking["models"];

function makeChoice(settings: AutoSettings, question: RouterQuestion): RouterChoice {
  const { task, evidence } = question;
  const named = byPatterns(question.pool.models, settings);
  const candidates = named.map(({ id, price }) => ({ model: id, cost: price }));
  const ranking = rankModels(evidence, { task, candidates });
  const known = patternsOf(settings.allowed_models) === undefined
    ? ranking.models.filter(({ figure }) => figure !== undefined)
    : ranking.models;
  const ranked = known.length === 0 ? ranking.models : known;
  const ids = new Set(ranked.map(({ model }) => model));
  const costs = modelCosts(named.filter(({ id }) => ids.has(id)), { evidence, task });
  const { kept, data } = inBand(ranked, { costs, settings });
  const figures = new Map(ranking.models.map((one) => [one.model, one]));
  const allowed = new Set(named.map(({ id }) => id));
  return {
    ranked: kept.map(({ model }) => model),
    mayPin: (model) => allowed.has(model),
    describe: (model) => describe(figures.get(model), { ranking, cost: costs.get(model) }),
    data: {
      ...evidenceData(ranking),
      ...data,
      models: { may_serve: question.pool.models.length, allowed: named.length, ranked: ranked.length },
    },
  };
}

/** Undefined for an empty list, which says nothing. */
const patternsOf = (list: readonly string[] | null | undefined): NamePatterns | undefined =>
  list === null || list === undefined || list.length === 0 ? undefined : compileModelPatterns(list);

/** A model that is excluded is out, whatever is allowed; a version is excluded by its model's name as well. */
function byPatterns(
  models: readonly PoolModel[],
  { allowed_models: allowed, excluded_models: excluded }: AutoSettings,
): readonly PoolModel[] {
  const [inside, outside] = [patternsOf(allowed), patternsOf(excluded)];
  if (inside === undefined && outside === undefined) return models;
  return models.filter(({ id }) =>
    (inside === undefined || matchesAny(inside, [plainSpelling(id)])) &&
    (outside === undefined || !matchesAny(outside, [plainSpelling(id), versionless(id)]))
  );
}

interface Banding {
  readonly costs: ReadonlyMap<string, ModelCost>;
  readonly settings: AutoSettings;
}

interface Band {
  readonly kept: Ranked;
  readonly data: JsonObject;
}

/** The tier wins over the tradeoff; without either it is the lowest tier. */
function inBand(ranked: Ranked, { costs, settings }: Banding): Band {
  const { cost_tier: wanted, cost_quality_tradeoff: tradeoff } = settings;
  const bands = bandTable([...costs.values()]);
  if ((wanted === null || wanted === undefined) && tradeoff !== null && tradeoff !== undefined) {
    const ceiling = ceilingOf(tradeoff);
    const kept = ranked.filter(({ model }) => (costs.get(model)?.percentile ?? 100) <= ceiling);
    return { kept, data: { tradeoff, ceiling, bands } };
  }
  const tier = wanted ?? "low";
  const filled = new Set([...costs.values()].map(tierOf));
  const band = nearestTier(tier, filled);
  const kept = ranked.filter(({ model }) => tierAt(costs, model) === band);
  return { kept, data: { tier, ...(band === tier ? {} : { nearest_tier: band ?? null }), bands } };
}

function tierAt(costs: Banding["costs"], model: string): CostTier | undefined {
  const cost = costs.get(model);
  return cost && tierOf(cost);
}

/** Costs of the models of each tier, USD of a generation. */
function bandTable(costs: readonly ModelCost[]): readonly JsonObject[] {
  const byTier = Map.groupBy(costs, tierOf);
  return costTiers.flatMap((tier) => {
    const members = byTier.get(tier) ?? [];
    const [first, last] = [members[0], members.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [{ tier, models: members.length, from_usd: usd(first.cost), to_usd: usd(last.cost) }];
  });
}

/** Null: no price is known. */
const usd = (cost: number): number | null => Number.isFinite(cost) ? Number(cost.toPrecision(6)) : null;

const evidenceData = ({ source, task, cited }: Ranking): JsonObject =>
  omitUndefined({ evidence: source, evidence_task: task, cited });

interface Described {
  readonly ranking: Ranking;
  readonly cost: ModelCost | undefined;
}

function describe(figure: Ranked[number] | undefined, { ranking: { source }, cost }: Described): JsonObject {
  const word = source === "scores" ? "score" : "share";
  const isShown = source !== "default_models" && source !== "price";
  return omitUndefined({
    [word]: isShown ? figure?.figure : undefined,
    inferred_from: figure?.inferredFrom,
    is_old: figure?.isOld,
    cited: figure?.cited,
    cost_usd: cost && usd(cost.cost),
    cost_by: cost?.by,
    percentile: cost && Math.round(cost.percentile * 10) / 10,
    tier: cost && tierOf(cost),
  });
}

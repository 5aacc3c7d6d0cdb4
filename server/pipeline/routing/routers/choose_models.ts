/** Puts the models that routers choose in the place of their slugs, before the endpoints of a request are filtered. */

import type { ApiError } from "../../../../shared/errors.ts";
import { type FusionPresets, shippedPresets } from "../../../../shared/fields/fusion.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { PluginId } from "../../../../shared/responses/plugins.ts";
import type { TaskType } from "../../../../shared/task_types.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { plainSpelling } from "../../../providers/model_spelling.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { EndpointStats } from "../health/endpoint_stats.ts";
import { findEndpoints, type ModelNameDeps, type RequestedModel } from "../selection/model_names.ts";
import type { RequestRequirements } from "../selection/request_requirements.ts";
import type { Restrictions } from "../selection/select_endpoints.ts";
import type { Evidence } from "./evidence.ts";
import { type ModelPool, modelPool } from "./model_pool.ts";
import { routers } from "./mod.ts";
import { reachedModels } from "./reached_models.ts";
import { type PatternDeps, preparePatterns } from "./prepare_patterns.ts";
import type { RouterChoice, RouterQuestion } from "./router.ts";
import { settingsFinder } from "./router_settings.ts";
import type { NamedRouter, RouterStrategy } from "./router_slugs.ts";
import { taskOf } from "./task_of.ts";
import { type RoutedSessions, sessionKey } from "./routed_sessions.ts";

/** The parts of the gateway that routers choose by. */
export interface RouterDeps extends PatternDeps {
  /** Panels of fusion; absent: those that ship. */
  readonly fusionPresets?: FusionPresets;
  /** The evidence of now: the same value until it is made anew. */
  readonly evidence: () => Evidence;
  readonly sessions: RoutedSessions;
  /** The model that is asked for the task of a request before it is planned; `local`: none. */
  readonly classifier: string;
  readonly stats: EndpointStats;
  readonly limits: { readonly attempts: number };
}

type ChoosingDeps = RouterDeps & ModelNameDeps;

/** The choice of one router for one request. */
export interface RouterDecision {
  /** The slug as it was named. */
  readonly router: string;
  readonly strategy: RouterStrategy;
  /** The plugin whose settings it has read; null: it has none. */
  readonly plugin: PluginId | null;
  /** Name of its stage in the metadata. */
  readonly stage: string;
  /** Ids of the chosen models, the first choice in front; empty where none may serve. */
  readonly models: readonly string[];
  readonly task: TaskType | undefined;
  /** For the stage in the routing metadata, and for explain. */
  readonly data: JsonObject;
  /** Where the model that answers is remembered. */
  readonly session: string;
  readonly refusal?: ApiError;
}

interface RoutedRequest extends Restrictions {
  readonly models: readonly RequestedModel[];
  readonly request: ModelRequest;
  readonly demand: RequestRequirements;
  /** The caller's; empty where nobody calls. */
  readonly workspaceId: string;
  /** The model of an earlier turn of the same request. */
  readonly turnModel: string | undefined;
}

interface ChosenModels {
  readonly models: readonly RequestedModel[];
  readonly decisions: readonly RouterDecision[];
}

/** Routers of one request that are asked: no request makes more calls, and each decision takes a moment. */
const MOST_DECISIONS = 4;

/** Models that were named stay where they are. A router that finds none stays as a model that nobody serves. */
export function chooseModels(deps: ChoosingDeps, routed: RoutedRequest): ChosenModels {
  const decisions: RouterDecision[] = [];
  const chosen: RequestedModel[] = [];
  let position = 0;
  for (const model of routed.models) {
    const { router } = model;
    if (router === undefined || decisions.length === MOST_DECISIONS) {
      chosen.push({ ...model, position: position++ });
      continue;
    }
    const { decision, endpointsOf } = decide(deps, { ...routed, named: { ...model, router } });
    decisions.push(decision);
    if (decision.models.length === 0) chosen.push({ ...model, position: position++ });
    const isDraw = routers[router.slug].isDraw === true;
    for (const [at, name] of decision.models.entries()) {
      const place = isDraw ? position : position + at;
      chosen.push({ ...model, name, endpoints: endpointsOf(name), position: place });
    }
    position += decision.models.length;
  }
  return { models: chosen, decisions };
}

/** Makes ready what would take long in the choice. At once where nothing would. */
export function prepareModels(
  deps: PatternDeps,
  { models, request, rules }: Pick<RoutedRequest, "models" | "request" | "rules">,
): void | Promise<void> {
  const named = models.flatMap(({ router }) => router === undefined ? [] : routers[router.slug]);
  if (named.length === 0) return;
  const settingsOf = settingsFinder(request, rules?.defaults?.plugins);
  const listings = reachedModels(deps.listings, rules);
  return preparePatterns(
    { ...deps, listings },
    named.flatMap((router) => router.patterns?.(settingsOf) ?? []),
  );
}

interface Named extends RoutedRequest {
  readonly named: RequestedModel & { readonly router: NamedRouter };
}

interface Decided {
  readonly decision: RouterDecision;
  /** Endpoints of a chosen model, as far as the settings allow them. */
  readonly endpointsOf: (model: string) => readonly Endpoint[];
}

/** Models of which one is drawn. */
const MOST_DRAWN = 64;

function decide(deps: ChoosingDeps, routed: Named): Decided {
  const { named, request, workspaceId, turnModel, rules } = routed;
  const { slug, plugin, name } = named.router;
  const router = routers[slug];
  const settingsOf = settingsFinder(request, rules?.defaults?.plugins);
  const task = taskOf(request);
  const pool = modelPool(reachedModels(deps.listings, rules), routed);
  const [{ variants }, { stats }, evidence] = [named, deps, deps.evidence()];
  const asked = { named: named.router, variants, request, settingsOf, task, evidence, stats, pool };
  const { fusionPresets = shippedPresets } = deps;
  const choice = router.choose({ ...asked, idOf: idFinder(deps, pool), fusionPresets });
  const session = sessionKey({ workspaceId, slug, request });
  const kept = router.isDraw === true ? undefined : keptModel(choice, {
    turn: turnModel,
    pinned: router.pins?.(settingsOf) === true ? modelNamed(request.answeredBy, pool) : undefined,
    remembered: deps.sessions.modelOf(session),
  });
  const most = router.isDraw ? MOST_DRAWN : deps.limits.attempts;
  const models = inFront(kept?.model, choice.ranked).slice(0, most);
  const data = {
    ...omitUndefined({
      task_type: task,
      classified_by: router.readsTask === true ? classifierOf(deps, request) : undefined,
      router: name,
      ...choice.data,
      kept_by: kept?.by,
    }),
    candidates: models.map((model) => ({ model, ...choice.describe(model) })),
  };
  const [{ strategy }, stage, { refusal }] = [router, plugin ?? slug, choice];
  const decision = { router: name, strategy, plugin, stage, models, task, data, session, refusal };
  return { decision, endpointsOf: endpointsFinder(pool, choice) };
}

/** Undefined where no model is ever asked: that is `local`, as where one could not tell. */
const classifierOf = ({ classifier }: RouterDeps, { task }: ModelRequest): string | undefined =>
  classifier === "local" ? undefined : task === undefined ? "local" : classifier;

const idFinder = (deps: ChoosingDeps, { byId }: ModelPool): RouterQuestion["idOf"] => (name) =>
  findEndpoints(deps, name).map(({ model }) => model.id).find((id) => byId.has(id));

function endpointsFinder({ byId }: ModelPool, { mayServe }: RouterChoice): Decided["endpointsOf"] {
  return (model) => {
    const endpoints = byId.get(model)?.endpoints ?? [];
    return mayServe === undefined ? endpoints : endpoints.filter(mayServe);
  };
}

interface Earlier {
  readonly turn: string | undefined;
  readonly pinned: string | undefined;
  readonly remembered: string | undefined;
}

interface KeptModel {
  readonly model: string;
  readonly by: "turn" | "pin_model" | "session";
}

/** A pinned model may be any that could be chosen; a remembered one is among those that are left now. */
function keptModel(choice: RouterChoice, { turn, pinned, remembered }: Earlier): KeptModel | undefined {
  if (turn !== undefined && choice.mayPin(turn)) return { model: turn, by: "turn" };
  if (pinned !== undefined && choice.mayPin(pinned)) return { model: pinned, by: "pin_model" };
  return remembered !== undefined && choice.ranked.includes(remembered)
    ? { model: remembered, by: "session" }
    : undefined;
}

/** The id of a model of the pool, in any spelling. */
function modelNamed(name: string | undefined, { models }: ModelPool): string | undefined {
  if (name === undefined) return undefined;
  const plain = plainSpelling(name);
  return models.find(({ id }) => id === name || plainSpelling(id) === plain)?.id;
}

const inFront = (model: string | undefined, ranked: readonly string[]): readonly string[] =>
  model === undefined ? ranked : [model, ...ranked.filter((one) => one !== model)];

/** The most that a request's calls reserve, for POST /v1/route/explain: each as the call itself does. Calls nobody. */

import type { BillingContext, ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { OutputDefaults } from "../../../billing/pricing/reservation_request.ts";
import type { ModelRequest, Tool } from "../../../protocols/canonical/request.ts";
import { addUsd, type NanoUsd, toUsdNumber, ZERO } from "../../../../shared/money.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { Clock } from "../../../runtime.ts";
import type { CallerRules } from "../../caller_rules.ts";
import { fittedRequest } from "../../compression/fit_request.ts";
import type { Caller } from "../../request_context.ts";
import { type ModelFinder, modelFinder } from "../../routing/find_models.ts";
import type { RoutePlanDeps } from "../../routing/route_plan.ts";
import { UpstreamError } from "../../routing/upstream_error.ts";
import { modelsOf } from "../../tools/fusion/fusion.ts";
import { longestRun } from "../../tools/fusion/longest_run.ts";
import type { ToolDeps } from "../../tools/tool_definition.ts";
import { longestText } from "../../tools/longest_text.ts";
import { type PlannedTool, planTools } from "../../tools/tool_plan.ts";
import { questionOfTask } from "../classify_task.ts";
import { prepareCall } from "../prepare_call.ts";
import type { RenderDeps } from "../render_provider_request.ts";
import type { SpeechRenderDeps } from "../speech/render_speech.ts";
import { requestForCandidate } from "./candidate_request.ts";

interface ExplainCostsDeps extends RoutePlanDeps, RenderDeps, SpeechRenderDeps {
  readonly clock: Clock;
  readonly limits: RoutePlanDeps["limits"] & OutputDefaults;
  readonly toolDeps: ToolDeps;
}

interface Costing {
  readonly request: ModelRequest;
  readonly caller: Caller;
  readonly billing: BillingContext;
  readonly rules: CallerRules | undefined;
}

interface EndpointCall extends Pick<Costing, "caller" | "billing"> {
  /** As the endpoint gets it. */
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
}

/** Undefined for an endpoint that a call would pass over, since its wire cannot say what was asked. */
export function reservationAt(
  deps: ExplainCostsDeps,
  { request, endpoint, caller, billing }: EndpointCall,
): ReservationRequest | undefined {
  try {
    return prepareCall(deps, { context: { request, caller }, endpoint, billing }).reservation;
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}

/** Undefined: nobody has stated a price. */
export const mostOf = (
  { costBound, requestedMaxTokens, defaultMaxTokens }: ReservationRequest,
): NanoUsd | undefined => costBound?.total(requestedMaxTokens ?? defaultMaxTokens);

/** Cost bound of the call that asks a model for the task; zero where none is asked, or what it costs is not known. */
export async function classifierCost(deps: ExplainCostsDeps, input: Costing): Promise<NanoUsd> {
  const question = questionOfTask(deps, input);
  if (question === undefined) return ZERO;
  return await costOf(deps, { ...input, request: question, finder: finderFor(deps, input) }) ?? ZERO;
}

interface FusionCosting extends Costing {
  /** The model that is called first. */
  readonly model: string;
  readonly fusion: PlannedTool;
  /** Its tools. */
  readonly offered: readonly Tool[];
  /** Reserved for the call of that model, and bought before. */
  readonly outer: NanoUsd;
}

/** Cost bounds of the calls of a run of fusion; undefined where the model is not offered the tool. */
export async function fusionCosts(
  deps: ExplainCostsDeps,
  { fusion: { name, settings }, model, offered, outer, ...input }: FusionCosting,
): Promise<JsonObject | undefined> {
  if (!offered.some((tool) => tool.type === "function" && tool.name === name)) return undefined;
  const { request, rules } = input;
  const finder = finderFor(deps, input);
  const run = modelsOf({ settings, deps: deps.toolDeps, request, finder, model, defaults: rules?.defaults });
  const { panel, analyst } = longestRun({ request, ...run });
  const costs: (readonly [model: string, cost: NanoUsd | undefined])[] = [];
  for (const { model: { id }, request: asked } of [...panel, analyst]) {
    costs.push([id, await costOf(deps, { ...input, request: asked, finder })]);
  }
  const told = costs.map(([id, cost]) => ({
    model: id,
    reserved_usd: cost === undefined ? null : toUsdNumber(cost),
  }));
  const whole = costs.reduce((sum, [, cost = ZERO]) => addUsd(sum, cost), outer);
  return { panel: told.slice(0, -1), analyst: told.at(-1), worst_case_usd: toUsdNumber(whole) };
}

interface RunCosting extends Costing {
  /** The endpoint that is called first, and the tokens that it may write. */
  readonly endpoint: Endpoint;
  readonly maxTokens: number | undefined;
  /** Tools that start runs of advisors and subagents. */
  readonly runs: readonly PlannedTool[];
  /** Its tools. */
  readonly offered: readonly Tool[];
}

/** Cost bound of the first call of a run of each tool, when the model that starts it says as much as it may. */
export async function runCosts(
  deps: ExplainCostsDeps,
  { runs, offered, endpoint, maxTokens, ...input }: RunCosting,
): Promise<readonly JsonObject[]> {
  const finder = finderFor(deps, input);
  const words = longestText(endpoint, maxTokens);
  const told: JsonObject[] = [];
  for (const { definition, name, settings } of runs) {
    if (!offered.some((tool) => tool.type === "function" && tool.name === name)) continue;
    const call = { settings, request: input.request, model: endpoint.model.id, words, name };
    const run = definition.nestedRun?.(call);
    if (run === undefined) continue;
    const cost = await costOf(deps, { ...input, request: run.request, finder });
    told.push({
      tool: name,
      model: run.request.model ?? null,
      reserved_usd: cost === undefined ? null : toUsdNumber(cost),
      most_runs: run.most,
    });
  }
  return told;
}

const finderFor = (deps: ExplainCostsDeps, { rules }: Pick<Costing, "rules">): ModelFinder =>
  modelFinder(deps, { generation: "", rules });

/** Cost bound of the first call of a request that the gateway makes itself; undefined where nobody knows. */
async function costOf(
  deps: ExplainCostsDeps,
  { request, finder, caller, billing }: Costing & { readonly finder: ModelFinder },
): Promise<NanoUsd | undefined> {
  const limited = billing.limits.length > 0;
  const whole = planTools(request, { deps: deps.toolDeps, limited })?.request ?? request;
  const candidate = finder.find(whole);
  if (candidate === undefined) return undefined;
  const { endpoint } = candidate.profile;
  const asked = requestForCandidate(whole, candidate).request;
  const fitted = await fittedRequest(deps, { request: asked, endpoint }) ?? asked;
  const reservation = reservationAt(deps, { request: fitted, endpoint, caller, billing });
  return reservation && mostOf(reservation);
}

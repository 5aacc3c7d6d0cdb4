/**
 * API errors of requests that no endpoint may serve, with all that the caller can act on (specification,
 * Availability detail).
 */

import { truncateStart } from "../../../shared/util/text.ts";
import { ApiError, type ApiErrorKind } from "../../../shared/errors.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { listMembers } from "../../providers/model_aliases.ts";
import type { Exclusion, ExclusionReason } from "./selection/exclusion.ts";
import type { RequestRequirements } from "./selection/request_requirements.ts";
import type { RoutePlan } from "./route_plan.ts";
import type { RouterDecision } from "./routers/choose_models.ts";
import { COMPRESSION_ADVICE, contextCounts } from "../compression/too_long.ts";
import { MODELS_PATH } from "./upstream_error.ts";
import { type RequestedModel, requestedNames, stripVariants } from "./selection/model_names.ts";

const NAMES = 5;
const NAME_CHARS = 100;

export const listedModelNames = (models: readonly RequestedModel[]): readonly string[] =>
  requestedNames(models).slice(0, NAMES).map((name) => truncateStart(name, NAME_CHARS));

export const listedProviderNames = (endpoints: readonly Endpoint[]): readonly string[] => [
  ...new Set(endpoints.map(({ provider }) => provider.name)),
];

/** Says what the aliases of a refused request stand for, which not all callers know; begins with a blank, or is empty. */
export const aliasSentences = (models: readonly RequestedModel[]): string =>
  describeAliases(models).map((alias) => ` ${alias}.`).join("");

/** `The alias "fast" stands for acme/llama` */
function describeAliases(models: readonly RequestedModel[]): readonly string[] {
  const byAlias = Map.groupBy(models.filter(({ alias }) => alias !== undefined), ({ alias = "" }) => alias);
  return [...byAlias].slice(0, NAMES).map(([alias, members]) => {
    const listed = new Set(members.flatMap(({ listed }) => listed ?? []));
    return `The alias "${truncateStart(alias, NAME_CHARS)}" stands for ${listMembers([...listed])}`;
  });
}

function unknownModelError(models: readonly RequestedModel[], hint?: string): ApiError {
  const names = listedModelNames(models);
  const plain = listedModelNames(models.filter(({ alias }) => alias === undefined));
  const quoted = plain.map((name) => `"${name}"`).join(", ");
  const problems = [
    ...(plain.length === 0 ? [] : [`No model named ${quoted} is configured here.`]),
    ...describeAliases(models).map((alias) => `${alias}: no such model is configured here.`),
  ];
  const advice = hint === undefined ? "" : ` ${hint}`;
  const message = `${problems.join(" ")}${advice} GET /v1/models lists those that are.`;
  return new ApiError("not_found", message, {
    metadata: { path: fieldOf(models) },
    availability: {
      code: "model_not_found",
      retryable: false,
      requested_models: names,
      affected_providers: null,
      docs_url: MODELS_PATH,
    },
  });
}

/** No model is left that the routers of a request may choose. */
function noRoutedModelError({ models, decisions, hint }: RoutedModels): ApiError {
  const refusal = decisions.find((one) => one.refusal !== undefined)?.refusal;
  const aliases = aliasSentences(models);
  if (refusal !== undefined) {
    return aliases === "" ? refusal : new ApiError(refusal.kind, refusal.message + aliases, refusal.details);
  }
  const more = hint === undefined ? aliases : `${aliases} ${hint}`;
  const message = `No models match your request and model restrictions${more === "" ? "" : `.${more}`}`;
  return new ApiError("not_found", message, {
    metadata: { path: fieldOf(models) },
    availability: {
      code: "constraint_filtered",
      retryable: false,
      requested_models: listedModelNames(models),
      affected_providers: null,
      docs_url: MODELS_PATH,
    },
  });
}

/** The error of a plan without candidates. */
export function noCandidatesError(plan: RoutePlan): ApiError {
  if (plan.excluded.length > 0) return allExcludedError(plan);
  return plan.decisions.length > 0 ? noRoutedModelError(plan) : unknownModelError(plan.models, plan.hint);
}

interface RoutedModels {
  readonly models: readonly RequestedModel[];
  readonly decisions: readonly RouterDecision[];
  readonly hint?: string;
}

/** Field that an error names: the one that names all models, else their list. */
const fieldOf = ([first, ...others]: readonly RequestedModel[]): string =>
  first === undefined || others.some(({ field }) => field !== first.field) ? "models" : first.field;

interface ExcludedInput {
  readonly models: readonly RequestedModel[];
  readonly excluded: readonly Exclusion[];
  readonly requirements: Pick<RequestRequirements, "likelyTokens">;
}

/** Every endpoint was excluded. The API error names the last filter that any of them reached. */
function allExcludedError({ models, excluded, requirements }: ExcludedInput): ApiError {
  const reasons = [...new Set(excluded.map(({ reason }) => reason))];
  const main = mainOf(excluded);
  const providers = listedProviderNames(excluded.map(({ endpoint }) => endpoint));
  const detail = main === undefined ? "" : ` ${main.endpoint.provider.name} ${main.detail}.`;
  const kind = kindOf(reasons);
  const isLong = kind === "context_length";
  const advice = isLong ? ` ${COMPRESSION_ADVICE}` : "";
  const message = `No endpoint of ${listedModelNames(models).join(", ")} may serve this request.${
    aliasSentences(models)
  }${detail}${advice}`;
  const counts = isLong ? contextCounts(main?.endpoint, requirements) : {};
  return new ApiError(kind, message, {
    metadata: main === undefined ? undefined : { path: main.field, ...counts },
    availability: {
      code: codeOf(reasons),
      retryable: false,
      requested_models: listedModelNames(models),
      affected_providers: providers,
      excluded_by: reasons,
      fallback_models: fallbacksOf(models, excluded),
      ...(main === undefined ? {} : { constraint: { field: main.field, detail: main.detail } }),
      docs_url: MODELS_PATH,
    },
  });
}

/** The endpoint that came furthest failed for the reason that the caller should hear of. */
function mainOf(excluded: readonly Exclusion[]): Exclusion | undefined {
  const furthest = [...order.keys()].findLast((by) => excluded.some((one) => one.reason === by));
  return excluded.find(({ reason }) => reason === furthest) ?? excluded[0];
}

const order: ReadonlyMap<ExclusionReason, ApiErrorKind> = new Map<ExclusionReason, ApiErrorKind>([
  ["byok_required", "not_found"],
  ["self_test", "not_found"],
  ["allowed_models", "not_found"],
  ["ignored_models", "not_found"],
  ["data_region", "not_found"],
  ["allowed_providers", "not_found"],
  ["ignored_providers", "not_found"],
  ["free_variant", "not_found"],
  ["data_policy:training", "not_found"],
  ["data_policy:zdr", "not_found"],
  ["distillable", "not_found"],
  ["quantization", "not_found"],
  ["max_price", "not_found"],
  ["modality", "not_found"],
  ["tool_kind", "not_found"],
  ["tool_choice", "invalid_request"],
  ["require_parameters", "not_found"],
  ["context_length", "context_length"],
  ["compaction", "invalid_request"],
]);

/**
 * A request that is itself at fault, whichever endpoint is called, is a 400; a preference that none fulfils is a 404.
 */
function kindOf(reasons: readonly ExclusionReason[]): ApiErrorKind {
  // Only the client can mend a conversation whose compaction no allowed endpoint can read.
  if (reasons.includes("compaction")) return "invalid_request";
  const [only] = reasons;
  return reasons.length === 1 && only !== undefined ? order.get(only) ?? "not_found" : "not_found";
}

function codeOf(reasons: readonly ExclusionReason[]): string {
  if (reasons.every((by) => by === "data_region" || by.startsWith("data_policy:"))) {
    return "privacy_restricted";
  }
  if (reasons.every((by) => by === "free_variant")) return "free_variant_ended";
  return "constraint_filtered";
}

/** Names without `:free` of the models that have no free endpoint. */
function fallbacksOf(
  models: readonly RequestedModel[],
  excluded: readonly Exclusion[],
): readonly string[] {
  if (!excluded.some(({ reason }) => reason === "free_variant")) return [];
  return models.filter(({ variants }) => variants.has("free")).map(({ name }) => stripVariants(name)).slice(
    0,
    NAMES,
  );
}

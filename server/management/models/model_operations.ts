/** `GET /models?workspace_id=`: the models of a workspace, for managers. */

import type { ManagedModel, modelApi, ModelEndpoint } from "../../../shared/management/gateway/models.ts";
import type { OperationOutput } from "../../../shared/management/operation.ts";
import { queryUsage } from "../../billing/ledger/usage/usage_query.ts";
import { timeSpans } from "../../billing/ledger/usage/usage_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import { findWorkspace } from "../workspaces/workspace_lookup.ts";
import type { SeenEndpoint, SeenModel } from "./model_source.ts";

type Api = typeof modelApi;
type ModelDeps = Pick<ManagementDeps, "store" | "runtime" | "ledger" | "modelId" | "models">;

const DEFAULT_LIMIT = 500;

export function modelOperations(deps: ModelDeps): OperationHandlers<Api> {
  return { "models.list": (input) => listModels(deps, input) };
}

async function listModels(
  deps: ModelDeps,
  { query: { workspace_id, q, offset = 0, limit = DEFAULT_LIMIT } }: OperationInput<Api["models.list"]>,
): Promise<OperationOutput<Api["models.list"]>> {
  await findWorkspace(deps.store, workspace_id);
  const all = await deps.models.modelsOf(workspace_id);
  const found = all.filter(({ model }) => mentions(model, q));
  const page = found.slice(offset, offset + limit);
  const served = page.length === 0 ? new Map<string, ServedRequests>() : await readServed(deps);
  const now = deps.runtime.clock.now();
  return {
    data: page.map((seen) => serializeModel(seen, { now, served })),
    total_count: found.length,
  };
}

function mentions({ id, name }: SeenModel["model"], q: string | undefined): boolean {
  if (q === undefined) return true;
  const text = `${id}\n${name}`.toLowerCase();
  return q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

interface ServedRequests {
  readonly requests: number;
  readonly failed: number;
}

/** Sums name providers as receipts do. */
const servedKey = (model: string, provider: string): string => `${model}\0${provider}`;

/** Requests of the last day by model and provider, without those that were refused. */
async function readServed({ store, ledger, runtime, modelId }: ModelDeps) {
  await ledger.caughtUp();
  const to = runtime.clock.now() + 1;
  const { groups } = await queryUsage(store, {
    from: to - timeSpans.day,
    to,
    grain: "hour",
    by: ["model", "provider", "status"],
    modelId,
    maxRows: Infinity,
  });
  const served = new Map<string, ServedRequests>();
  for (const { values: [model = "", provider = "", status], totals, failed } of groups) {
    if (status === "refused") continue;
    const key = servedKey(model, provider);
    const known = served.get(key) ?? { requests: 0, failed: 0 };
    served.set(key, { requests: known.requests + totals.requests, failed: known.failed + failed });
  }
  return served;
}

interface ModelContext {
  /** Ms since the epoch. */
  readonly now: number;
  readonly served: ReadonlyMap<string, ServedRequests>;
}

function serializeModel({ model, endpoints }: SeenModel, context: ModelContext): ManagedModel {
  const first = endpoints.find(({ refusal }) => refusal === undefined);
  const { id, name, description = null, created, contextLength } = model;
  return {
    id,
    name,
    description,
    created,
    context_length: contextLength,
    input_modalities: [...model.inputModalities],
    output_modalities: [...model.outputModalities],
    supported_parameters: [...model.supportedParameters],
    supported_voices: [...new Set(endpoints.flatMap(({ endpoint }) => endpoint.speech?.voices ?? []))],
    allowed: first !== undefined,
    ...pricesOf(first ?? endpoints[0]),
    endpoints: endpoints.map((endpoint) => serializeEndpoint(endpoint, context)),
  };
}

function pricesOf(seen: SeenEndpoint | undefined) {
  return {
    pricing: seen?.pricing ?? {},
    unpriced: seen?.endpoint.pricing === null,
    price_source: seen?.priceSource ?? null,
  };
}

function serializeEndpoint(seen: SeenEndpoint, { now, served }: ModelContext): ModelEndpoint {
  const { endpoint, refusal, standing, restsForSeconds, reason, p50Ms, tokensPerSecond } = seen;
  const { id, provider, upstreamModel, maxOutputTokens, quantization = null, region = null } = endpoint;
  const { requests, failed } = served.get(servedKey(endpoint.model.id, provider.name)) ??
    { requests: 0, failed: 0 };
  return {
    endpoint_id: id,
    provider: provider.id,
    provider_name: provider.name,
    upstream_model: upstreamModel,
    is_byok: endpoint.byok === true,
    allowed: refusal === undefined,
    reason: refusal ?? null,
    ...pricesOf(seen),
    max_output_tokens: maxOutputTokens,
    quantization,
    region,
    standing,
    rests_until: restsForSeconds === undefined ? null : new Date(now + restsForSeconds * 1_000).toISOString(),
    last_failure: reason ?? null,
    p50_ms: toTenths(p50Ms),
    tokens_per_second: toTenths(tokensPerSecond),
    uptime_last_1d: requests === 0 ? null : toTenths(100 * (requests - failed) / requests),
    requests_1d: requests,
  };
}

/** Further digits mean nothing. */
const toTenths = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value * 10) / 10;

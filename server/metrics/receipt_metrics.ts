/** Counts receipts as they are written: what the metrics say of requests and money is what the ledger has. */

import type { Receipt, ReceiptCall } from "../../shared/receipts.ts";
import type { CatalogLabels } from "./catalog_labels.ts";
import { genAiOperation, genAiProviderName } from "./gen_ai_series.ts";
import type { MetricRegistry, Trace } from "./registry.ts";
import type { TraceNotes } from "./trace_notes.ts";

const TOOL = "tool:";

interface ReceiptMetricsDeps {
  readonly registry: MetricRegistry;
  readonly labels: CatalogLabels;
  /** Absent where no request is traced. */
  readonly traces?: TraceNotes;
}

type Counted = ReceiptMetricsDeps & { readonly receipt: Receipt; readonly trace: Trace | undefined };

/** A call of a model, as the receipt has it, or the whole request where that was one call. */
type CallFacts = Pick<Receipt, "model" | "provider"> & { readonly ms: number; readonly error?: string };

/** A listener of the ledger's: neither throws nor waits. */
export function receiptCounter(deps: ReceiptMetricsDeps): (receipt: Receipt) => void {
  return (receipt) => {
    const counted = { ...deps, receipt, trace: traceOf(deps, receipt) };
    countRequest(counted);
    countMoney(counted);
    countTokens(counted);
    countAttempts(counted);
    for (const call of callsOf(receipt)) countCall(counted, call);
    for (const call of receipt.calls ?? []) countTool(counted, call);
    for (const { action, count } of receipt.guardrails ?? []) {
      deps.registry.at("guardrailMatches", { action }).add(count);
    }
  };
}

function traceOf({ traces }: ReceiptMetricsDeps, { id: generation, ended_at }: Receipt): Trace | undefined {
  const id = traces?.take(generation);
  return id === undefined ? undefined : { id, at: Date.parse(ended_at) / 1_000 };
}

function countRequest({ registry, receipt, trace }: Counted): void {
  const { api, status, error, stands_for: count = 1, total_ms, unpriced } = receipt;
  registry.at("requests", { api, status }).add(count);
  if (error !== null) registry.at("failures", { kind: error.kind }).add(count);
  if (unpriced) registry.at("unpriced").add();
  if (receipt.response_cache_source_id !== undefined) registry.at("cacheHits", { api }).add();
  registry.at("requestDuration", { api }).observe(total_ms / 1_000, trace);
}

/** Each call's cost at its own model; what no call has, at the one that answered. */
function countMoney({ registry, labels, receipt }: Counted): void {
  const add = ({ model, provider, cost }: Pick<ReceiptCall, "model" | "provider" | "cost">) => {
    const own = { provider: labels.provider(provider), model: labels.model(model) };
    if (cost !== 0) registry.at("cost", own).add(cost);
  };
  const { calls = [], cost, model, provider } = receipt;
  for (const call of calls) add(call);
  add({ model, provider, cost: calls.reduce((left, call) => left - call.cost, cost) });
  registry.at("upstreamCost").add(receipt.upstream_cost);
  registry.at("overrun").add(receipt.overrun);
}

function countTokens({ registry, labels, receipt: { api, usage, model, provider } }: Counted): void {
  if (Object.keys(usage).length === 0) return;
  const { input_tokens = 0, output_tokens = 0, cached_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const id = labels.provider(provider);
  const own = { provider: id, model: labels.model(model) };
  const byType = {
    input: input_tokens,
    output: output_tokens,
    cached_input: cached_tokens,
    cache_creation_input: cache_write_tokens,
    reasoning: reasoning_tokens,
  };
  for (const [type, count = 0] of Object.entries(byType)) {
    if (count > 0) registry.at("tokens", { ...own, type }).add(count);
  }
  const call = genAiLabels({ api, provider: id, model: own.model });
  registry.at("callTokens", { ...call, gen_ai_token_type: "input" }).observe(input_tokens);
  registry.at("callTokens", { ...call, gen_ai_token_type: "output" }).observe(output_tokens);
  registry.at("callInput", call).observe(input_tokens);
  registry.at("callOutput", call).observe(output_tokens);
  registry.at("usageInput", call).add(input_tokens);
  registry.at("usageOutput", call).add(output_tokens);
  registry.at("usageCacheRead", call).add(cached_tokens);
  registry.at("usageCacheWrite", call).add(cache_write_tokens);
  registry.at("usageReasoning", call).add(reasoning_tokens);
}

function countAttempts({ registry, labels, receipt: { attempts } }: Counted): void {
  let hasFailed = false;
  for (const { provider, code, status } of attempts) {
    const isAnswered = code === undefined && status < 400;
    const outcome = isAnswered ? "answered" : "failed";
    registry.at("attempts", { provider: labels.provider(provider), outcome }).add();
    if (hasFailed) registry.at("fallbacks", { outcome: "tried" }).add();
    if (hasFailed && isAnswered) registry.at("fallbacks", { outcome: "won" }).add();
    hasFailed = !isAnswered;
  }
}

/** Calls of models: of a request that made one, the request itself. */
function callsOf(receipt: Receipt): readonly CallFacts[] {
  const { calls, model, provider, error, total_ms } = receipt;
  if (calls === undefined) {
    return model === null || receipt.response_cache_source_id !== undefined
      ? []
      : [{ model, provider, ms: total_ms, error: error?.kind }];
  }
  return calls.filter((call) => call.model !== null).map((call) => ({
    model: call.model,
    provider: call.provider,
    ms: call.latency_ms,
    error: call.status === "failed" ? error?.kind ?? "upstream_failed" : undefined,
  }));
}

function countCall(
  { registry, labels, receipt, trace }: Counted,
  { model, provider, ms, error }: CallFacts,
): void {
  const { api, streamed, latency_ms: firstMs, calls } = receipt;
  const call = genAiLabels({ api, provider: labels.provider(provider), model: labels.model(model) });
  registry.at("callDuration", { ...call, error_type: error }).observe(ms / 1_000, trace);
  const hasFirst = streamed && firstMs !== null && calls === undefined;
  if (hasFirst) registry.at("callFirstChunk", call).observe(firstMs / 1_000, trace);
}

function countTool({ registry }: Counted, { purpose, status, count = 1 }: ReceiptCall): void {
  if (!purpose.startsWith(TOOL)) return;
  registry.at("toolCalls", { tool: purpose.slice(TOOL.length), status }).add(count);
}

interface BoundedCall {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
}

const genAiLabels = ({ api, provider, model }: BoundedCall) => ({
  gen_ai_operation_name: genAiOperation(api),
  gen_ai_provider_name: genAiProviderName(provider),
  gen_ai_request_model: model,
});

/**
 * Receipts as the operations show them: money in USD, and in the words of other gateways (specification, Credits,
 * generations, activity, analytics).
 */

import type { Generation, ReceiptRecord } from "../../../shared/management/receipts.ts";
import {
  exactCost,
  formatUnitPrice,
  MoneyError,
  parseUnitPrice,
  toNanoUsd,
  toUsdNumber,
} from "../../../shared/money.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { ChargeLine, Receipt } from "../../../shared/receipts.ts";

/** Kinds of API as the specification names them; every other is that of completions. */
const apiTypes: ReadonlyMap<string, Generation["api_type"]> = new Map([
  ["speech", "tts"],
  ["embeddings", "embeddings"],
]);

const usd = (nano: number): number => toUsdNumber(toNanoUsd(nano));
const usdOrNull = (nano: number | null): number | null => nano === null ? null : usd(nano);

export function serializeReceipt(receipt: Receipt): ReceiptRecord {
  return {
    ...receipt,
    reserved: usd(receipt.reserved),
    cost: usd(receipt.cost),
    upstream_cost: usd(receipt.upstream_cost),
    input_cost: usd(receipt.input_cost),
    output_cost: usd(receipt.output_cost),
    server_tool_cost: usd(receipt.server_tool_cost),
    reported_cost: usdOrNull(receipt.reported_cost),
    cache_discount: usdOrNull(receipt.cache_discount),
    overrun: usd(receipt.overrun),
    calls: callsOf(receipt),
  };
}

export function serializeGeneration(receipt: Receipt): Generation {
  const { id, created_at, provider, upstream_id, is_byok, streamed, finish_reason, status } = receipt;
  return {
    id,
    api_type: apiTypes.get(receipt.api) ?? "completions",
    created_at,
    model: receipt.model ?? receipt.requested_model ?? "",
    provider_name: provider,
    upstream_id,
    origin: receipt.http_referer ?? "",
    router: receipt.router ?? null,
    usage: usd(receipt.cost),
    total_cost: usd(receipt.cost),
    // Models only: `server_tool_cost` has what tools and plugins have bought.
    upstream_inference_cost: usd(receipt.upstream_cost - receipt.server_tool_cost),
    cache_discount: usdOrNull(receipt.cache_discount),
    is_byok,
    streamed,
    cancelled: status === "cancelled",
    finish_reason,
    native_finish_reason: null,
    ...timesOf(receipt),
    ...countsOf(receipt),
    ...originOf(receipt),
    provider_responses: receipt.attempts.map(responseOf),
    ...billOf(receipt),
  };
}

function timesOf(receipt: Receipt) {
  const { latency_ms, total_ms } = receipt;
  const [moderation] = callsFor(receipt, ["plugin:moderation"]);
  return {
    latency: latency_ms,
    moderation_latency: moderation?.latency_ms ?? null,
    generation_time: total_ms,
  };
}

/** Calls of server tools and plugins, as far as the receipt names them one by one. */
const callsFor = ({ calls = [] }: Receipt, purposes: readonly string[]) =>
  calls.filter(({ purpose }) => purposes.includes(purpose));

const SEARCHES = ["tool:web_search", "plugin:web"];

/** Null where nothing was counted at all, so that a refused request does not look like one of the cache. */
function countsOf(receipt: Receipt) {
  const { usage, response_cache_source_id: cached } = receipt;
  const counted = Object.keys(usage).length > 0 || cached !== undefined;
  const count = (name: string) => counted ? ownValue(usage, name) ?? 0 : null;
  const some = (name: string) => ownValue(usage, name) ?? null;
  return {
    tokens_prompt: count("input_tokens"),
    tokens_completion: count("output_tokens"),
    native_tokens_prompt: count("input_tokens"),
    native_tokens_completion: count("output_tokens"),
    native_tokens_completion_images: some("output_image_tokens"),
    native_tokens_reasoning: count("reasoning_tokens"),
    native_tokens_cached: count("cached_tokens"),
    num_media_prompt: some("input_images"),
    num_media_completion: some("output_images"),
    num_input_audio_prompt: null,
    num_search_results: some("search_results") ?? (callsFor(receipt, SEARCHES).length === 0 ? null : 0),
    num_fetches: callsFor(receipt, ["tool:web_fetch", "plugin:web-fetch"]).length || null,
  };
}

function originOf(receipt: Receipt) {
  const { http_referer, user_agent, external_user, service_tier, workspace_id, request_id } = receipt;
  return {
    app_id: null,
    http_referer,
    user_agent,
    external_user,
    service_tier,
    data_region: "global",
    web_search_engine: callsFor(receipt, SEARCHES).find(({ provider }) => provider !== null)?.provider ??
      null,
    preset_id: receipt.preset?.id ?? null,
    workspace_id,
    request_id,
    session_id: receipt.session_id,
    response_cache_source_id: receipt.response_cache_source_id ?? null,
  } as const;
}

function responseOf(
  { status, provider, endpoint_id, latency_ms, is_byok, model }: Receipt["attempts"][number],
) {
  return {
    status: status === 0 ? null : status,
    provider_name: provider,
    endpoint_id,
    latency: latency_ms,
    is_byok,
    model_permaslug: model,
  };
}

function billOf(receipt: Receipt) {
  const { status, ended_at, requested_model, error, price_source, unpriced, estimated, attempts } = receipt;
  return {
    status,
    ended_at,
    requested_model,
    error,
    lines: receipt.lines.map((line) => ({ ...line, cost: costOf(line) })),
    price_source,
    unpriced,
    unpriced_tier: receipt.unpriced_tier === true,
    estimated,
    reserved: usd(receipt.reserved),
    settled: usd(receipt.cost),
    overrun: usd(receipt.overrun),
    input_cost: usd(receipt.input_cost),
    output_cost: usd(receipt.output_cost),
    server_tool_cost: usd(receipt.server_tool_cost),
    reported_cost: usdOrNull(receipt.reported_cost),
    output_cap: receipt.output_cap,
    attempts,
    calls: callsOf(receipt),
    route_input: receipt.route_input,
    guardrails: receipt.guardrails,
    task: receipt.task ?? null,
    tags: receipt.tags ?? [],
    preset: receipt.preset ?? null,
    app_title: receipt.app_title,
    user: receipt.user,
    trace: receipt.trace,
  };
}

const callsOf = ({ calls }: Receipt): ReceiptRecord["calls"] =>
  calls?.map((call) => ({ ...call, cost: usd(call.cost) }));

/** A surcharge below zero, or a fraction of a unit, has no exact product: it is told as a number. */
function costOf({ quantity, unit_price }: ChargeLine): string {
  try {
    return formatUnitPrice(exactCost({ quantity, price: parseUnitPrice(unit_price) }));
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    return String(quantity * Number(unit_price));
  }
}

/**
 * Fills a store with receipts: `fill_receipts.ts <folder> <count> <keys> <seconds>` closes so many requests of the
 * keys of fill_keys.ts over the last 30 days, through the ledger of the product and for at most so long, and prints
 * what it made as JSON. Few keys spend much and many little, as keys do.
 */

import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import type { BillingContext, Ledger, LedgerTransaction } from "../../server/billing/ledger/core/ledger.ts";
import { createProjectionParts } from "../../server/billing/ledger/projection/projection_parts.ts";
import { INSTALLATION_ID, installationCollection } from "../../server/management/core/installation.ts";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { createLogger } from "../../server/logger.ts";
import { readConfig } from "../../server/config/config.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { createClock, createRuntime } from "../../server/runtime.ts";
import { toNanoUsd } from "../../shared/money.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { keyText } from "./bench_keys.ts";
import type { FillReceiptsResult } from "./job.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Requests under way at a time, at most: commits hold groups of them. Few receipts come in a group an hour. */
const AT_ONCE = 400;
const GROUPS = DAYS * 24;
/** Receipts of a group begin within this time: the index rests on it that those of its rows end within a minute. */
const GROUP_MS = 30_000;
const PATIENCE_MS = 60_000;

interface Served {
  readonly model: string;
  readonly provider: string;
  /** Nano-USD a token. */
  readonly input: number;
  readonly output: number;
}

/** As many models as a gateway of a company has, the busiest first. */
const served: readonly Served[] = [
  { model: "openai/gpt-5.5", provider: "openai", input: 1_250, output: 10_000 },
  { model: "anthropic/claude-sonnet-5", provider: "anthropic", input: 3_000, output: 15_000 },
  { model: "google/gemini-3.5-flash", provider: "google-ai-studio", input: 300, output: 2_500 },
  { model: "openai/gpt-5.5-mini", provider: "openai", input: 250, output: 2_000 },
  { model: "anthropic/claude-haiku-5", provider: "anthropic", input: 1_000, output: 5_000 },
  { model: "deepseek/deepseek-v4", provider: "deepseek", input: 270, output: 1_100 },
  { model: "mistralai/mistral-large-3", provider: "mistral", input: 2_000, output: 6_000 },
  { model: "meta-llama/llama-5-70b", provider: "groq", input: 590, output: 790 },
];

/** Numbers between 0 and 1, the same in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Errors of failed requests. */
const failures = [
  { kind: "unavailable", status: 503, message: "The provider is overloaded." },
  { kind: "upstream_timeout", status: 524, message: "The provider did not answer in time." },
  { kind: "rate_limited", status: 429, message: "The provider's limit of requests is reached." },
] as const;

/** People whom requests are made for, as clients name them. */
const USERS = 2_000;

interface Filling {
  readonly ledger: Ledger;
  readonly workspaceId: string;
  readonly keyHashes: readonly string[];
  readonly random: () => number;
}

interface Call extends Served {
  readonly id: string;
  readonly at: number;
  readonly keyHash: string;
  readonly workspaceId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly latencyMs: number;
  readonly failure: typeof failures[number] | undefined;
  readonly user: string;
}

function drawCall({ workspaceId, keyHashes, random }: Filling, { id, at }: Pick<Call, "id" | "at">): Call {
  const pick = <T>(list: readonly T[], skew: number): T => {
    const found = list[Math.floor(list.length * random() ** skew)];
    if (found === undefined) throw new Error("There is nothing to choose from");
    return found;
  };
  return {
    ...pick(served, 2),
    id,
    at,
    keyHash: pick(keyHashes, 6),
    workspaceId,
    inputTokens: Math.ceil(200 + 6_000 * random() ** 3),
    outputTokens: Math.ceil(20 + 1_500 * random() ** 2),
    latencyMs: Math.round(250 + 1_500 * random() ** 3),
    failure: random() < 0.008 ? pick(failures, 2) : undefined,
    user: `person-${Math.floor(USERS * random())}@example.com`,
  };
}

function receiptOf(call: Call, transaction: LedgerTransaction): Receipt {
  const { at, failure, model, provider, latencyMs, inputTokens, outputTokens, input, output } = call;
  const failed = failure !== undefined;
  const totalMs = latencyMs + outputTokens * 12;
  const { cost } = transaction.settled;
  const endpointId = `${provider}|${model}|${model}`;
  return {
    id: call.id,
    request_id: `req-${call.id}`,
    api: "responses",
    key_hash: call.keyHash,
    workspace_id: call.workspaceId,
    status: failed ? "failed" : "completed",
    created_at: new Date(at).toISOString(),
    ended_at: new Date(at + totalMs).toISOString(),
    streamed: true,
    requested_model: model,
    model,
    provider,
    endpoint_id: endpointId,
    upstream_id: null,
    finish_reason: failed ? null : "stop",
    error: failure ?? null,
    attempts: [{
      endpoint_id: endpointId,
      model,
      provider,
      status: failure?.status ?? 200,
      latency_ms: latencyMs,
      is_byok: false,
    }],
    usage: failed ? {} : { input_tokens: inputTokens, output_tokens: outputTokens },
    estimated: false,
    lines: [],
    price_source: null,
    unpriced: false,
    reserved: transaction.reserved,
    cost,
    upstream_cost: cost,
    input_cost: failed ? 0 : inputTokens * input,
    output_cost: failed ? 0 : outputTokens * output,
    server_tool_cost: 0,
    reported_cost: null,
    cache_discount: null,
    overrun: 0,
    is_byok: false,
    output_cap: null,
    service_tier: null,
    latency_ms: latencyMs,
    total_ms: totalMs,
    user: call.user,
    session_id: null,
    external_user: null,
    http_referer: null,
    app_title: null,
    user_agent: null,
    trace: null,
  };
}

function billingOf({ keyHash, workspaceId }: Call): BillingContext {
  return { scopes: [`key:${keyHash}`, `workspace:${workspaceId}`, "account"], limits: [] };
}

/** Reserves, settles and closes one request, as the stages do. */
async function serve(ledger: Ledger, call: Call): Promise<void> {
  const { id, at, keyHash, workspaceId, model, provider } = call;
  const cost = toNanoUsd(call.failure ? 0 : call.inputTokens * call.input + call.outputTokens * call.output);
  const billing = billingOf(call);
  const transaction = ledger.openTransaction({
    id,
    requestId: `req-${id}`,
    keyHash,
    workspaceId,
    billing,
    at,
  });
  const reservation = await transaction.reserve({
    costBound: {
      total: () => cost,
      maxTokensWithin: () => call.outputTokens,
      inputCost: toNanoUsd(call.inputTokens * call.input),
    },
    requestedMaxTokens: undefined,
    defaultMaxTokens: call.outputTokens,
    byok: false,
    endpoint: { id: `${provider}|${model}|${model}`, model, provider },
  });
  reservation.settle({ cost, byok: toNanoUsd(0) });
  await transaction.close(receiptOf(call, transaction));
}

interface Amount {
  readonly count: number;
  /** Monotonic ms. */
  readonly until: number;
}

/** How many receipts were made, the oldest first. */
async function fill(filling: Filling, { count, until }: Amount): Promise<number> {
  const now = Date.now();
  const atOnce = Math.min(AT_ONCE, Math.ceil(count / GROUPS));
  let made = 0;
  while (made < count && performance.now() < until) {
    const ago = Math.round(DAYS * DAY_MS * (1 - made / count));
    const group = Array.from({ length: Math.min(atOnce, count - made) }, (_, nth) => {
      const at = now - ago + Math.floor(GROUP_MS * filling.random());
      return drawCall(filling, { id: `gen-seed-${made + nth}`, at });
    });
    await Promise.all(group.map((call) => serve(filling.ledger, call)));
    // A row of the index has nothing of another group.
    await filling.ledger.caughtUp();
    made += group.length;
  }
  return made;
}

if (import.meta.main) {
  const [folder = "", count = "0", keys = "1", seconds = "60"] = Deno.args;
  const from = performance.now();
  const clock = createClock();
  const runtime = createRuntime(
    createLogger({ level: "error", format: "json", now: clock.now, write: console.error }),
  );
  const store = await openEmbedded(folder, { runtime, deadlineMs: PATIENCE_MS });
  const { limits } = readConfig(
    { env: () => undefined, readFile: () => "", terminal: false },
    providerSettings,
  );
  const ledger = await openLedger({
    store,
    runtime,
    projectionParts: createProjectionParts(runtime),
    isShared: false,
    limits: { ...limits, closeMs: PATIENCE_MS, failMs: PATIENCE_MS },
  });
  try {
    const installed = await installationCollection(store).get(INSTALLATION_ID);
    const receipts = await fill({
      ledger,
      workspaceId: installed?.record.workspace_id ?? "",
      keyHashes: Array.from({ length: Number(keys) }, (_, at) => hashKey(keyText(at))),
      random: seeded(21),
    }, { count: Number(count), until: from + Number(seconds) * 1_000 });
    const result: FillReceiptsResult = { receipts, seconds: (performance.now() - from) / 1_000 };
    console.log(JSON.stringify(result));
  } finally {
    await ledger.close();
    await store.close();
  }
}

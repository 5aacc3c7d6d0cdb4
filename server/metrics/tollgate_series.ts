/**
 * Every series that GET /metrics serves, as data: what is not listed here cannot be counted. A label has a closed list
 * of values, or is bound by the catalog (`model`, `provider`): no caller chooses one.
 */

import { alertKinds, alertOutcomes } from "../../shared/management/alerts.ts";
import { deliveryOutcomes, destinationTypes } from "../../shared/observability/records.ts";
import { apiErrorKinds, operationStatuses } from "../../shared/errors.ts";
import { serviceItemKinds } from "../../shared/fields/service_tool_names.ts";
import { filterOutcomes } from "../../shared/guardrails.ts";
import { endpointStandings } from "../../shared/management/status.ts";
import { receiptStatuses } from "../../shared/receipts.ts";
import type { Series } from "./series_row.ts";

export const errorKinds: readonly string[] = Object.keys(apiErrorKinds);
const apis = ["responses", "chat", "messages", "speech", "embeddings"] as const;
const reasons = ["loop_lag", "memory"] as const;

/** Kinds of tokens, as receipts count them. */
const tokenTypes = ["input", "output", "cached_input", "cache_creation_input", "reasoning"] as const;

/** Upper bounds of times of calls. */
export const secondsOfCalls: readonly number[] = Array.from({ length: 14 }, (_, at) => 0.01 * 2 ** at);
const short = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5];
const namedLimit = {
  subject: ["key", "workspace"],
  id: "record",
  interval: ["daily", "weekly", "monthly", "lifetime"],
} as const;
const served = { provider: "provider", model: "model" } as const;

const histogram = { type: "histogram" } as const;

export const tollgateSeries = {
  requests: {
    name: "tollgate_requests",
    type: "counter",
    help: "Requests for models by API and end: one for each that a receipt tells of.",
    labels: { api: apis, status: receiptStatuses },
  },
  failures: {
    name: "tollgate_request_failures",
    type: "counter",
    help: "Requests for models that ended with an error, by its kind.",
    labels: { kind: errorKinds },
  },
  cacheHits: {
    name: "tollgate_response_cache_hits",
    type: "counter",
    help: "Requests for models that the response cache has answered, by API.",
    labels: { api: apis },
  },
  requestsInFlight: {
    name: "tollgate_requests_in_flight",
    type: "gauge",
    help: "Requests for models that are under way.",
    labels: {},
  },
  requestDuration: {
    ...histogram,
    name: "tollgate_request_duration_seconds",
    help: "Time of requests for models, from their arrival to the end of their answer.",
    labels: { api: apis },
    unit: "seconds",
    buckets: secondsOfCalls,
  },
  httpRequests: {
    name: "tollgate_http_requests",
    type: "counter",
    help: "Replies by operation and class of status.",
    labels: {
      operation: Object.keys(operationStatuses),
      code: ["1xx", "2xx", "3xx", "4xx", "5xx"],
    },
  },
  ownDuration: {
    ...histogram,
    name: "tollgate_own_duration_seconds",
    help: "The gateway's own share of the time until the replies of models begin.",
    labels: {},
    unit: "seconds",
    buckets: short,
  },
  upstreamDuration: {
    ...histogram,
    name: "tollgate_upstream_duration_seconds",
    help: "Time that requests have waited for providers until the replies of models begin.",
    labels: {},
    unit: "seconds",
    buckets: secondsOfCalls,
  },
  cost: {
    name: "tollgate_cost_usd",
    type: "counter",
    help: "What requests are charged, in USD. Exact to the nano-dollar.",
    labels: served,
    unit: "usd",
    isMoney: true,
  },
  upstreamCost: {
    name: "tollgate_upstream_cost_usd",
    type: "counter",
    help: "What requests cost at their providers, in USD, also on the keys of workspaces.",
    labels: {},
    unit: "usd",
    isMoney: true,
  },
  overrun: {
    name: "tollgate_overrun_usd",
    type: "counter",
    help: "What providers took beyond their own caps, in USD: the only way past a limit.",
    labels: {},
    unit: "usd",
    isMoney: true,
  },
  unpriced: {
    name: "tollgate_unpriced_requests",
    type: "counter",
    help: "Requests of which something has no known price.",
    labels: {},
  },
  tokens: {
    name: "tollgate_tokens",
    type: "counter",
    help: "Tokens by kind. Cached, cache-creation and reasoning tokens are among the input and output too.",
    labels: { ...served, type: tokenTypes },
  },
  attempts: {
    name: "tollgate_upstream_attempts",
    type: "counter",
    help: "Attempts at endpoints, the first hundred of a request, by whether an answer began.",
    labels: { provider: "provider", outcome: ["answered", "failed"] },
  },
  fallbacks: {
    name: "tollgate_fallbacks",
    type: "counter",
    help: "Attempts that followed a failed one, and those of them that were answered.",
    labels: { outcome: ["tried", "won"] },
  },
  toolCalls: {
    name: "tollgate_tool_calls",
    type: "counter",
    help: "Calls of server tools.",
    labels: { tool: serviceItemKinds, status: ["completed", "incomplete", "failed", "cancelled"] },
  },
  guardrailMatches: {
    name: "tollgate_guardrail_matches",
    type: "counter",
    help: "Matches of the content filters of guardrails.",
    labels: { action: filterOutcomes },
  },
  endpoints: {
    name: "tollgate_endpoints",
    type: "gauge",
    help: "Endpoints that were called since the start, by how they stand.",
    labels: { standing: endpointStandings },
  },
  endpointState: {
    name: "tollgate_endpoint_state",
    type: "gauge",
    help:
      "How an endpoint stands: 0 well, 1 resting or on probation, 2 misconfigured. The worst where it has several keys.",
    labels: served,
  },
  reservationsWaiting: {
    name: "tollgate_reservations_waiting",
    type: "gauge",
    help: "Requests that wait for money that others have reserved.",
    labels: {},
  },
  ledgerUp: {
    name: "tollgate_ledger_up",
    type: "gauge",
    help: "1 while the ledger admits requests and writes their receipts.",
    labels: {},
  },
  ledgerHeldUp: {
    name: "tollgate_ledger_held_up",
    type: "gauge",
    help: "1 while receipts wait because what was spent before cannot be read.",
    labels: {},
  },
  ledgerBatch: {
    ...histogram,
    name: "tollgate_ledger_batch_requests",
    help: "Requests that were written in one commit of the ledger.",
    labels: {},
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  },
  ledgerCommit: {
    ...histogram,
    name: "tollgate_ledger_commit_duration_seconds",
    help: "Time of the ledger's commits that succeeded.",
    labels: {},
    unit: "seconds",
    buckets: short,
  },
  storeUp: {
    name: "tollgate_store_up",
    type: "gauge",
    help: "1 while the store takes writes.",
    labels: {},
  },
  storeAnswer: {
    name: "tollgate_store_answer_seconds",
    type: "gauge",
    help: "Time that the store has taken for a write at this scrape.",
    labels: {},
    unit: "seconds",
  },
  limits: {
    name: "tollgate_limits",
    type: "gauge",
    help:
      "Keys and budgets that are nearly at a limit (90 %) or have reached it. All instances of a store tell the same: read by max, not by sum.",
    labels: { subject: ["key", "budget"], standing: ["nearly", "reached"] },
  },
  limit: {
    name: "tollgate_limit_usd",
    type: "gauge",
    help:
      "Limits of keys and budgets of workspaces, those of which the least is left, by hash or id. Only with TOLLGATE_METRICS_LIMITS. Read by max, not by sum.",
    labels: namedLimit,
    unit: "usd",
  },
  limitRemaining: {
    name: "tollgate_limit_remaining_usd",
    type: "gauge",
    help: "What is left of these limits. Read by max, not by sum.",
    labels: namedLimit,
    unit: "usd",
  },
  keysExpiring: {
    name: "tollgate_keys_expiring",
    type: "gauge",
    help:
      "Active keys that expire within seven days. All instances of a store tell the same: read by max, not by sum.",
    labels: {},
  },
  alerts: {
    name: "tollgate_alerts",
    type: "counter",
    help:
      "Alerts that this gateway has raised, its attempts to send some, by how they ended, and alerts that were given up.",
    labels: { kind: alertKinds, outcome: alertOutcomes },
  },
  destinationReceipts: {
    name: "tollgate_destination_receipts",
    type: "counter",
    help: "Receipts in messages to destinations, by how the attempt ended, and those that were given up.",
    labels: { type: destinationTypes, outcome: deliveryOutcomes },
  },
  sandboxUp: {
    name: "tollgate_sandbox_up",
    type: "gauge",
    help: "1 while containers can run commands. Absent where they are switched off.",
    labels: {},
  },
  loopLag: {
    ...histogram,
    name: "tollgate_event_loop_lag_seconds",
    help: "How late turns of the event loop were, looked at ten times a second.",
    labels: {},
    unit: "seconds",
    buckets: short,
  },
  overloaded: {
    name: "tollgate_overloaded",
    type: "gauge",
    help: "1 while new work is refused for the reason.",
    labels: { reason: reasons },
  },
  overloadRefusals: {
    name: "tollgate_overload_refusals",
    type: "counter",
    help: "Requests that were refused because the gateway is overloaded.",
    labels: { reason: reasons },
  },
  residentMemory: {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Resident memory of the process.",
    labels: {},
    unit: "bytes",
  },
  heap: {
    name: "tollgate_heap_bytes",
    type: "gauge",
    help: "Heap of the process that is in use.",
    labels: {},
    unit: "bytes",
  },
  startTime: {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "Start of the gateway in seconds since the Unix epoch.",
    labels: {},
    unit: "seconds",
  },
} as const satisfies Readonly<Record<string, Series>>;

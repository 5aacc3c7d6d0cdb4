/**
 * Receipts as a journal batch stores them: lists of values by position instead of objects with names. The row of a
 * lone receipt so stays below the 1,000 bytes beyond which SQLite moves the rest of a row to pages of its own.
 */

import type { Receipt } from "../../../../shared/receipts.ts";
import { taskTypes } from "../../../../shared/task_types.ts";

/** The fields of an object in the order in which they are stored. Null is stored for an optional one that is absent. */
type FieldOrder<T> = { readonly [F in keyof Required<T>]: undefined extends T[F] ? "optional" : "required" };

/** The order is the format: a new field comes last. Nulls at the end are not stored. */
const receiptFields = fieldsIn<Receipt>({
  id: "required",
  request_id: "required",
  api: "required",
  key_hash: "required",
  workspace_id: "required",
  status: "required",
  created_at: "required",
  ended_at: "required",
  streamed: "required",
  requested_model: "required",
  model: "required",
  provider: "required",
  endpoint_id: "required",
  upstream_id: "required",
  finish_reason: "required",
  is_byok: "required",
  attempts: "required",
  usage: "required",
  estimated: "required",
  lines: "required",
  price_source: "required",
  unpriced: "required",
  reserved: "required",
  cost: "required",
  upstream_cost: "required",
  input_cost: "required",
  output_cost: "required",
  server_tool_cost: "required",
  overrun: "required",
  total_ms: "required",
  latency_ms: "required",
  user_agent: "required",
  cache_discount: "required",
  service_tier: "required",
  error: "required",
  user: "required",
  session_id: "required",
  external_user: "required",
  http_referer: "required",
  app_title: "required",
  reported_cost: "required",
  output_cap: "required",
  trace: "required",
  self_test: "optional",
  stands_for: "optional",
  unpriced_tier: "optional",
  calls: "optional",
  route_input: "optional",
  guardrails: "optional",
  router: "optional",
  task: "optional",
  management_key_hash: "optional",
  preset: "optional",
  response_cache_source_id: "optional",
  tags: "optional",
});

type Attempt = Receipt["attempts"][number];

const attemptFields = fieldsIn<Attempt>({
  status: "required",
  latency_ms: "required",
  is_byok: "required",
  why: "optional",
  code: "optional",
  endpoint_id: "required",
  model: "required",
  provider: "required",
});

const lineFields = fieldsIn<Receipt["lines"][number]>({
  rate: "required",
  quantity: "required",
  unit_price: "required",
  call: "optional",
});

const callFields = fieldsIn<NonNullable<Receipt["calls"]>[number]>({
  step: "required",
  purpose: "required",
  status: "required",
  latency_ms: "required",
  cost: "required",
  model: "required",
  provider: "required",
  count: "optional",
  commands: "optional",
  command_seconds: "optional",
});

const routeInputFields = fieldsIn<NonNullable<Receipt["route_input"]>>({
  tokens: "required",
  max_tokens: "optional",
  sticky: "optional",
  requires: "optional",
  models: "optional",
  preferences: "optional",
  cut: "optional",
});

const filterResultFields = fieldsIn<NonNullable<Receipt["guardrails"]>[number]>({
  id: "required",
  action: "required",
  side: "required",
  count: "required",
  slug: "optional",
  label: "optional",
});

/** The counts that every answer has; a usage of these alone is stored without their names. */
const usageNames = [
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
];

export function encodeReceipt(receipt: Receipt): readonly unknown[] {
  const { id, request_id, attempts, usage, lines, calls, route_input, guardrails, task } = receipt;
  return toTuple(receiptFields, {
    ...receipt,
    request_id: unlessEqual(request_id, requestIdOf(id)),
    attempts: attempts.map((attempt) => encodeAttempt(attempt, receipt)),
    usage: isEqualList(Object.keys(usage), usageNames) ? Object.values(usage) : usage,
    lines: lines.map((line) => toTuple(lineFields, line)),
    calls: calls?.map((call) => toTuple(callFields, call)),
    route_input: route_input && toTuple(routeInputFields, route_input),
    guardrails: guardrails?.map((result) => toTuple(filterResultFields, result)),
    task: task && taskTypes.indexOf(task),
  });
}

/** Decodes a stored receipt without checking it: the receipt's schema refuses what is none. */
export function decodeReceipt(stored: unknown): StoredObject {
  const receipt = toObject(receiptFields, stored);
  const { id, request_id, attempts, usage, lines, calls, route_input, guardrails, task } = receipt;
  return {
    ...receipt,
    request_id: request_id ?? requestIdOf(String(id)),
    attempts: mapList(attempts, (attempt) => decodeAttempt(attempt, receipt)),
    usage: Array.isArray(usage) ? Object.fromEntries(usageNames.map((name, at) => [name, usage[at]])) : usage,
    lines: mapList(lines, (line) => toObject(lineFields, line)),
    ...(calls === undefined ? {} : { calls: mapList(calls, (call) => toObject(callFields, call)) }),
    ...(route_input === undefined ? {} : { route_input: toObject(routeInputFields, route_input) }),
    ...(guardrails === undefined
      ? {}
      : { guardrails: mapList(guardrails, (result) => toObject(filterResultFields, result)) }),
    ...(typeof task === "number" ? { task: taskTypes[task] } : {}),
  };
}

export function isEqualList(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, position) => text === others[position]);
}

/** The id of the request whose generation has this id, as the gateway names both. */
function requestIdOf(generationId: string): string {
  return `req_${generationId.slice("gen-".length)}`;
}

/** An attempt at the endpoint that the receipt names is stored without the endpoint. */
function encodeAttempt(attempt: Attempt, receipt: Receipt): readonly unknown[] {
  return toTuple(attemptFields, {
    ...attempt,
    endpoint_id: unlessEqual(attempt.endpoint_id, receipt.endpoint_id),
    model: unlessEqual(attempt.model, receipt.model),
    provider: unlessEqual(attempt.provider, receipt.provider),
  });
}

function decodeAttempt(stored: unknown, receipt: StoredObject): StoredObject {
  const attempt = toObject(attemptFields, stored);
  return {
    ...attempt,
    endpoint_id: attempt.endpoint_id ?? receipt.endpoint_id,
    model: attempt.model ?? receipt.model,
    provider: attempt.provider ?? receipt.provider,
  };
}

function unlessEqual(value: string, implied: string | null): string | null {
  return value === implied ? null : value;
}

interface Field {
  readonly name: string;
  readonly optional: boolean;
}

function fieldsIn<T>(order: FieldOrder<T>): readonly Field[] {
  return Object.entries(order).map(([name, kind]) => ({ name, optional: kind === "optional" }));
}

type StoredObject = Readonly<Record<string, unknown>>;

function toTuple(fields: readonly Field[], object: StoredObject): readonly unknown[] {
  const tuple = fields.map(({ name }) => object[name] ?? null);
  while (tuple.at(-1) === null) tuple.pop();
  return tuple;
}

/** Empty for what is no tuple. */
function toObject(fields: readonly Field[], stored: unknown): StoredObject {
  const object: Record<string, unknown> = {};
  if (!Array.isArray(stored)) return object;
  fields.forEach(({ name, optional }, position) => {
    const value: unknown = stored[position] ?? null;
    if (value !== null || !optional) object[name] = value;
  });
  return object;
}

function mapList(stored: unknown, map: (item: unknown) => unknown): unknown {
  return Array.isArray(stored) ? stored.map(map) : stored;
}

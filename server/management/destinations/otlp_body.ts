/** Receipts as OTLP has traces, in JSON: a span each. They hold names, counts and money, never what was said. */

import { hash } from "node:crypto";
import { nanoToUsd } from "../../../shared/money.ts";
import { traceFieldsParent } from "../../../shared/observability/trace_parent.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { genAiOperation, genAiProviderName } from "../../metrics/gen_ai_series.ts";
import { receiptAttributes, spanName } from "../../metrics/receipt_attributes.ts";
import type { DestinationRow } from "./destination_rows.ts";

/** Numbers of the protocol. */
const KIND_SERVER = 2;
const STATUS_ERROR = 2;

type Value = string | number | boolean | readonly string[] | null | undefined;

/** Whole numbers travel as texts, as the protocol has 64 bits for them. */
function anyValue(value: NonNullable<Value>): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { arrayValue: { values: value.map(anyValue) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const keyValues = (attributes: Readonly<Record<string, Value>>) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValue(value) }]
  );

const usd = (nano: number): object => ({ doubleValue: nanoToUsd(BigInt(nano)) });

/** Amounts are numbers with a fraction, also where they are whole. */
const costsOf = ({ cost, upstream_cost, input_cost, output_cost, server_tool_cost }: Receipt) => [
  { key: "tollgate.cost_usd", value: usd(cost) },
  { key: "tollgate.upstream_cost_usd", value: usd(upstream_cost) },
  { key: "tollgate.input_cost_usd", value: usd(input_cost) },
  { key: "tollgate.output_cost_usd", value: usd(output_cost) },
  { key: "tollgate.server_tool_cost_usd", value: usd(server_tool_cost) },
];

const identityOf = ({ user, external_user, key_hash }: Receipt) => ({
  "user.id": user,
  "tollgate.external_user": external_user,
  "tollgate.key": key_hash,
});

const contextOf = ({ http_referer, app_title, user_agent }: Receipt) => ({
  "http.request.header.referer": http_referer,
  "tollgate.app_title": app_title,
  "user_agent.original": user_agent,
});

const plainOf = (receipt: Receipt) => ({
  ...receiptAttributes(receipt),
  "gen_ai.provider.name": receipt.provider === null ? undefined : genAiProviderName(receipt.provider),
  "gen_ai.request.model": receipt.requested_model,
  "gen_ai.request.stream": receipt.streamed,
  "error.type": receipt.error?.kind,
  "http.response.status_code": receipt.error?.status,
  "tollgate.attempts": receipt.attempts.length,
  "tollgate.time_to_first_chunk_ms": receipt.latency_ms,
  "tollgate.is_byok": receipt.is_byok,
  "tollgate.router": receipt.router,
  "tollgate.task": receipt.task,
  "tollgate.stands_for": receipt.stands_for,
  "tollgate.self_test": receipt.self_test,
});

type Switches = Pick<
  DestinationRow,
  | "privacy_mode"
  | "broadcast_generation_cost"
  | "broadcast_generation_identity"
  | "broadcast_generation_request_context"
>;

function attributesOf(receipt: Receipt, switches: Switches): readonly object[] {
  const tellsWho = !switches.privacy_mode;
  return [
    ...keyValues(plainOf(receipt)),
    ...keyValues(tellsWho ? { "gen_ai.conversation.id": receipt.session_id } : {}),
    ...switches.broadcast_generation_cost ? costsOf(receipt) : [],
    ...keyValues(tellsWho && switches.broadcast_generation_identity ? identityOf(receipt) : {}),
    ...keyValues(tellsWho && switches.broadcast_generation_request_context ? contextOf(receipt) : {}),
  ];
}

const NANOS_IN_MS = 1_000_000;

/**
 * A span is as long as its request has taken by a clock that never steps back, from the arrival as the first chunk is
 * measured. The receipt's own end is by the clock of the machine, which may be set meanwhile, and cut to milliseconds.
 */
function timesOf({ created_at, latency_ms, total_ms }: Receipt) {
  const start = BigInt(Date.parse(created_at)) * BigInt(NANOS_IN_MS);
  const length = Math.max(total_ms, latency_ms ?? 0);
  const end = start + BigInt(Math.round(length * NANOS_IN_MS));
  return { startTimeUnixNano: String(start), endTimeUnixNano: String(end) };
}

/** The ids are made of the receipt's, so that it is the same span however often it is sent. */
function spanOf(receipt: Receipt, switches: Switches): object {
  const digest = hash("sha256", receipt.id);
  const parent = switches.privacy_mode ? undefined : traceFieldsParent(receipt.trace ?? {});
  return {
    traceId: parent?.traceId ?? digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
    name: spanName(genAiOperation(receipt.api), receipt.model),
    kind: KIND_SERVER,
    ...timesOf(receipt),
    attributes: attributesOf(receipt, switches),
    status: receipt.error === null ? {} : { code: STATUS_ERROR },
  };
}

/** The body of one message. */
export function otlpBody(receipts: readonly Receipt[], switches: Switches): string {
  if (receipts.length === 0) return JSON.stringify({ resourceSpans: [] });
  return JSON.stringify({
    resourceSpans: [{
      resource: { attributes: keyValues({ "service.name": "tollgate" }) },
      scopeSpans: [{
        scope: { name: "tollgate" },
        spans: receipts.map((receipt) => spanOf(receipt, switches)),
      }],
    }],
  });
}

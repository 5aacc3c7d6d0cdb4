/** The fields of a receipt as a block holds them: which of them need not be written, and how the others are. */

import type { ChargeLine, Receipt } from "../../../shared/receipts.ts";
import { joinStrings } from "../../../shared/util/text.ts";
import { formatTimestamp, parseOwnTimestamp } from "../../../shared/util/timestamps.ts";

/** What is known of an entry where a field of its receipt is read: the entry's own fields, and those in front. */
export interface Known {
  readonly at: number;
  readonly cost: number;
  readonly receipt: Partial<Receipt>;
  /** The receipt in front of this one in the same block. */
  readonly before: Partial<Receipt> | undefined;
}

export interface Field<T> {
  /** What it is where nothing is written. */
  readonly usual?: T;
  /** The same, where that hangs on fields in front of it. */
  readonly follows?: (known: Known) => T | undefined;
  /** Whether a value is what follows, where that is cheaper to see than to make. */
  readonly agrees?: (value: T, known: Known) => boolean;
  readonly pack?: (value: T, known: Known) => unknown;
  readonly unpack?: (packed: unknown, known: Known) => unknown;
}

const always = {};
const absent = { usual: null };
const zero = { usual: 0 };
const no = { usual: false };

/** In this order they are written; a further one comes last. */
const fields: { readonly [F in keyof Required<Receipt>]: Field<Receipt[F]> } = {
  id: always,
  request_id: { follows: requestId, agrees: isRequestId },
  api: { usual: "responses" },
  key_hash: always,
  workspace_id: always,
  self_test: always,
  status: { usual: "completed" },
  created_at: {
    follows: ({ at }) => formatTimestamp(at),
    agrees: (moment, { at }) => parseOwnTimestamp(moment) === at,
  },
  ended_at: { pack: packedMoment, unpack: unpackedMoment },
  streamed: no,
  requested_model: absent,
  model: { follows: ({ receipt }) => receipt.requested_model },
  provider: absent,
  endpoint_id: absent,
  upstream_id: absent,
  finish_reason: { usual: "stop" },
  error: absent,
  is_byok: no,
  attempts: { pack: packedAttempts, unpack: unpackedAttempts },
  usage: { pack: packedUsage, unpack: unpackedUsage },
  estimated: no,
  lines: { pack: packedLines, unpack: unpackedLines },
  price_source: absent,
  unpriced: no,
  reserved: zero,
  cost: { follows: ({ cost }) => cost },
  upstream_cost: { follows: ({ receipt }) => receipt.cost },
  input_cost: zero,
  server_tool_cost: zero,
  output_cost: { follows: outputCost },
  reported_cost: absent,
  cache_discount: absent,
  overrun: zero,
  output_cap: absent,
  service_tier: absent,
  latency_ms: absent,
  total_ms: zero,
  user: absent,
  session_id: absent,
  external_user: absent,
  http_referer: absent,
  app_title: absent,
  user_agent: absent,
  trace: absent,
  stands_for: always,
  unpriced_tier: always,
};

/** A field of the table; all have one shape, because every receipt passes them. */
export type AnyField = ReturnType<typeof anyFieldOf>;

function anyFieldOf(name: keyof Receipt) {
  const { usual, follows, agrees, pack, unpack } = asUnchecked(fields[name]);
  return { name, usual, follows, agrees, pack, unpack };
}

const order = Object.keys(fields).map(asField).map(anyFieldOf);

/** As many fields as bits can be told apart in one number; the table stands in two of them. */
export interface Half {
  readonly fields: readonly AnyField[];
  /** Bits of all of them. */
  readonly all: number;
  /** What the bit of the first of them stands for in the number that says of all fields which are written. */
  readonly weight: number;
  /** Bits of those in which two receipts differ. */
  readonly apart: (one: Receipt, other: Receipt) => number;
}

const ASKED = 23;

export const halves: readonly Half[] = [
  halfOf(order.slice(0, ASKED), { weight: 1, apart: askedApart }),
  halfOf(order.slice(ASKED), { weight: 2 ** ASKED, apart: answeredApart }),
];

function halfOf(fields: readonly AnyField[], { weight, apart }: Pick<Half, "weight" | "apart">): Half {
  return { fields, all: 2 ** fields.length - 1, weight, apart };
}

// Read by their names, which takes a tenth of the time of reading them by those of the table.

function askedApart(one: Receipt, other: Receipt): number {
  return (one.id === other.id ? 0 : 1) |
    (one.request_id === other.request_id ? 0 : 1 << 1) |
    (one.api === other.api ? 0 : 1 << 2) |
    (one.key_hash === other.key_hash ? 0 : 1 << 3) |
    (one.workspace_id === other.workspace_id ? 0 : 1 << 4) |
    (one.self_test === other.self_test ? 0 : 1 << 5) |
    (one.status === other.status ? 0 : 1 << 6) |
    (one.created_at === other.created_at ? 0 : 1 << 7) |
    (one.ended_at === other.ended_at ? 0 : 1 << 8) |
    (one.streamed === other.streamed ? 0 : 1 << 9) |
    (one.requested_model === other.requested_model ? 0 : 1 << 10) |
    (one.model === other.model ? 0 : 1 << 11) |
    (one.provider === other.provider ? 0 : 1 << 12) |
    (one.endpoint_id === other.endpoint_id ? 0 : 1 << 13) |
    (one.upstream_id === other.upstream_id ? 0 : 1 << 14) |
    (one.finish_reason === other.finish_reason ? 0 : 1 << 15) |
    (one.error === other.error ? 0 : 1 << 16) |
    (one.is_byok === other.is_byok ? 0 : 1 << 17) |
    (one.attempts === other.attempts ? 0 : 1 << 18) |
    (one.usage === other.usage ? 0 : 1 << 19) |
    (one.estimated === other.estimated ? 0 : 1 << 20) |
    (one.lines === other.lines ? 0 : 1 << 21) |
    (one.price_source === other.price_source ? 0 : 1 << 22);
}

function answeredApart(one: Receipt, other: Receipt): number {
  return (one.unpriced === other.unpriced ? 0 : 1) |
    (one.reserved === other.reserved ? 0 : 1 << 1) |
    (one.cost === other.cost ? 0 : 1 << 2) |
    (one.upstream_cost === other.upstream_cost ? 0 : 1 << 3) |
    (one.input_cost === other.input_cost ? 0 : 1 << 4) |
    (one.server_tool_cost === other.server_tool_cost ? 0 : 1 << 5) |
    (one.output_cost === other.output_cost ? 0 : 1 << 6) |
    (one.reported_cost === other.reported_cost ? 0 : 1 << 7) |
    (one.cache_discount === other.cache_discount ? 0 : 1 << 8) |
    (one.overrun === other.overrun ? 0 : 1 << 9) |
    (one.output_cap === other.output_cap ? 0 : 1 << 10) |
    (one.service_tier === other.service_tier ? 0 : 1 << 11) |
    (one.latency_ms === other.latency_ms ? 0 : 1 << 12) |
    (one.total_ms === other.total_ms ? 0 : 1 << 13) |
    (one.user === other.user ? 0 : 1 << 14) |
    (one.session_id === other.session_id ? 0 : 1 << 15) |
    (one.external_user === other.external_user ? 0 : 1 << 16) |
    (one.http_referer === other.http_referer ? 0 : 1 << 17) |
    (one.app_title === other.app_title ? 0 : 1 << 18) |
    (one.user_agent === other.user_agent ? 0 : 1 << 19) |
    (one.trace === other.trace ? 0 : 1 << 20) |
    (one.stands_for === other.stands_for ? 0 : 1 << 21) |
    (one.unpriced_tier === other.unpriced_tier ? 0 : 1 << 22);
}

export function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, at) => text === others[at]);
}

/** What stands in front of the id in both names. */
const NAMED = 4;

function requestId({ receipt: { id = "" } }: Known): string {
  return joinStrings("req_", id.slice(NAMED));
}

function isRequestId(name: string, { receipt: { id = "" } }: Known): boolean {
  return name.length === Math.max(NAMED, id.length) && name.startsWith("req_") &&
    name.endsWith(id.slice(NAMED));
}

/** Milliseconds since the request came in. */
function packedMoment(moment: string, { at }: Known): unknown {
  const ms = parseOwnTimestamp(moment);
  return ms === undefined ? moment : ms - at;
}

function unpackedMoment(packed: unknown, { at }: Known): unknown {
  return typeof packed === "number" ? formatTimestamp(at + packed) : packed;
}

/** The rest of what was charged. */
function outputCost({ receipt }: Known): number {
  const { upstream_cost = 0, input_cost = 0, server_tool_cost = 0 } = receipt;
  return upstream_cost - input_cost - server_tool_cost;
}

const ANSWERED = 200;

type Attempt = Receipt["attempts"][number];

/** What stands in the receipt already, of a call that went well. */
const answerer = ({ endpoint_id, model, provider, is_byok }: Partial<Receipt>) => ({
  endpoint_id,
  model,
  provider,
  status: ANSWERED,
  is_byok,
});

/** Of the call that went well only how long it took, and why it was made unless that stands in the receipt before. */
function packedAttempts(attempts: readonly Attempt[], known: Known): unknown {
  const packed = eachPacked(attempts, known);
  const [only] = packed;
  return packed.length === 1 && typeof only === "number" ? only : packed;
}

function eachPacked(attempts: readonly Attempt[], { receipt, before }: Known): readonly unknown[] {
  return attempts.map((attempt, at) => {
    const { latency_ms, why, code, endpoint_id, model, provider, status, is_byok } = attempt;
    const same = code === undefined && endpoint_id === receipt.endpoint_id && model === receipt.model &&
      provider === receipt.provider && status === ANSWERED && is_byok === receipt.is_byok;
    if (!same) return attempt;
    const earlier = before?.attempts?.[at];
    if (earlier !== undefined && earlier.why === why) return latency_ms;
    return why === undefined ? [latency_ms] : [latency_ms, why];
  });
}

function unpackedAttempts(packed: unknown, { receipt, before }: Known): unknown {
  const all = typeof packed === "number" ? [packed] : listOf(packed);
  return all.map((attempt, at) => {
    const brief = typeof attempt === "number";
    if (!brief && !Array.isArray(attempt)) return attempt;
    const [latency_ms, why] = brief ? [attempt, before?.attempts?.[at]?.why] : attempt;
    return { ...answerer(receipt), latency_ms, ...(why === undefined ? {} : { why }) };
  });
}

/** The counts that are always told. */
const counted = ["input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens"];

function packedUsage(usage: Receipt["usage"]): unknown {
  return sameTexts(Object.keys(usage), counted) ? Object.values(usage) : usage;
}

function unpackedUsage(packed: unknown): unknown {
  return Array.isArray(packed) ? Object.fromEntries(counted.map((name, at) => [name, packed[at]])) : packed;
}

/** Of a line that charges as the one in its place in the receipt before only how much. */
function packedLines(lines: readonly ChargeLine[], { before }: Known): unknown {
  return lines.map(({ rate, quantity, unit_price }, at) => {
    const earlier = before?.lines?.[at];
    return earlier?.rate === rate && earlier.unit_price === unit_price
      ? quantity
      : [rate, quantity, unit_price];
  });
}

function unpackedLines(packed: unknown, { before }: Known): unknown {
  return listOf(packed).map((line, at) => {
    if (typeof line === "number") return { ...before?.lines?.[at], quantity: line };
    const [rate, quantity, unit_price] = listOf(line);
    return { rate, quantity, unit_price };
  });
}

function listOf(packed: unknown): readonly unknown[] {
  if (Array.isArray(packed)) return packed;
  throw new TypeError("Cannot read a receipt: a list is missing");
}

/** A name of the table. */
function asField(name: string): keyof Receipt {
  return name as keyof Receipt;
}

/** A field whose values may be anything: {@link fields} says by their types that each gets its own. */
function asUnchecked(field: unknown): Field<unknown> {
  return field as Field<unknown>;
}

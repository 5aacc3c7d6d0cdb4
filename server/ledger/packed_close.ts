/**
 * The end of a request as a block holds it: by position instead of by name, and without what follows from what stands
 * before it, in it and in the block. A receipt takes a third of the room so, and a sixth behind one that is like it.
 * That counts most where one is written alone: of a row of more than 1,000 bytes SQLite keeps the rest in pages beside
 * the tree, which every search that comes past it has to read.
 */

import type { ChargeLine, Receipt } from "../../shared/receipts.ts";
import { joined } from "../../shared/joined.ts";
import { timestampOf } from "../../shared/timestamps.ts";
import type { CloseEntry } from "./entries.ts";

/** What is known of an entry where a field of its receipt is read: the entry's own fields, and those in front. */
interface Known {
  readonly at: number;
  readonly cost: number;
  readonly receipt: Partial<Receipt>;
  /** The receipt in front of this one in the same block. */
  readonly before: Partial<Receipt> | undefined;
}

interface Field<T> {
  /** What it is where nothing is written. */
  readonly usual?: T;
  /** The same, where that hangs on fields in front of it. */
  readonly follows?: (known: Known) => T | undefined;
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
  request_id: { follows: ({ receipt: { id = "" } }) => joined("req_", id.slice("gen-".length)) },
  api: { usual: "responses" },
  key_hash: always,
  workspace_id: always,
  self_test: always,
  status: { usual: "completed" },
  created_at: { follows: ({ at }) => timestampOf(at) },
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
};

/** Each has a bit in the number that says which are written. All have one shape, because every receipt passes them. */
const order = Object.keys(fields).map(asField).map((name, at) => {
  const { usual, follows, pack, unpack } = asUnchecked(fields[name]);
  return { name, bit: 2 ** at, usual, follows, pack, unpack };
});

/** Stands for the scopes of a key without guardrails. */
const USUAL_SCOPES = 0;
const KEY = "key:";
const WORKSPACE = "workspace:";
const ACCOUNT = "account";

/** The entry's own fields, which of the receipt's are written and which are those of the one before, and the first. */
export type PackedClose = readonly unknown[];

const WRITTEN = 4;

/** `before`: the receipt in front of it in the same block, if there is one. */
export function packedClose(entry: CloseEntry, before?: Receipt): PackedClose {
  const { at, scopes, cost, byok, receipt } = entry;
  const known = { at, cost, receipt, before };
  const packed: unknown[] = [at, areUsual(scopes, receipt) ? USUAL_SCOPES : scopes, cost, byok, 0];
  let written = 0;
  let same = 0;
  for (const { name, bit, usual, follows, pack } of order) {
    const value = receipt[name];
    if (value === (follows === undefined ? usual : follows(known))) continue;
    if (before !== undefined && value === before[name]) {
      same += bit;
      continue;
    }
    written += bit;
    packed.push(pack === undefined ? value : pack(value, known));
  }
  packed[WRITTEN] = before === undefined ? written : [written, same];
  return packed;
}

/** The closes of a block, in its order, unchecked; their receipts as far as they can be read. */
export function unpackedCloses(): (packed: PackedClose) => unknown {
  let before: Partial<Receipt> | undefined;
  return ([at, own, cost, byok, marks, ...values]) => {
    const receipt: Record<string, unknown> = {};
    const known = asKnown({ at, cost, receipt, before });
    const [written, same] = Array.isArray(marks) ? marks : [marks, 0];
    try {
      unpack(receipt, { known, values, written: Number(written), same: Number(same) });
    } catch (_error) {
      // Whoever wants the receipt sees what it lacks; the entry counts whatever has become of it.
    }
    before = known.receipt;
    const scopes = own === USUAL_SCOPES ? usualScopes(known.receipt) : own;
    return { type: "close", at, scopes, cost, byok, receipt };
  };
}

interface Unpacking {
  readonly known: Known;
  readonly values: readonly unknown[];
  /** Bits of the fields whose values are here. */
  readonly written: number;
  /** Of those that are as in the receipt before. */
  readonly same: number;
}

/** Throws for what cannot be a receipt. */
function unpack(receipt: Record<string, unknown>, { known, values, written, same }: Unpacking): void {
  let next = 0;
  for (const { name, bit, usual, follows, unpack } of order) {
    const stands = has(written, bit);
    const unwritten = has(same, bit) ? known.before?.[name] : follows === undefined ? usual : follows(known);
    const value = stands ? values[next++] : unwritten;
    if (value !== undefined) receipt[name] = stands && unpack !== undefined ? unpack(value, known) : value;
  }
}

const has = (bits: number, bit: number): boolean => Math.floor(bits / bit) % 2 === 1;

function areUsual(scopes: readonly string[], { key_hash, workspace_id }: Receipt): boolean {
  const [key = "", workspace = "", account] = scopes;
  return scopes.length === 3 && key.length === KEY.length + key_hash.length && key.endsWith(key_hash) &&
    workspace.length === WORKSPACE.length + workspace_id.length && workspace.endsWith(workspace_id) &&
    key.startsWith(KEY) && workspace.startsWith(WORKSPACE) && account === ACCOUNT;
}

const usualScopes = ({ key_hash = "", workspace_id = "" }: Partial<Receipt>): readonly string[] => [
  joined(KEY, key_hash),
  joined(WORKSPACE, workspace_id),
  ACCOUNT,
];

function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, at) => text === others[at]);
}

/** The last moment that was written: many requests end in one millisecond. */
let lastMoment = "";
let lastMs: number | undefined;

/** Milliseconds since the request came in. */
function packedMoment(moment: string, { at }: Known): unknown {
  if (moment !== lastMoment) {
    const ms = Date.parse(moment);
    lastMoment = moment;
    lastMs = Number.isInteger(ms) && timestampOf(ms) === moment ? ms : undefined;
  }
  return lastMs === undefined ? moment : lastMs - at;
}

function unpackedMoment(packed: unknown, { at }: Known): unknown {
  return typeof packed === "number" ? timestampOf(at + packed) : packed;
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
function packedAttempts(attempts: readonly Attempt[], { receipt, before }: Known): unknown {
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
  return listOf(packed).map((attempt, at) => {
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

/** What is read is checked once it is whole; until then it is what it should be, or something that cannot be read. */
function asKnown(
  unchecked: Readonly<Record<keyof Known, unknown>>,
): Known {
  return unchecked as Known;
}

/** A field whose values may be anything: {@link fields} says by their types that each gets its own. */
function asUnchecked(field: unknown): Field<unknown> {
  return field as Field<unknown>;
}

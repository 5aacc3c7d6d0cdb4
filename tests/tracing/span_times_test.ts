/** Times of spans: whatever a request's record says, each lies within its parent's, and what fits is as it was noted. */

import assert from "node:assert/strict";
import { ROOT_CONTEXT, trace as otel, type Tracer } from "@opentelemetry/api";
import fc from "fast-check";
import { OneShotSignal } from "../../server/one_shot_signal.ts";
import type { RequestContext } from "../../server/pipeline/request_context.ts";
import { RequestRecord } from "../../server/pipeline/request_record.ts";
import { createTracing } from "../../server/tracing/request_tracing.ts";
import { testEndpoint } from "../support/endpoint.ts";
import { assertProperty, runs } from "../support/property.ts";
import { receiptWith } from "../support/receipts.ts";
import { modelRequest } from "../support/requests.ts";

interface KeptSpan {
  readonly name: string;
  readonly parent: KeptSpan | undefined;
  readonly from: number;
  to: number;
}

/** A tracer that keeps its spans, in the order in which they were made. */
function keepingTracer() {
  const made = new Map<string, KeptSpan>();
  const startSpan: Tracer["startSpan"] = (name, ...more) => {
    const [{ startTime } = {}, context = ROOT_CONTEXT] = more;
    const spanId = String(made.size + 1).padStart(16, "0");
    const parent = otel.getSpan(context)?.spanContext().spanId ?? "";
    const kept = { name, parent: made.get(parent), from: Number(startTime), to: NaN };
    made.set(spanId, kept);
    const span = otel.wrapSpanContext({ traceId: "1".repeat(32), spanId, traceFlags: 1 });
    span.end = (at) => {
      kept.to = Number(at);
    };
    return span;
  };
  return { startSpan, made };
}

interface NotedCall {
  readonly step: number;
  readonly purpose: "model" | "tool:datetime" | "plugin:web" | "fusion:panel";
  readonly startedAt?: number;
  readonly endsAt?: number;
  readonly attempts: readonly {
    readonly sentAt: number;
    readonly latencyMs: number;
    readonly code?: string;
  }[];
}

interface Noted {
  /** Times of the machine's clock and of the monotonic one when the trace begins. */
  readonly now: number;
  readonly monotonic: number;
  readonly startedAt: number;
  readonly endsAt: number;
  /** The first is the one with which a request begins. */
  readonly calls: readonly NotedCall[];
}

/** The spans of a request of which this was noted. */
function spansOf({ now, monotonic, startedAt, endsAt, calls }: Noted): readonly KeptSpan[] {
  const record = new RequestRecord();
  const endpoint = testEndpoint();
  for (const [at, { step, purpose, attempts, ...call }] of calls.entries()) {
    const made = at === 0 ? record.first : record.openCall({ step, purpose, startedAt: call.startedAt });
    made.attempts.push(...attempts.map((attempt) => ({ endpoint, status: 200, ...attempt })));
    if (call.endsAt !== undefined) made.finish({ status: "completed", at: call.endsAt });
  }
  const context: RequestContext = {
    request: modelRequest({ input: [] }),
    caller: { kind: "api", keyHash: "h", workspaceId: "w" },
    ids: { generation: "gen-1", request: "req_1" },
    clientDisconnect: new OneShotSignal(),
    record,
    call: record.first,
    startedAt,
  };
  const tracer = keepingTracer();
  const clock = { now: () => now, monotonic: () => monotonic };
  createTracing({ clock, tracer, trustsClients: () => false }).begin(context).end(receiptWith(), endsAt);
  return [...tracer.made.values()];
}

const ms = fc.double({ min: -1_000, max: 10_000, noNaN: true });

const noted: fc.Arbitrary<Noted> = fc.record({
  now: fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }),
  monotonic: ms,
  startedAt: ms,
  endsAt: ms,
  calls: fc.array(
    fc.record({
      step: fc.integer({ min: 1, max: 3 }),
      purpose: fc.constantFrom<NotedCall["purpose"]>("model", "tool:datetime", "plugin:web", "fusion:panel"),
      startedAt: ms,
      endsAt: ms,
      attempts: fc.array(
        fc.record({
          sentAt: ms,
          latencyMs: fc.double({ min: 0, max: 10_000, noNaN: true }),
          code: fc.string(),
        }, {
          requiredKeys: ["sentAt", "latencyMs"],
        }),
        { maxLength: 3 },
      ),
    }, { requiredKeys: ["step", "purpose", "attempts"] }),
    { maxLength: 5 },
  ),
});

Deno.test("every span ends after its beginning and lies within its parent, whatever was noted of its request", () => {
  assertProperty(
    fc.property(noted, (one) => {
      for (const { name, parent, from, to } of spansOf(one)) {
        assert.ok(from <= to, `${name}: ${from} to ${to}`);
        if (parent === undefined) continue;
        assert.ok(parent.from <= from && to <= parent.to, `${name} in ${parent.name}`);
      }
    }),
    { numRuns: runs(300) },
  );
});

const NOW = Date.UTC(2026, 0, 14, 12);
const at = { now: NOW + 1, monotonic: 1, startedAt: 0, endsAt: 100 };

type Row = readonly [string, readonly NotedCall[], readonly (readonly [number, number])[]];
/** Calls, and when the spans that are made of them begin and end, in ms from the request's arrival. */
const rows: readonly Row[] = [
  ["refused before it was asked", [{ step: 1, purpose: "model", attempts: [] }], []],
  ["a whole answer", [{ step: 1, purpose: "model", attempts: [{ sentAt: 5, latencyMs: 40 }] }], [
    [0, 100],
    [5, 100],
  ]],
  [
    "a fallback",
    [{
      step: 1,
      purpose: "model",
      attempts: [{ sentAt: 5, latencyMs: 10, code: "timeout" }, { sentAt: 16, latencyMs: 40 }],
    }],
    [[0, 100], [5, 15], [16, 100]],
  ],
  [
    "a tool between two turns",
    [
      { step: 1, purpose: "model", endsAt: 30, attempts: [{ sentAt: 5, latencyMs: 10 }] },
      { step: 1, purpose: "tool:datetime", startedAt: 31, endsAt: 40, attempts: [] },
      { step: 2, purpose: "model", startedAt: 41, attempts: [{ sentAt: 42, latencyMs: 9 }] },
    ],
    [[0, 40], [5, 30], [31, 40], [41, 100], [42, 100]],
  ],
  [
    "an attempt that fails when its call is over",
    [
      { step: 1, purpose: "model", endsAt: 30, attempts: [{ sentAt: 5, latencyMs: 50, code: "cancelled" }] },
    ],
    [[0, 55], [5, 55]],
  ],
  [
    "a tool that is not over when the request is",
    [
      { step: 1, purpose: "model", attempts: [] },
      { step: 1, purpose: "tool:datetime", startedAt: 31, endsAt: 140, attempts: [] },
    ],
    [[31, 100], [31, 100]],
  ],
];

Deno.test("spans have the times that were noted, by the clock as it was when the request began", () => {
  for (const [name, calls, times] of rows) {
    const [root, ...spans] = spansOf({ ...at, calls });
    assert.deepEqual([root?.from, root?.to], [NOW, NOW + 100], name);
    assert.deepEqual(spans.map(({ from, to }) => [from - NOW, to - NOW]), times, name);
  }
});

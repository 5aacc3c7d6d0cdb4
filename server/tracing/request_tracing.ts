/**
 * Spans of requests: request → turn → call or tool → attempt. The span of a request begins with it; the others are made
 * of its record when it is over, with the times at which they were, so that nothing on the way pays for them. They hold
 * names, counts and money, never content.
 */

import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as otel,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import { nanoToUsd } from "../../shared/money.ts";
import {
  parseTraceparent,
  renderTraceparent,
  traceFieldsParent,
  type TraceParent,
} from "../../shared/observability/trace_parent.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { genAiOperation, genAiProviderName } from "../metrics/gen_ai_series.ts";
import { receiptAttributes, spanName } from "../metrics/receipt_attributes.ts";
import type { CallRecord, RequestContext } from "../pipeline/request_context.ts";
import type { AttemptRecord } from "../pipeline/request_record.ts";
import type { RequestTrace } from "../pipeline/request_trace.ts";
import type { Tracing } from "../pipeline/stages/receipt/receipt.ts";
import type { Clock } from "../runtime.ts";
import { type SpanTimes, timesWithin } from "./span_times.ts";

interface TracingDeps {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly tracer: Pick<Tracer, "startSpan">;
  /** Whether the trace that a client names is continued. */
  readonly trustsClients: () => boolean;
  /** Is told of the trace of each request that is exported, before its receipt is written. */
  readonly note?: (generation: string, traceId: string) => void;
}

/** The gateway's tracer of the runtime, which exports what it makes. */
export const openTracer = (version: string): Tracer => otel.getTracer("tollgate", version);

export function createTracing({ clock, tracer, trustsClients, note }: TracingDeps): Tracing {
  return {
    begin(context) {
      // Monotonic times as times of the clock.
      const offset = clock.now() - clock.monotonic();
      const parent = trustsClients() ? parentOf(context) : undefined;
      const root = parent === undefined
        ? ROOT_CONTEXT
        : otel.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
      const startTime = offset + context.startedAt;
      const name = genAiOperation(context.origin?.api ?? "");
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime }, root);
      return new RequestSpans({ tracer, context, span, offset, note });
    },
  };
}

/** Where the client's own trace is continued: by the header, else by the request's `trace`. */
function parentOf({ origin, request }: RequestContext): TraceParent | undefined {
  return parseTraceparent(origin?.traceparent) ?? traceFieldsParent(request.trace ?? {});
}

interface SpanInput extends Pick<TracingDeps, "note"> {
  readonly tracer: Pick<Tracer, "startSpan">;
  readonly context: RequestContext;
  /** Span of the request. */
  readonly span: Span;
  /** Milliseconds from the monotonic clock to the epoch. */
  readonly offset: number;
}

/** A span with its times, within which those of its children lie. */
interface PlacedSpan extends SpanTimes {
  readonly span: Span;
}

interface ChildSpan extends SpanTimes {
  readonly parent: PlacedSpan;
  readonly kind?: SpanKind;
  readonly attributes: Attributes;
  readonly error?: string;
}

class RequestSpans implements RequestTrace {
  readonly #input: SpanInput;
  readonly traceparent: string;

  constructor(input: SpanInput) {
    this.#input = input;
    this.traceparent = renderTraceparent(input.span.spanContext());
  }

  end(receipt: Receipt, monotonic: number): void {
    const { context: { record, startedAt }, span, offset, note } = this.#input;
    const { traceId, traceFlags } = span.spanContext();
    if ((traceFlags & TraceFlags.SAMPLED) !== 0) note?.(receipt.id, traceId);
    const parent = { span, from: startedAt, to: Math.max(startedAt, monotonic) };
    const turns = Map.groupBy(record.calls.filter(isMade), ({ step }) => step);
    for (const [step, calls] of turns) this.#addTurn(step, { calls, parent });
    span.updateName(spanName(genAiOperation(receipt.api), receipt.model));
    span.setAttributes({
      ...attributesOf(receipt),
      "tollgate.stages": record.stages.map(({ name }) => name),
    });
    setError(span, receipt.error?.kind);
    span.end(offset + parent.to);
  }

  #addTurn(
    step: number,
    { calls, parent }: { readonly calls: readonly CallRecord[]; readonly parent: PlacedSpan },
  ): void {
    const times = calls.map((call) => this.#timesOf(call, parent.to));
    const turn = this.#child(`turn ${step}`, {
      parent,
      from: Math.min(...times.map(({ from }) => from)),
      to: Math.max(...times.map((one) => one.to)),
      attributes: { "tollgate.turn": step },
    });
    for (const [at, call] of calls.entries()) {
      this.#addCall(call, { ...turn, ...times[at], parent: turn });
    }
  }

  /** A call of the model is its attempts; any other has a span of its own around them. */
  #addCall(call: CallRecord, { parent, from, to }: SpanTimes & { readonly parent: PlacedSpan }): void {
    const { purpose, end } = call;
    const [kind = "", name = ""] = purpose.split(":");
    const own = purpose === "model"
      ? parent
      : this.#child(kind === "tool" ? `execute_tool ${name}` : purpose, {
        parent,
        from,
        to,
        attributes: kind === "tool"
          ? { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name }
          : {},
        error: end?.status === "failed" ? "failed" : undefined,
      });
    for (const attempt of call.attempts) this.#addAttempt(attempt, { call, parent: own, to });
  }

  #addAttempt(
    { endpoint, status, code, sentAt, latencyMs }: AttemptRecord,
    { call, parent, to }: { readonly call: CallRecord; readonly parent: PlacedSpan; readonly to: number },
  ): void {
    const operation = genAiOperation(this.#input.context.origin?.api ?? "");
    const cost = code === undefined
      ? call.callCosts.find((one) => one.endpoint?.id === endpoint.id)
      : undefined;
    this.#child(spanName(operation, endpoint.model.id), {
      parent,
      kind: SpanKind.CLIENT,
      from: sentAt,
      to: code === undefined ? Math.max(to, sentAt + latencyMs) : sentAt + latencyMs,
      attributes: {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": genAiProviderName(endpoint.provider.id),
        "gen_ai.request.model": endpoint.model.id,
        ...(status === 0 ? {} : { "http.response.status_code": status }),
        ...(cost === undefined ? {} : {
          "gen_ai.usage.input_tokens": cost.usage.inputTokens,
          "gen_ai.usage.output_tokens": cost.usage.outputTokens,
          "gen_ai.response.finish_reasons": cost.finishReason === undefined ? [] : [cost.finishReason],
        }),
      },
      error: code,
    });
  }

  /** Until the last of its attempts has ended: one that nobody waits for any more may outlive the call. */
  #timesOf({ startedAt, end, attempts }: CallRecord, to: number): SpanTimes {
    const ends = attempts.map(({ sentAt, latencyMs }) => sentAt + latencyMs);
    return { from: startedAt ?? this.#input.context.startedAt, to: Math.max(end?.at ?? to, ...ends) };
  }

  #child(
    name: string,
    { parent, kind = SpanKind.INTERNAL, attributes, error, ...own }: ChildSpan,
  ): PlacedSpan {
    const { tracer, offset } = this.#input;
    const { from, to } = timesWithin(parent, own);
    const within = otel.setSpan(ROOT_CONTEXT, parent.span);
    const span = tracer.startSpan(name, { kind, startTime: offset + from, attributes }, within);
    setError(span, error);
    span.end(offset + to);
    return { span, from, to };
  }
}

/** A call that was made: the first one of a request that was refused before was not. */
const isMade = ({ purpose, attempts, end, callCosts }: CallRecord): boolean =>
  purpose !== "model" || end !== undefined || attempts.length > 0 || callCosts.length > 0;

function setError(span: Span, error: string | undefined): void {
  if (error === undefined) return;
  span.setAttribute("error.type", error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Names, counts and money of a receipt; nothing of what was said. */
const attributesOf = (receipt: Receipt): Attributes => ({
  ...receiptAttributes(receipt),
  "gen_ai.conversation.id": receipt.session_id ?? undefined,
  "tollgate.cost_usd": nanoToUsd(BigInt(receipt.cost)),
});

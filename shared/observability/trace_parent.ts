/** W3C's header `traceparent`, and the ids that a request's `trace` has instead. */

export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly traceFlags: number;
}

const header = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;
const SAMPLED = 1;

/** Undefined for what is no header of this version, or names nothing. */
export function parseTraceparent(text: string | undefined): TraceParent | undefined {
  const [, traceId = "", spanId = "", flags = ""] = header.exec(text ?? "") ?? [];
  return isNamed(traceId, spanId)
    ? { traceId, spanId, traceFlags: parseInt(flags, 16) & SAMPLED }
    : undefined;
}

interface TraceFields {
  readonly trace_id?: unknown;
  readonly parent_span_id?: unknown;
}

/** The same from `trace` of a request, where both of its ids are those of the standard. */
export function traceFieldsParent({ trace_id, parent_span_id }: TraceFields): TraceParent | undefined {
  return parseTraceparent(`00-${String(trace_id)}-${String(parent_span_id)}-01`);
}

export const renderTraceparent = ({ traceId, spanId, traceFlags }: TraceParent): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;

/** Ids that are all zeros name nothing. */
const isNamed = (traceId: string, spanId: string): boolean => /[^0]/.test(traceId) && /[^0]/.test(spanId);

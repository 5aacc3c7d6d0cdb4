/** Spans of a request, as the stages see them; server/tracing/ makes them where traces are on. */

import type { Receipt } from "../../shared/receipts.ts";

/** The trace of one request. */
export interface RequestTrace {
  /** Value of the header `traceparent` for calls that belong to the request. */
  readonly traceparent: string;
  /** The request is over, at this monotonic ms: its receipt is made and tells how it went. */
  end(receipt: Receipt, monotonic: number): void;
}

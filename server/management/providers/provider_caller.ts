/** The one call of a provider's test; `composition.ts` makes it. */

import type { Caller } from "../../../shared/keys.ts";

export interface ProviderCall {
  readonly caller: Caller;
  /** Slug of the only provider that may serve. */
  readonly provider: string;
  readonly model: string;
  /** `req_…` of the operation. */
  readonly requestId: string;
}

export interface ProviderCallResult {
  /** The endpoint that was called. */
  readonly endpointId: string;
  readonly provider: string;
  readonly model: string;
  /** HTTP status of the provider; undefined where it gave none. */
  readonly status: number | undefined;
  readonly latencyMs: number;
  readonly totalMs: number;
  /** Text of the answer, which may be empty; undefined where none came. */
  readonly answer: string | undefined;
  /** Error of the call, in words without secrets. */
  readonly error: string | undefined;
  readonly receiptId: string;
}

/** Throws the ApiError of a call that was refused before any provider was asked. */
export type CallProviderOnce = (call: ProviderCall) => Promise<ProviderCallResult>;

/** Makes the error for routing and the caller of what a wire has read of a provider's error. */

import type { AccountError, Failure } from "../../canonical/event.ts";
import type { ProviderError } from "../../wire.ts";
import { accountErrorMessages, cleanErrorText } from "./error_text.ts";
import type { RequestFault } from "./request_fault.ts";

/** A provider's error as its wire reads it. */
export interface ErrorReading extends RequestFault {
  /** The provider's own words; those about the gateway's account are not passed on. */
  readonly message?: string;
  readonly code?: string;
  readonly param?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly account?: AccountError;
}

/** The error that a provider answered with. */
export const toProviderError = (status: number, error: ErrorReading): ProviderError => ({
  kind: error.kind,
  message: messageOf(error) ?? `The provider answered ${status}.`,
  code: error.code,
  param: error.param,
  endpointSpecific: error.endpointSpecific,
  ...retryAndAccount(error),
});

/** The error inside a stream or inside a 200. */
export const toFailure = (error: ErrorReading): Failure => ({
  kind: error.kind,
  message: messageOf(error) ?? "Provider call failed in the middle of its response.",
  code: error.code,
  ...(error.endpointSpecific ? { endpointSpecific: true } : {}),
  ...retryAndAccount(error),
});

const retryAndAccount = ({ retryAfter, account }: ErrorReading) => ({
  ...(retryAfter === undefined ? {} : { retryAfter }),
  ...(account === undefined ? {} : { account }),
});

const messageOf = ({ account, message }: ErrorReading): string | undefined =>
  account === undefined ? cleanErrorText(message) : accountErrorMessages[account];

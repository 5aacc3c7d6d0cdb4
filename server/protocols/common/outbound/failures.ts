/** Failures of calls at providers, told alike on every wire: errors of theirs, and answers that are broken. */

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

/** Nothing said that the answer is whole. */
export const streamCut: Failure = {
  kind: "upstream_failed",
  message: "The provider's stream ended before it was complete.",
  code: "stream_cut",
};

/** The stream ended before anything came. */
export const emptyAnswer: Failure = {
  kind: "upstream_failed",
  message: "The provider sent an empty answer.",
  code: "empty_answer",
};

export const malformedEvent: Failure = {
  kind: "upstream_failed",
  message: "The provider sent a malformed event.",
};

/** Failure of an answer that came as a whole. */
export const unreadableAnswer: Failure = {
  kind: "upstream_failed",
  message: "The provider's answer cannot be read.",
};

/** Classifies a speech provider's error: first by its own words, then as any provider's would be (faults U2–U4). */

import type { ApiErrorKind } from "../../shared/errors.ts";
import type { AccountError, Failure } from "../protocols/canonical/event.ts";
import {
  classifyError,
  findAccountError,
  type ProviderErrorFields,
} from "../protocols/common/outbound/error_kind.ts";
import { accountErrorMessages, cleanErrorText } from "../protocols/common/outbound/error_text.ts";
import type { ProviderError } from "../protocols/wire.ts";

export type { ProviderErrorFields } from "../protocols/common/outbound/error_kind.ts";

/** Verdict on an error: a fault of the account, or of the request. */
type ErrorVerdict = AccountError | {
  readonly kind: ApiErrorKind;
  /** Another endpoint might take the same request. */
  readonly elsewhere?: true;
  readonly param?: string;
};

/** A provider's own words that mean more than their status does, first match first. */
export type ErrorRules = readonly (readonly [RegExp, ErrorVerdict])[];

interface ErrorInput {
  readonly status: number;
  readonly reported: ProviderErrorFields;
  readonly words: ErrorRules;
}

export function toProviderError({ status, reported, words }: ErrorInput): ProviderError {
  const code = reported.code ?? reported.type;
  const verdict = verdictOn({ status, reported, words });
  if (typeof verdict === "string") {
    return {
      kind: "upstream_failed",
      message: accountErrorMessages[verdict],
      code,
      endpointSpecific: false,
      account: verdict,
    };
  }
  const { kind, elsewhere = false, param = reported.param } = verdict;
  const message = cleanErrorText(reported.message) ?? `The provider answered ${status}.`;
  return { kind, message, code, param, endpointSpecific: elsewhere };
}

/** Makes a failure of an error inside an answer. Without a status the provider has failed. */
export function toFailure(reported: ProviderErrorFields, words: ErrorRules): Failure {
  const { kind, message, code, account } = toProviderError({
    status: reported.status ?? 502,
    reported,
    words,
  });
  const silent = cleanErrorText(reported.message) === undefined && kind === "upstream_failed";
  const text = silent ? "Provider call failed in the middle of its response." : message;
  return { kind, message: text, code, ...(account === undefined ? {} : { account }) };
}

function verdictOn({ status, reported, words }: ErrorInput): ErrorVerdict {
  const text = `${reported.code ?? ""} ${reported.type ?? ""} ${reported.message ?? ""}`;
  const found = words.find(([pattern]) => pattern.test(text))?.[1] ?? findAccountError(status, reported);
  if (found !== undefined) return found;
  const { kind, endpointSpecific } = classifyError(status, reported);
  return endpointSpecific ? { kind, elsewhere: true } : { kind };
}

/** What a speech provider's error means: first by its own words, then as any provider's would (faults U2–U4). */

import type { RefusalKind } from "../../shared/errors.ts";
import type { Failure } from "../canonical/event.ts";
import { accountFault, meaningOf, type ToldError } from "../protocols/common/outbound/error_kind.ts";
import { type AccountFault, accountSentences, tidy } from "../protocols/common/outbound/error_text.ts";
import type { UpstreamError } from "../protocols/wire.ts";

export type { ToldError } from "../protocols/common/outbound/error_kind.ts";

/** What is between us and the provider, or what is wrong with the request. */
export type Verdict = AccountFault | {
  readonly kind: RefusalKind;
  /** Another endpoint might take the same request. */
  readonly elsewhere?: true;
  readonly param?: string;
};

/** A provider's own words that mean more than their status does, first match first. */
export type Words = readonly (readonly [RegExp, Verdict])[];

export interface Told {
  readonly status: number;
  readonly told: ToldError;
  readonly words: Words;
}

export function upstreamError({ status, told, words }: Told): UpstreamError {
  const code = told.code ?? told.type;
  const verdict = verdictOn({ status, told, words });
  if (typeof verdict === "string") {
    return { kind: "upstream_failed", message: accountSentences[verdict], code, endpointSpecific: false };
  }
  const { kind, elsewhere = false, param = told.param } = verdict;
  const message = tidy(told.message) ?? `The provider answered ${status}.`;
  return { kind, message, code, param, endpointSpecific: elsewhere };
}

/** What an error inside of an answer says. Without a status the provider has failed. */
export function toldFailure(told: ToldError, words: Words): Failure {
  const { kind, message, code } = upstreamError({ status: told.status ?? 502, told, words });
  const silent = tidy(told.message) === undefined && kind === "upstream_failed";
  return { kind, message: silent ? "The provider failed in the middle of its answer." : message, code };
}

function verdictOn({ status, told, words }: Told): Verdict {
  const text = `${told.code ?? ""} ${told.type ?? ""} ${told.message ?? ""}`;
  const found = words.find(([pattern]) => pattern.test(text))?.[1] ?? accountFault(status, told);
  if (found !== undefined) return found;
  const { kind, endpointSpecific } = meaningOf(status, told);
  return endpointSpecific ? { kind, elsewhere: true } : { kind };
}

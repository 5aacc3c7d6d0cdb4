/** Seconds for which responses to a key's requests are cached, as they are typed: empty for the usual time. */

import { cacheSecondsSchema } from "../../../shared/fields/response_cache.ts";
import { keyPanelText } from "../../text/keys.ts";
import { fieldProblem } from "../field_problem.ts";

export interface CacheDraft {
  readonly cache: boolean;
  readonly cacheSeconds: string;
}

/** Null for an empty field, undefined for what is no such number. */
export function parseSeconds(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(",", "");
  if (plain === "") return null;
  const seconds = /^\d{1,6}$/.test(plain) ? Number(plain) : Number.NaN;
  return fieldProblem(cacheSecondsSchema, seconds) === undefined ? seconds : undefined;
}

export const secondsText = (seconds: number | null): string => seconds === null ? "" : String(seconds);

/** Only where the field is shown. */
export const secondsProblem = ({ cache, cacheSeconds }: CacheDraft): string | undefined =>
  cache && parseSeconds(cacheSeconds) === undefined ? keyPanelText.cacheSecondsBad : undefined;

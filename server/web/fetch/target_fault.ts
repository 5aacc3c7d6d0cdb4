/** Whether a URL that is saved for later may be fetched at all, as far as the URL alone tells. */

import { FetchError } from "./fetch_error.ts";
import { type FetchPolicy, fetchTarget } from "./fetch_target.ts";

/** The host as it stands in a URL, by which people know it. */
const hostOf = (url: string): string => (URL.parse(url)?.host ?? "").slice(0, 253);

/** Why a URL may not be fetched, as the rest of a sentence, with the setting that would allow it; undefined for others. */
export function targetFault(url: string, policy: FetchPolicy): string | undefined {
  const reason = refusalOf(url, policy);
  if (reason === undefined) return undefined;
  const host = hostOf(url);
  const asNamed = { ...policy, allowedHosts: [host] };
  if (refusalOf(url, asNamed) !== undefined) return `may not be called: ${reason}`;
  return `may not be called: ${reason} The setting fetch.allowed_hosts of the configuration file does not name ${host}`;
}

function refusalOf(url: string, policy: FetchPolicy): string | undefined {
  try {
    fetchTarget(url, policy);
    return undefined;
  } catch (error) {
    if (error instanceof FetchError) return error.message;
    throw error;
  }
}

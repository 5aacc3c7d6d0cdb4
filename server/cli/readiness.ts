/** What a gateway says of itself at /readyz. */

import { isRecord, tryParseJson } from "../../shared/util/json.ts";
import type { Runtime } from "../runtime.ts";

export interface Readiness {
  readonly status: string;
  readonly reasons: readonly string[];
  /** What is wrong with the journal, where anything is. */
  readonly journal: string | undefined;
  /** The header. */
  readonly date: string | null;
}

/** What /readyz answers; undefined where nobody, or something else, listens. */
export async function readinessAt(
  { fetch: get }: Pick<Runtime, "fetch">,
  url: string,
): Promise<Readiness | undefined> {
  const response = await get(`${url}/readyz`).catch((error: unknown) => {
    if (error instanceof TypeError) return undefined;
    throw error;
  });
  if (response === undefined) return undefined;
  const told = tryParseJson(await response.text());
  if (!isRecord(told) || typeof told.status !== "string" || !Array.isArray(told.reasons)) return undefined;
  const journal = isRecord(told.details) ? told.details.journal : undefined;
  return {
    status: told.status,
    reasons: told.reasons.map(String),
    journal: typeof journal === "string" ? journal : undefined,
    date: response.headers.get("date"),
  };
}

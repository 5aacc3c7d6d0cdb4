/** What a gateway says of itself at /readyz. */

import type { Runtime } from "../runtime.ts";
import { tryParseReply } from "./parse_reply.ts";

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
  const told = tryParseReply(await response.text());
  if (!isRecord(told) || typeof told.status !== "string" || !Array.isArray(told.reasons)) return undefined;
  const journal = isRecord(told.details) ? told.details.journal : undefined;
  return {
    status: told.status,
    reasons: told.reasons.map(String),
    journal: typeof journal === "string" ? journal : undefined,
    date: response.headers.get("date"),
  };
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

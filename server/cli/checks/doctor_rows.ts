/** The lines of `deno task doctor`, and what it asks the gateway. */

import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import type { Runtime } from "../../runtime.ts";
import { answerOf } from "./check_error.ts";

type CheckResult = "ok" | "warning" | "failed";

export interface CheckRow {
  readonly check: string;
  readonly verdict: CheckResult;
  readonly found: string;
}

export const ok = (check: string, found: string): CheckRow => ({ check, verdict: "ok", found });
export const warning = (check: string, found: string): CheckRow => ({ check, verdict: "warning", found });
export const failed = (check: string, found: string): CheckRow => ({ check, verdict: "failed", found });

interface Wanted {
  readonly key: string;
  /** Below `/v1`. */
  readonly path: string;
}

/** Reads the answer of an operation, by its path below `/v1`. */
export type ReadOperation = (path: string) => Promise<unknown>;

/** The answer of an operation of the first gateway. Throws a CheckError where there is none. */
export async function readOperation(
  { runtime, urls }: { readonly runtime: Pick<Runtime, "fetch">; readonly urls: readonly string[] },
  { key, path }: Wanted,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}` };
  const called = runtime.fetch(`${urls[0] ?? ""}/v1${path}`, { headers });
  return tryParseJson(await answerOf(`GET ${path}`, called.then((response) => response.text())));
}

export function listOf(reply: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isRecord(reply) && Array.isArray(reply.data) ? reply.data.filter(isRecord) : [];
}

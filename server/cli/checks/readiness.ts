/** Reads what a gateway reports at /readyz. */

import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import type { Runtime } from "../../runtime.ts";

interface Readiness {
  readonly status: string;
  readonly reasons: readonly string[];
  /** Trouble with the journal, where there is any. */
  readonly journal: string | undefined;
  /** Trouble with files, where there is any. */
  readonly files: string | undefined;
  /** Which gateways keep files in another place, where any do. */
  readonly sharedFiles: string | undefined;
  /** Why pages and documents cannot be read, where they cannot. */
  readonly documents: string | undefined;
  /** The header. */
  readonly date: string | null;
}

/** Reads the reply of /readyz; undefined where nothing, or something else, listens. */
export async function readinessAt(
  { fetch: get }: Pick<Runtime, "fetch">,
  url: string,
): Promise<Readiness | undefined> {
  const read = async () => {
    const response = await get(`${url}/readyz`);
    return { body: tryParseJson(await response.text()), date: response.headers.get("date") };
  };
  const reply = await read().catch((error: unknown) => {
    if (error instanceof TypeError) return undefined;
    throw error;
  });
  if (reply === undefined) return undefined;
  const { body, date } = reply;
  if (!isRecord(body) || typeof body.status !== "string" || !Array.isArray(body.reasons)) {
    return undefined;
  }
  const details = isRecord(body.details) ? body.details : {};
  const { journal, files, documents, shared_files: sharedFiles } = details;
  return {
    status: body.status,
    reasons: body.reasons.map(String),
    journal: typeof journal === "string" ? journal : undefined,
    files: typeof files === "string" ? files : undefined,
    sharedFiles: typeof sharedFiles === "string" ? sharedFiles : undefined,
    documents: typeof documents === "string" ? documents : undefined,
    date,
  };
}

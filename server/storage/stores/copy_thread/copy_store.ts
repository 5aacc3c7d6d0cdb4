/**
 * A thread that copies the embedded store: SQLite does so without a pause, which would hold every request up for as
 * long as a large store takes. Imports nothing of the gateway's, so that its folder is all that it has to read.
 */

import { backup, DatabaseSync } from "node:sqlite";

/** Paths of the store's file, and of an empty one of which nobody has heard yet. */
export interface CopyRequest {
  readonly from: string;
  readonly to: string;
}

/** Undefined: it is done. */
export interface CopyReply {
  readonly error: string | undefined;
}

/** All pages in one step: a copy that is made in several begins anew whenever the store changes. */
const ALL_PAGES = 0x7fff_ffff;

async function copy({ from, to }: CopyRequest): Promise<string | undefined> {
  try {
    const source = new DatabaseSync(from, { readOnly: true });
    try {
      await backup(source, to, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
    return checkCopy(to);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Why the copy is not sound. */
function checkCopy(path: string): string | undefined {
  const database = new DatabaseSync(path);
  try {
    const found = database.prepare("pragma integrity_check").get()?.["integrity_check"];
    return found === "ok" ? undefined : `the copy is damaged: ${found}`;
  } finally {
    database.close();
  }
}

/** The worker's own end of the line to who has started it. */
interface ThreadScope {
  onmessage: ((event: MessageEvent<CopyRequest>) => void) | null;
  postMessage(reply: CopyReply): void;
}

/** Casts the global scope of a worker, which the types know as that of a page. */
function toThreadScope(scope: unknown): ThreadScope {
  return scope as ThreadScope;
}

const thread = toThreadScope(globalThis);
thread.onmessage = async ({ data }) => thread.postMessage({ error: await copy(data) });

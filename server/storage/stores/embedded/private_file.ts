/** Files of the embedded store, which their owner alone may read: what callers store is in them. */

import { systemReason } from "../../../../shared/util/system_reason.ts";

/** Files of SQLite beside the database, which belong to that database alone. It gives them the database's mode. */
export const COMPANIONS = ["-wal", "-shm"] as const;

const PRIVATE = 0o600;

/**
 * Creates the database's file with mode 0600, so that it never has another one, or changes those that are there.
 * Returns why that could not be done. The file must not be open in this process.
 */
export function makePrivate(path: string): string | undefined {
  try {
    Deno.openSync(path, { create: true, write: true, mode: PRIVATE }).close();
    // Modes mean nothing there.
    if (Deno.build.os === "windows") return undefined;
    for (const file of [path, ...COMPANIONS.map((ending) => path + ending)]) restrict(file);
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}

function restrict(file: string): void {
  try {
    const { mode } = Deno.statSync(file);
    if (mode !== null && (mode & 0o777) !== PRIVATE) Deno.chmodSync(file, PRIVATE);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

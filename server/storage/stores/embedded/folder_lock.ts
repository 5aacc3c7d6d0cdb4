/**
 * One process owns the embedded store. The lock is the kernel's, on an empty file: it goes with the process,
 * however that ends, and there is no process id to go stale.
 */

import { systemReason } from "../../../../shared/util/system_reason.ts";
import { StoreError } from "../store.ts";

export interface FolderLock {
  release(): void;
}

/** Throws a StoreError `in_use` when another process holds the folder, `unavailable` when it cannot be locked. */
export function lockFolder(folder: string): FolderLock {
  const file = openFile(`${folder}/lock`);
  if (!isLocked(file, folder)) {
    file.close();
    throw new StoreError(
      "in_use",
      `The data folder ${folder} is in use by another Tollgate: stop that one, or give this one a TOLLGATE_DATA of its own`,
    );
  }
  let held = true;
  return {
    release: () => {
      if (!held) return;
      held = false;
      // A program that is being started at this moment holds a copy of the descriptor, and with it the lock.
      file.unlockSync();
      file.close();
    },
  };
}

function openFile(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { create: true, read: true, write: true, mode: 0o600 });
  } catch (cause) {
    throw new StoreError("unavailable", `Cannot open ${path}: ${systemReason(cause)}`, { cause });
  }
}

/** False when somebody else holds the lock. */
function isLocked(file: Deno.FsFile, folder: string): boolean {
  try {
    return file.tryLockSync(true);
  } catch (cause) {
    file.close();
    throw new StoreError("unavailable", `Cannot lock the data folder ${folder}: ${systemReason(cause)}`, {
      cause,
    });
  }
}

/** Throws a StoreError `unavailable` that names the setting. */
export function makeFolder(folder: string): void {
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    // All folders above are made with it, so what is missing is a place that takes folders, such as below /proc.
    const reason = cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.NotCapable
      ? "no folder can be made in that place"
      : systemReason(cause);
    throw new StoreError(
      "unavailable",
      `Cannot make the data folder ${folder} (TOLLGATE_DATA): ${reason}`,
      { cause },
    );
  }
}

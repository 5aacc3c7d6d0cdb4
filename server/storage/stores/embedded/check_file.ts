/**
 * Reads a file of Deno KV before Deno does. Its background threads read tables of their own (queues, what expires), and a
 * damaged page in one of them ends the whole process, with a trace instead of a sentence.
 */

import { DatabaseSync } from "node:sqlite";
import { systemReason } from "../../../../shared/util/system_reason.ts";
import { StoreError } from "../store.ts";

/** A file up to this size is read whole, in some hundredths of a second. Damage in a larger one is met where it is read. */
const READ_WHOLE_BYTES = 64 * 1024 * 1024;

/** Statements that Deno reads by itself, in this order. */
const OWN_READS = [
  "select * from migration_state",
  "select * from data_version",
  "select 1 from kv where expiration_ms >= 0 and expiration_ms <= 9000000000000000 limit 1",
  "select 1 from kv limit 1",
  "select 1 from kv order by k desc limit 1",
];

/** Messages of SQLite for a file that is not what it has written. */
const damaged =
  /malformed|not a database|unsupported file format|disk I\/O error|no such (?:table|column|collation)|out of memory|too big/i;

/** Throws a StoreError `corrupt`. A file that cannot be opened is left to who opens it next. */
export function assertReadable(path: string, readWholeBytes = READ_WHOLE_BYTES): void {
  const size = sizeOf(path);
  if (size === 0) return;
  const trouble = findDamage(path, size <= readWholeBytes);
  if (trouble === undefined) return;
  throw new StoreError("corrupt", `${path} is damaged: restore it from a backup. SQLite says: ${trouble}`);
}

/** 0 for a file that is not there. */
function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    // Opening it says why.
    return 0;
  }
}

function findDamage(path: string, isWhole: boolean): string | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    for (const read of OWN_READS) database.prepare(read).all();
    const checks = isWhole
      ? ["pragma quick_check(1)"]
      : ["pragma quick_check('queue')", "pragma quick_check('queue_running')"];
    for (const check of checks) {
      const received = database.prepare(check).get()?.["quick_check"];
      if (received !== "ok") return String(received).slice(0, 200);
    }
    return undefined;
  } catch (error) {
    const reason = systemReason(error);
    return damaged.test(reason) ? reason : undefined;
  } finally {
    database?.close();
  }
}

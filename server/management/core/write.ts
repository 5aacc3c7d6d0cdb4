/**
 * How operations write: in turns, with the audit row and the cache versions in the same commit, and told to the
 * caches.
 */

import type * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { pauseBefore, type PauseRuntime } from "../../storage/stores/pause.ts";
import type { Collection, StoredRecord } from "../../storage/stores/collection.ts";
import type { StoreKey, StorePut, VersionCheck } from "../../storage/stores/store.ts";
import type { OperationInput } from "./operation.ts";
import type { AuditChange } from "../audit/audit_log.ts";
import type { ManagementDeps } from "./management_deps.ts";
import type { CacheTopic } from "./cache_versions.ts";

export interface ManagementWrite {
  readonly checks?: readonly VersionCheck[];
  readonly puts?: readonly StorePut[];
  readonly deletes?: readonly StoreKey[];
  /** Goes into the audit log. */
  readonly change: AuditChange;
  /** Cached topic that changes; `id` names the record in this process. */
  readonly cacheTopic: { readonly topic: CacheTopic; readonly id?: string };
  /** No value written here holds, or ever held, more than 60,000 bytes. */
  readonly small?: boolean;
}

type WriteDeps = Pick<ManagementDeps, "store" | "cacheVersions" | "audit">;

/**
 * One commit. False when a check failed: read again and try again. A remote store may apply a commit and lose the
 * reply, so that the second try fails its checks: the audit row, which no other commit writes, tells.
 */
export async function commitWrite(
  { store, cacheVersions, audit }: WriteDeps,
  wanted: ManagementWrite,
): Promise<boolean> {
  const { checks = [], puts = [], deletes = [], change, cacheTopic, small } = wanted;
  const row = audit.put(change);
  const all = [...puts, row, cacheVersions.put(cacheTopic.topic)];
  const result = await store.commit({ checks, puts: all, deletes, small }).catch((error: unknown) => {
    // It may have happened: better to look again than to go on with what was.
    cacheVersions.changed(cacheTopic.topic, cacheTopic.id);
    throw error;
  });
  if (result.type === "conflict" && await store.get(row.key) === undefined) return false;
  cacheVersions.changed(cacheTopic.topic, cacheTopic.id);
  return true;
}

/** A record that an operation creates, changes or deletes, and what is written with it. */
export interface RecordWrite<S extends z.ZodType>
  extends Pick<ManagementWrite, "checks" | "puts" | "deletes" | "small"> {
  readonly rows: Collection<S>;
  /** A list for a record whose key has several parts; the last one names it in the audit log. */
  readonly id: string | StoreKey;
  /** As it was read; undefined where it is created. */
  readonly before?: StoredRecord<z.output<S>>;
  /** Undefined where it is deleted. */
  readonly after?: z.output<S> & z.input<S>;
  /** The record as the audit log shows it, without secrets. */
  readonly describe: (record: z.output<S>) => unknown;
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  readonly operation: string;
  /** Name of the record in the audit log. */
  readonly subject: string;
  readonly topic: CacheTopic;
  /** Drops everything of the topic from caches, not only this record. */
  readonly dropsAll?: boolean;
}

/** One commit of one record, if nobody has changed it since it was read. False when somebody has. */
export function commitRecord<S extends z.ZodType>(deps: WriteDeps, wanted: RecordWrite<S>): Promise<boolean> {
  const { rows, id, before, after, describe, input, operation, subject, topic } = wanted;
  const { checks = [], puts = [], deletes = [], small, dropsAll = false } = wanted;
  const key = typeof id === "string" ? [id] : id;
  const name = String(key.at(-1));
  return commitWrite(deps, {
    checks: [rows.check(key, before?.version ?? null), ...checks],
    puts: [...(after === undefined ? [] : [rows.put(key, after)]), ...puts],
    deletes: [...(after === undefined ? [rows.key(key)] : []), ...deletes],
    change: {
      ...auditCaller(input),
      operation,
      subject: { type: subject, id: name },
      before: before === undefined ? null : describe(before.record),
      after: after === undefined ? null : describe(after),
    },
    cacheTopic: dropsAll ? { topic } : { topic, id: name },
    small,
  });
}

/** Caller of an operation, for the audit row. */
export const auditCaller = ({ caller, requestId }: Pick<OperationInput, "caller" | "requestId">) => ({
  caller,
  requestId,
});

/** Returned by an attempt that met another writer. */
export const WRITE_CONFLICT = Symbol("conflict");

/** With pauses of up to 250 ms these take several seconds. */
const TRIES = 50;

/**
 * Tries again for as long as others write the same records, with pauses that grow. Throws an ApiError `unavailable`
 * after 50 times.
 */
export async function retryOnConflict<T>(
  runtime: PauseRuntime,
  attempt: () => Promise<T | typeof WRITE_CONFLICT>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    await pauseBefore(tries, runtime);
    const result = await attempt();
    if (result !== WRITE_CONFLICT) return result;
  }
  throw new ApiError("unavailable", "Too many concurrent changes to this record. Try again in a moment.", {
    retryAfter: 1,
  });
}

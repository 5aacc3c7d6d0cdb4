/** Writes a key that is created, changed or deleted, with its audit row and the version of caches. */

import type { OperationInput } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { auditCaller, commitWrite, type ManagementWrite } from "../core/write.ts";
import { serializeAuditedKey } from "./key_record.ts";
import type { KeyRow } from "./key_rows.ts";

interface KeyChange extends Pick<ManagementWrite, "checks" | "puts" | "deletes"> {
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  readonly operation: string;
}

/** Row before the change, behind it, or both: a key that is rotated has another hash then. */
type KeyStates =
  | { readonly before?: KeyRow; readonly after: KeyRow }
  | { readonly before: KeyRow; readonly after?: undefined };

/** One commit. False when a check failed. */
export function commitKey(deps: ManagementDeps, wanted: KeyChange & KeyStates): Promise<boolean> {
  const { input, operation, before, after, checks, puts, deletes } = wanted;
  const { kind, hash } = wanted.after ?? wanted.before;
  return commitWrite(deps, {
    checks,
    puts,
    deletes,
    change: {
      ...auditCaller(input),
      operation,
      subject: { type: kind === "management" ? "management_key" : "key", id: hash },
      before: before === undefined ? null : serializeAuditedKey(before),
      after: after === undefined ? null : serializeAuditedKey(after),
    },
    cacheTopic: { topic: "keys", id: before?.hash ?? hash },
    small: true,
  });
}

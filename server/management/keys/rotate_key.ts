/** A new text for a key. The successor counts under the ledger id of the first, so limit and spend carry over. */

import type { keyApi } from "../../../shared/management/keys.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { KeyRecord } from "../../../shared/keys.ts";
import type { OperationInput } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { commitKey } from "./commit_key.ts";
import { isActive, keyPuts } from "./lists/key_index.ts";
import { ledgerIdOf, lineagePut } from "./key_lineage.ts";
import { serializeKey } from "./key_record.ts";
import { keyCollection, type KeyRow, keyScope, newKeyRow, newToken } from "./key_rows.ts";
import { requireKey } from "./key_access.ts";
import { WRITE_CONFLICT } from "../core/write.ts";

type Rotate = typeof keyApi["keys.rotate"];

export async function rotateKey(
  deps: ManagementDeps,
  input: OperationInput<Rotate>,
): Promise<{ readonly data: KeyRecord; readonly key: string } | typeof WRITE_CONFLICT> {
  const { store, runtime, ledger } = deps;
  const found = await requireKey(deps, input);
  const now = runtime.clock.now();
  assertLive(found.record, now);
  const home = await findTargetWorkspace(store, { id: found.record.workspace_id, verb: "rotate key" });
  const token = newToken("api", runtime);
  const next = successor(found.record, { token, now });
  const old = disableOldKey(found.record, { at: now + input.body.overlap_seconds * 1000, now });
  const rows = keyCollection(store);
  const done = await commitKey(deps, {
    input,
    operation: "keys.rotate",
    before: found.record,
    after: next,
    checks: [rows.check([old.hash], found.version), rows.check([next.hash], null), home.check],
    puts: [...keyPuts(store, old), ...keyPuts(store, next), lineagePut(store, next)],
  });
  if (!done) return WRITE_CONFLICT;
  return { data: serializeKey(next, await ledger.readSpend(keyScope(next))), key: token };
}

function assertLive({ disabled, expires_at }: KeyRow, now: number): void {
  if (isActive({ disabled, expires_at }, now)) return;
  const why = disabled ? "it is disabled" : `it expired at ${expires_at}`;
  throw new ApiError("invalid_request", `Cannot rotate key: ${why}`);
}

/** All that the old key was, under a new text. */
function successor(old: KeyRow, { token, now }: { readonly token: string; readonly now: number }): KeyRow {
  const { name, workspace_id: workspaceId } = old;
  const { hash, label, created_at } = newKeyRow({ kind: "api", token, name, workspaceId }, now);
  return { ...old, hash, label, created_at, updated_at: null, ledger_id: ledgerIdOf(old) };
}

/** Valid until the overlap ends, or its own end if that comes first. */
function disableOldKey(old: KeyRow, { at, now }: { readonly at: number; readonly now: number }): KeyRow {
  const ends = Math.min(at, old.expires_at === null ? Infinity : Date.parse(old.expires_at));
  return { ...old, expires_at: new Date(ends).toISOString(), updated_at: new Date(now).toISOString() };
}

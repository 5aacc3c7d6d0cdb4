/** A new text for a key. The successor counts under the ledger id of the first, so limit and spend carry over. */

import type { keyApi } from "../../../shared/management/keys.ts";
import { Refusal } from "../../../shared/errors.ts";
import type { KeyRecord } from "../../../shared/keys.ts";
import type { Asked } from "../core/operation.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { homeWorkspace } from "../workspaces/default_workspace.ts";
import { isActive, keyPuts } from "./key_index.ts";
import { ledgerIdOf, linePut } from "./key_lineage.ts";
import { auditedKey, keyRecord } from "./key_record.ts";
import { type KeyRow, keyRows, newKeyRow, newToken, scopeOfKey } from "./key_rows.ts";
import { reach } from "./key_access.ts";
import { askedBy, CONFLICT, write } from "../core/write.ts";

type Rotate = typeof keyApi["keys.rotate"];

export async function rotateKey(
  deps: AdminDeps,
  asked: Asked<Rotate>,
): Promise<{ readonly data: KeyRecord; readonly key: string } | typeof CONFLICT> {
  const { store, world, ledger } = deps;
  const found = await reach(deps, asked);
  const now = world.clock.now();
  assertLive(found.record, now);
  const home = await homeWorkspace(store, { id: found.record.workspace_id, verb: "rotate key" });
  const token = newToken("api", world);
  const next = successor(found.record, { token, now });
  const old = retired(found.record, { at: now + asked.body.overlap_seconds * 1000, now });
  const rows = keyRows(store);
  const done = await write(deps, {
    checks: [rows.check([old.hash], found.version), rows.check([next.hash], null), home.check],
    puts: [...keyPuts(store, old), ...keyPuts(store, next), linePut(store, next)],
    change: {
      ...askedBy(asked),
      operation: "keys.rotate",
      subject: { type: "key", id: next.hash },
      before: auditedKey(found.record),
      after: auditedKey(next),
    },
    epoch: { topic: "keys", id: old.hash },
    small: true,
  });
  if (!done) return CONFLICT;
  return { data: keyRecord(next, await ledger.spendOf(scopeOfKey(next))), key: token };
}

function assertLive({ disabled, expires_at }: KeyRow, now: number): void {
  if (isActive({ disabled, expires_at }, now)) return;
  const why = disabled ? "it is disabled" : `it expired at ${expires_at}`;
  throw new Refusal("invalid_request", `Cannot rotate key: ${why}`);
}

/** All that the old key was, under a new text. */
function successor(old: KeyRow, { token, now }: { readonly token: string; readonly now: number }): KeyRow {
  const { name, workspace_id: workspaceId } = old;
  const { hash, label, created_at } = newKeyRow({ kind: "api", token, name, workspaceId }, now);
  return { ...old, hash, label, created_at, updated_at: null, ledger_id: ledgerIdOf(old) };
}

/** Valid until the overlap ends, or its own end if that comes first. */
function retired(old: KeyRow, { at, now }: { readonly at: number; readonly now: number }): KeyRow {
  const ends = Math.min(at, old.expires_at === null ? Infinity : Date.parse(old.expires_at));
  return { ...old, expires_at: new Date(ends).toISOString(), updated_at: new Date(now).toISOString() };
}

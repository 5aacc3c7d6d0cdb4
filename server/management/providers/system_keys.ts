/**
 * Keys with which the gateway itself makes calls of a workspace for its managers: made at first use, and listed,
 * limited, disabled and deleted as any other. Nobody has their text, so nobody can call with them.
 */

import * as z from "zod";
import { keyHashSchema } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationInput } from "../core/operation.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { commitKey } from "../keys/commit_key.ts";
import { keyCollection, type KeyRow, newKeyRow, newToken } from "../keys/key_rows.ts";
import { keyPuts } from "../keys/lists/key_index.ts";

/** Purposes of system keys, and the names with which they are made. */
const names = { provider_test: "Provider tests" } as const;

const systemKeySchema = z.object({ hash: keyHashSchema });

/** By workspace and purpose. */
export const systemKeyCollection = (store: Store): Collection<typeof systemKeySchema> =>
  new Collection({ store, name: "system_keys", schema: systemKeySchema });

interface SystemKeyInput {
  readonly purpose: keyof typeof names;
  /** UUID; the default workspace where it is undefined. */
  readonly workspaceId: string | undefined;
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  /** For API errors: `test provider`. */
  readonly verb: string;
}

/** Finds a workspace's key for a purpose, or makes it. Throws an ApiError (400) where there is no such workspace. */
export function systemKey(deps: ManagementDeps, wanted: SystemKeyInput): Promise<KeyRow> {
  return retryOnConflict(deps.runtime, () => findOrMake(deps, wanted));
}

async function findOrMake(
  deps: ManagementDeps,
  { purpose, workspaceId, input, verb }: SystemKeyInput,
): Promise<KeyRow | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const home = await findTargetWorkspace(store, { id: workspaceId, verb });
  const rows = systemKeyCollection(store);
  const known = await rows.get(home.id, purpose);
  const key = known && await keyCollection(store).get(known.record.hash);
  if (key !== undefined && !isOver(key.record, runtime.clock.now())) return key.record;
  const token = newToken("api", runtime);
  const made = newKeyRow(
    { kind: "api", token, name: names[purpose], workspaceId: home.id },
    runtime.clock.now(),
  );
  const done = await commitKey(deps, {
    input,
    operation: "keys.create",
    after: made,
    checks: [rows.check([home.id, purpose], known?.version ?? null), home.check],
    puts: [...keyPuts(store, made), rows.put([home.id, purpose], { hash: made.hash })],
  });
  return done ? made : WRITE_CONFLICT;
}

/** Whether it has expired, as one that was rotated does: another one is made then. */
const isOver = ({ expires_at: end }: KeyRow, now: number): boolean => end !== null && Date.parse(end) <= now;

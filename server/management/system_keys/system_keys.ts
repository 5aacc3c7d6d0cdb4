/**
 * Keys with which the gateway itself makes calls of a workspace for its managers: made at first use, and listed,
 * limited, disabled and deleted as any other. Nobody has their text, so nobody can call with them.
 */

import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { keyHashSchema } from "../../../shared/keys.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationInput } from "../core/operation.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { commitKey } from "../keys/commit_key.ts";
import { anyKeyOf, encodeLimit, keyCollection, type KeyRow, newKeyRow, newToken } from "../keys/key_rows.ts";
import { keyPuts } from "../keys/lists/key_index.ts";

interface SystemKeyRow {
  readonly name: string;
  /** USD a UTC day; none when absent. */
  readonly dailyLimit?: number;
}

/** Purposes of system keys, and how they are made. */
const purposes = {
  provider_test: { name: "Provider tests" },
  playground: { name: "Console playground", dailyLimit: 5 },
} as const satisfies Record<string, SystemKeyRow>;

type SystemKeyPurpose = keyof typeof purposes;

const systemKeySchema = z.object({ hash: keyHashSchema });

/** By workspace and purpose. */
export const systemKeyCollection = (store: Store): Collection<typeof systemKeySchema> =>
  new Collection({ store, name: "system_keys", schema: systemKeySchema });

interface SystemKeyInput {
  readonly purpose: SystemKeyPurpose;
  /** UUID; the default workspace where it is undefined. */
  readonly workspaceId: string | undefined;
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  /** For API errors: `test provider`. */
  readonly verb: string;
}

/**
 * Finds a workspace's key for a purpose, or makes it. Throws an ApiError (400) where there is no such workspace, or the
 * key is disabled.
 */
export async function systemKey(deps: ManagementDeps, wanted: SystemKeyInput): Promise<KeyRow> {
  const key = await retryOnConflict(deps.runtime, () => findOrMake(deps, wanted));
  if (!key.disabled) return key;
  const message = `Cannot ${wanted.verb}: its key, ${
    formatValue(key.name)
  }, is disabled; enable or delete it`;
  throw new ApiError("invalid_request", message, { metadata: { api_key_hash: key.hash } });
}

/** A workspace's key for a purpose as it stands, or as it would be made; then its hash is that of no key. */
export async function peekSystemKey(
  { store, runtime }: Pick<ManagementDeps, "store" | "runtime">,
  { purpose, workspaceId, verb }: Omit<SystemKeyInput, "input">,
): Promise<{ readonly row: KeyRow; readonly isMade: boolean }> {
  const { id } = await findTargetWorkspace(store, { id: workspaceId, verb });
  const known = await usableKey({ store, runtime }, [id, purpose]);
  return known.key === undefined
    ? { row: { ...anyKeyOf(id), ...settingsOf(purposes[purpose]) }, isMade: false }
    : { row: known.key, isMade: true };
}

/** The key that stands at a place, and the version of what says so. */
async function usableKey(
  { store, runtime }: Pick<ManagementDeps, "store" | "runtime">,
  place: readonly [workspaceId: string, purpose: SystemKeyPurpose],
) {
  const known = await systemKeyCollection(store).get(...place);
  const found = known && await keyCollection(store).get(known.record.hash);
  const isUsable = found !== undefined && !isOver(found.record, runtime.clock.now());
  return { version: known?.version ?? null, key: isUsable ? found.record : undefined };
}

const settingsOf = ({ name, dailyLimit }: SystemKeyRow) => ({
  name,
  ...(dailyLimit === undefined
    ? {}
    : { ...encodeLimit(dailyLimit), limit_reset: "daily" as const, include_byok_in_limit: true }),
});

async function findOrMake(
  deps: ManagementDeps,
  { purpose, workspaceId, input, verb }: SystemKeyInput,
): Promise<KeyRow | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const home = await findTargetWorkspace(store, { id: workspaceId, verb });
  const rows = systemKeyCollection(store);
  const { key, version } = await usableKey(deps, [home.id, purpose]);
  if (key !== undefined) return key;
  const settings = settingsOf(purposes[purpose]);
  const token = newToken("api", runtime);
  const named = { kind: "api", token, name: settings.name, workspaceId: home.id } as const;
  const made = { ...newKeyRow(named, runtime.clock.now()), ...settings };
  const done = await commitKey(deps, {
    input,
    operation: "keys.create",
    after: made,
    checks: [rows.check([home.id, purpose], version), home.check],
    puts: [...keyPuts(store, made), rows.put([home.id, purpose], { hash: made.hash })],
  });
  return done ? made : WRITE_CONFLICT;
}

/** Whether it has expired, as one that was rotated does: another one is made then. */
const isOver = ({ expires_at: end }: KeyRow, now: number): boolean => end !== null && Date.parse(end) <= now;

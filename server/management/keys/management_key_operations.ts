/** The operations on management keys. They live apart from API keys: neither is found under the other. */

import type { ManagementKey, managementKeyApi } from "../../../shared/management/management_keys.ts";
import { ApiError } from "../../../shared/errors.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { commitKey } from "./commit_key.ts";
import { keyDeletes, keyPuts } from "./lists/key_index.ts";
import { type KeyRow, newKeyRow, newToken } from "./key_rows.ts";
import {
  assertFullKeyRemains,
  type GuardedKeys,
  listManagementKeys,
  readGuardedKeys,
} from "./management_key_guard.ts";
import { paginate } from "../core/pages.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";

type Table = typeof managementKeyApi;

export function managementKeyOperations(deps: ManagementDeps): OperationHandlers<Table> {
  const mutex = new KeyedMutex();
  const alone = <T>(attempt: () => Promise<T | typeof WRITE_CONFLICT>) =>
    mutex.run("", () => retryOnConflict(deps.runtime, attempt));
  return {
    "management_keys.list": async ({ query }) =>
      paginate((await listManagementKeys(deps.store)).map(serializeManagementKey), query),
    "management_keys.create": (input) => alone(() => create(deps, input)),
    "management_keys.update": (input) => alone(() => update(deps, input)),
    "management_keys.delete": (input) => alone(() => remove(deps, input)),
  };
}

function serializeManagementKey(row: KeyRow): ManagementKey {
  const { hash, name, label, disabled, read_only, created_at, updated_at, expires_at } = row;
  return { hash, name, label, disabled, read_only, created_at, updated_at, expires_at };
}

function assertFuture(expiresAt: string | null | undefined, { now, verb }: { now: number; verb: string }) {
  if (typeof expiresAt !== "string" || Date.parse(expiresAt) > now) return;
  throw new ApiError(
    "invalid_request",
    `Cannot ${verb}: expires_at is ${expiresAt}; it must be in the future`,
    { metadata: { path: "expires_at" } },
  );
}

async function create(
  deps: ManagementDeps,
  input: OperationInput<Table["management_keys.create"]>,
): Promise<{ readonly data: ManagementKey; readonly key: string } | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const { body: { name, read_only, expires_at = null }, caller: { workspaceId } } = input;
  const now = runtime.clock.now();
  assertFuture(expires_at, { now, verb: "create management key" });
  const token = newToken("management", runtime);
  const row: KeyRow = {
    ...newKeyRow({ kind: "management", token, name, workspaceId }, now),
    read_only,
    expires_at,
  };
  const guard = await readGuardedKeys(store, runtime.id());
  const done = await commitKey(deps, {
    input,
    operation: "management_keys.create",
    after: row,
    checks: [guard.check],
    puts: [guard.put, ...keyPuts(store, row)],
  });
  return done ? { data: serializeManagementKey(row), key: token } : WRITE_CONFLICT;
}

interface ReachOptions {
  readonly guard: GuardedKeys;
  readonly input: Pick<OperationInput, "params">;
}

/** The key of the path among all. An API key's hash is none here, as it is the other way round. */
function requireManagementKey(deps: ManagementDeps, { guard, input }: ReachOptions): KeyRow {
  const hash = pathParameter(input, "hash");
  // An earlier commit whose reply was lost may have changed or removed it without telling the caches.
  deps.cacheVersions.changed("keys", hash);
  const row = guard.keys.find((key) => key.hash === hash);
  if (row) return row;
  throw new ApiError("not_found", "There is no management key with this hash.");
}

async function update(
  deps: ManagementDeps,
  input: OperationInput<Table["management_keys.update"]>,
): Promise<{ readonly data: ManagementKey } | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const guard = await readGuardedKeys(store, runtime.id());
  const before = requireManagementKey(deps, { guard, input });
  const { name, disabled, read_only, expires_at } = input.body;
  const wanted: KeyRow = {
    ...before,
    name: name ?? before.name,
    disabled: disabled ?? before.disabled,
    read_only: read_only ?? before.read_only,
    expires_at: expires_at === undefined ? before.expires_at : expires_at,
  };
  if (JSON.stringify(wanted) === JSON.stringify(before)) return { data: serializeManagementKey(before) };
  const now = runtime.clock.now();
  if (wanted.expires_at !== before.expires_at) {
    assertFuture(expires_at, { now, verb: "update management key" });
  }
  assertFullKeyRemains({ keys: guard.keys, before, after: wanted, now, verb: "update management key" });
  const after = { ...wanted, updated_at: new Date(now).toISOString() };
  const done = await commitKey(deps, {
    input,
    operation: "management_keys.update",
    before,
    after,
    checks: [guard.check],
    puts: [guard.put, ...keyPuts(store, after)],
  });
  return done ? { data: serializeManagementKey(after) } : WRITE_CONFLICT;
}

async function remove(
  deps: ManagementDeps,
  input: OperationInput<Table["management_keys.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const guard = await readGuardedKeys(store, runtime.id());
  const before = requireManagementKey(deps, { guard, input });
  const now = runtime.clock.now();
  assertFullKeyRemains({ keys: guard.keys, before, after: undefined, now, verb: "delete management key" });
  const done = await commitKey(deps, {
    input,
    operation: "management_keys.delete",
    before,
    checks: [guard.check],
    puts: [guard.put],
    deletes: keyDeletes(store, before),
  });
  return done ? { deleted: true } : WRITE_CONFLICT;
}

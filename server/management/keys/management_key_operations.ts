/** What the operations on management keys do. They live apart from API keys: neither is found under the other. */

import type { ManagementKey, managementKeyApi } from "../../../shared/management/management_keys.ts";
import { Refusal } from "../../../shared/errors.ts";
import type { Put, StoreKey } from "../../stores/store.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import type { Change } from "../audit/audit_log.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { keyDeletes, keyPuts } from "./key_index.ts";
import { auditedKey } from "./key_record.ts";
import { type KeyRow, newKeyRow, newToken } from "./key_rows.ts";
import { assertOneRemains, type Guarded, guarded, managementKeys } from "./management_key_guard.ts";
import { paged } from "../core/pages.ts";
import { askedBy, CONFLICT, retried, Turns, write } from "../core/write.ts";

type Table = typeof managementKeyApi;

export function managementKeyActs(deps: AdminDeps): Acts<Table> {
  const turns = new Turns();
  const alone = <T>(attempt: () => Promise<T | typeof CONFLICT>) =>
    turns.run("", () => retried(deps.world, attempt));
  return {
    "management_keys.list": async ({ query }) =>
      paged((await managementKeys(deps.store)).map(managementKey), query),
    "management_keys.create": (asked) => alone(() => create(deps, asked)),
    "management_keys.update": (asked) => alone(() => update(deps, asked)),
    "management_keys.delete": (asked) => alone(() => remove(deps, asked)),
  };
}

function managementKey(row: KeyRow): ManagementKey {
  const { hash, name, label, disabled, read_only, created_at, updated_at, expires_at } = row;
  return { hash, name, label, disabled, read_only, created_at, updated_at, expires_at };
}

interface GuardedWrite {
  readonly guard: Guarded;
  readonly hash: string;
  readonly puts?: readonly Put[];
  readonly deletes?: readonly StoreKey[];
  readonly change: Omit<Change, "subject">;
}

function writeGuarded(deps: AdminDeps, { guard, hash, puts = [], deletes, change }: GuardedWrite) {
  return write(deps, {
    checks: [guard.check],
    puts: [guard.put, ...puts],
    deletes,
    change: { ...change, subject: { type: "management_key", id: hash } },
    epoch: { topic: "keys", id: hash },
    small: true,
  });
}

function assertFuture(expiresAt: string | null | undefined, { now, verb }: { now: number; verb: string }) {
  if (typeof expiresAt !== "string" || Date.parse(expiresAt) > now) return;
  throw new Refusal(
    "invalid_request",
    `Cannot ${verb}: expires_at is ${expiresAt}; it must be in the future`,
    { metadata: { path: "expires_at" } },
  );
}

async function create(
  deps: AdminDeps,
  asked: Asked<Table["management_keys.create"]>,
): Promise<{ readonly data: ManagementKey; readonly key: string } | typeof CONFLICT> {
  const { store, world } = deps;
  const { body: { name, read_only, expires_at = null }, caller: { workspaceId } } = asked;
  const now = world.clock.now();
  assertFuture(expires_at, { now, verb: "create management key" });
  const token = newToken("management", world);
  const row: KeyRow = {
    ...newKeyRow({ kind: "management", token, name, workspaceId }, now),
    read_only,
    expires_at,
  };
  const done = await writeGuarded(deps, {
    guard: await guarded(store, world.id()),
    hash: row.hash,
    puts: keyPuts(store, row),
    change: { ...askedBy(asked), operation: "management_keys.create", before: null, after: auditedKey(row) },
  });
  return done ? { data: managementKey(row), key: token } : CONFLICT;
}

interface Wanted {
  readonly guard: Guarded;
  readonly asked: Pick<Asked, "params">;
}

/** The key of the path among all. An API key's hash is none here, as it is the other way round. */
function reach(deps: AdminDeps, { guard, asked }: Wanted): KeyRow {
  const hash = param(asked, "hash");
  // An earlier commit whose reply was lost may have changed or removed it without telling the caches.
  deps.epochs.changed("keys", hash);
  const row = guard.keys.find((key) => key.hash === hash);
  if (row) return row;
  throw new Refusal("not_found", "There is no management key with this hash.");
}

async function update(
  deps: AdminDeps,
  asked: Asked<Table["management_keys.update"]>,
): Promise<{ readonly data: ManagementKey } | typeof CONFLICT> {
  const { store, world } = deps;
  const guard = await guarded(store, world.id());
  const before = reach(deps, { guard, asked });
  const { name, disabled, read_only, expires_at } = asked.body;
  const wanted: KeyRow = {
    ...before,
    name: name ?? before.name,
    disabled: disabled ?? before.disabled,
    read_only: read_only ?? before.read_only,
    expires_at: expires_at === undefined ? before.expires_at : expires_at,
  };
  if (JSON.stringify(wanted) === JSON.stringify(before)) return { data: managementKey(before) };
  const now = world.clock.now();
  if (wanted.expires_at !== before.expires_at) {
    assertFuture(expires_at, { now, verb: "update management key" });
  }
  assertOneRemains({ keys: guard.keys, before, after: wanted, now, verb: "update management key" });
  const after = { ...wanted, updated_at: new Date(now).toISOString() };
  const done = await writeGuarded(deps, {
    guard,
    hash: before.hash,
    puts: keyPuts(store, after),
    change: {
      ...askedBy(asked),
      operation: "management_keys.update",
      before: auditedKey(before),
      after: auditedKey(after),
    },
  });
  return done ? { data: managementKey(after) } : CONFLICT;
}

async function remove(
  deps: AdminDeps,
  asked: Asked<Table["management_keys.delete"]>,
): Promise<{ readonly deleted: true } | typeof CONFLICT> {
  const { store, world } = deps;
  const guard = await guarded(store, world.id());
  const before = reach(deps, { guard, asked });
  const now = world.clock.now();
  assertOneRemains({ keys: guard.keys, before, after: undefined, now, verb: "delete management key" });
  const done = await writeGuarded(deps, {
    guard,
    hash: before.hash,
    deletes: keyDeletes(store, before),
    change: {
      ...askedBy(asked),
      operation: "management_keys.delete",
      before: auditedKey(before),
      after: null,
    },
  });
  return done ? { deleted: true } : CONFLICT;
}

/** Later starts: a key of the environment that differs from the one in use takes its place, and that one is revoked. */

import type { StoredRecord } from "../../storage/stores/collection.ts";
import { pauseBefore } from "../../storage/stores/pause.ts";
import { StoreError, type StorePut } from "../../storage/stores/store.ts";
import { CacheVersions } from "../core/cache_versions.ts";
import {
  firstKeyNames,
  type FirstStartOptions,
  type Installation,
  INSTALLATION_ID,
  type InstallationCollection,
} from "../core/installation.ts";
import { keyDeletes, keyPuts } from "./lists/key_index.ts";
import { ledgerIdOf, lineagePut } from "./key_lineage.ts";
import { hashKey, keyCollection, keyLabel, type KeyRow, newKeyRow } from "./key_rows.ts";
import { StartError } from "../core/start_error.ts";
import { workspaceCollection } from "../workspaces/workspace_rows.ts";

type OwnKind = "management" | "api";

interface ReplaceKeysOptions extends FirstStartOptions {
  readonly installed: InstallationCollection;
}

const settings = { management: "TOLLGATE_MANAGEMENT_KEY", api: "TOLLGATE_API_KEY" } as const;
const fields = { management: "management_hash", api: "api_hash" } as const;
/** Whatever became of the old key, the operator wants this one to work. */
const usable = { disabled: false, expires_at: null } as const;
const TRIES = 10;

/** Throws a StartError when a key is in use as another kind already. */
export async function replaceConfiguredKeys(options: ReplaceKeysOptions): Promise<void> {
  for (const kind of ["management", "api"] as const) await replaceKey(kind, options);
}

async function replaceKey(kind: OwnKind, options: ReplaceKeysOptions): Promise<void> {
  const token = options.configuredKeys[kind];
  if (token === undefined) return;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await pauseBefore(attempt, options.runtime);
    const current = await options.installed.get(INSTALLATION_ID);
    if (!current) throw new StoreError("corrupt", "The store has no record of its first start");
    const result = await replaceOnce({ ...options, kind, token, current });
    if (result === "done") return;
  }
  throw new StoreError(
    "unavailable",
    `Cannot use ${settings[kind]}: other instances write the keys all the time`,
  );
}

interface Replacement extends ReplaceKeysOptions {
  readonly kind: OwnKind;
  readonly token: string;
  readonly current: StoredRecord<Installation>;
}

async function replaceOnce(replacement: Replacement): Promise<"done" | "conflict"> {
  const { kind, token, current, store, runtime, installed } = replacement;
  const rows = keyCollection(store);
  const hash = hashKey(token);
  const oldHash = current.record[fields[kind]];
  const [found, old] = await Promise.all([rows.get(hash), oldHash === null ? undefined : rows.get(oldHash)]);
  if (hash === oldHash) {
    if (!found) {
      runtime.log.warn("Configured key was deleted; not restoring it", { setting: settings[kind] });
    }
    return "done";
  }
  if (found && found.record.kind !== kind) {
    throw new StartError(`${settings[kind]} is in use as another kind of key`);
  }
  const row = found?.record ?? successorKey(replacement, old?.record);
  const home = kind === "api" ? await workspaceCollection(store).get(row.workspace_id) : undefined;
  if (kind === "api" && home?.record.state !== "active") {
    runtime.log.warn("Configured key not used: its workspace was deleted", {
      setting: settings[kind],
    });
    return "done";
  }
  const result = await store.commit({
    checks: [
      installed.check([INSTALLATION_ID], current.version),
      rows.check([hash], found?.version ?? null),
      ...(old ? [rows.check([old.record.hash], old.version)] : []),
      ...(home ? [workspaceCollection(store).check([row.workspace_id], home.version)] : []),
    ],
    puts: replacementPuts(replacement, row),
    deletes: old ? keyDeletes(store, old.record) : [],
  });
  if (result.type === "conflict") return "conflict";
  runtime.log.warn("Configured key replaces the current key, which is now revoked", {
    setting: settings[kind],
  });
  return "done";
}

/** A key, that it is the one in use, and that it goes on with another's spend. */
function replacementPuts(
  { kind, current, store, runtime, installed }: Replacement,
  row: KeyRow,
): readonly StorePut[] {
  return [
    ...keyPuts(store, row),
    ...(row.ledger_id === null ? [] : [lineagePut(store, row)]),
    installed.put([INSTALLATION_ID], { ...current.record, [fields[kind]]: row.hash }),
    // Other instances hold the key that is revoked here.
    new CacheVersions({ store, runtime }).put("keys"),
  ];
}

/** The new key takes over what the old one was called, where it belonged, and what it has spent of its limit. */
function successorKey({ kind, token, current, runtime }: Replacement, old: KeyRow | undefined): KeyRow {
  const now = runtime.clock.now();
  const name = firstKeyNames[kind];
  const fresh = newKeyRow({ kind, token, name, workspaceId: current.record.workspace_id }, now);
  if (old === undefined) return fresh;
  const ledger_id = kind === "api" ? ledgerIdOf(old) : null;
  return {
    ...old,
    hash: fresh.hash,
    label: keyLabel(token),
    updated_at: fresh.created_at,
    ledger_id,
    ...usable,
  };
}

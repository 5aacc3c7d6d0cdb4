/** Later starts: a key of the environment that differs from the one in use takes its place, and that one is revoked. */

import type { Found } from "../../stores/collection.ts";
import { pauseBefore } from "../../stores/pause.ts";
import { type Put, StoreError } from "../../stores/store.ts";
import { Epochs } from "../core/cache_versions.ts";
import {
  firstNames,
  INSTALLED,
  type Installed,
  type InstalledRows,
  type StartOptions,
} from "../core/installation.ts";
import { keyDeletes, keyPuts } from "./key_index.ts";
import { ledgerIdOf, linePut } from "./key_lineage.ts";
import { hashKey, type KeyRow, keyRows, labelOf, newKeyRow } from "./key_rows.ts";
import { StartError } from "../core/start_error.ts";
import { workspaceRows } from "../workspaces/workspace_rows.ts";

type OwnKind = "management" | "api";

export interface ReplaceOptions extends StartOptions {
  readonly installed: InstalledRows;
}

const settings = { management: "TOLLGATE_MANAGEMENT_KEY", api: "TOLLGATE_API_KEY" } as const;
const fields = { management: "management_hash", api: "api_hash" } as const;
/** Whatever became of the old key, the operator wants this one to work. */
const usable = { disabled: false, expires_at: null } as const;
const TRIES = 10;

/** Throws a StartError when a key is in use as another kind already. */
export async function replaceKeys(options: ReplaceOptions): Promise<void> {
  for (const kind of ["management", "api"] as const) await replaceKey(kind, options);
}

async function replaceKey(kind: OwnKind, options: ReplaceOptions): Promise<void> {
  const token = options.own[kind];
  if (token === undefined) return;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await pauseBefore(attempt, options.world);
    const current = await options.installed.get(INSTALLED);
    if (!current) throw new StoreError("corrupt", "The store has no record of its first start");
    const result = await replaceOnce({ ...options, kind, token, current });
    if (result === "done") return;
  }
  throw new StoreError(
    "unavailable",
    `Cannot use ${settings[kind]}: other instances write the keys all the time`,
  );
}

interface Replacement extends ReplaceOptions {
  readonly kind: OwnKind;
  readonly token: string;
  readonly current: Found<Installed>;
}

async function replaceOnce(replacement: Replacement): Promise<"done" | "conflict"> {
  const { kind, token, current, store, world, installed } = replacement;
  const rows = keyRows(store);
  const hash = hashKey(token);
  const oldHash = current.record[fields[kind]];
  const [found, old] = await Promise.all([rows.get(hash), oldHash === null ? undefined : rows.get(oldHash)]);
  if (hash === oldHash) {
    if (!found) {
      world.log.warn("The key of the environment was deleted and stays so", { setting: settings[kind] });
    }
    return "done";
  }
  if (found && found.record.kind !== kind) {
    throw new StartError(`${settings[kind]} is in use as another kind of key`);
  }
  const row = found?.record ?? successor(replacement, old?.record);
  const home = kind === "api" ? await workspaceRows(store).get(row.workspace_id) : undefined;
  if (kind === "api" && home?.record.state !== "active") {
    world.log.warn("The key of the environment is not used: its workspace was deleted", {
      setting: settings[kind],
    });
    return "done";
  }
  const result = await store.commit({
    checks: [
      installed.check([INSTALLED], current.version),
      rows.check([hash], found?.version ?? null),
      ...(old ? [rows.check([old.record.hash], old.version)] : []),
      ...(home ? [workspaceRows(store).check([row.workspace_id], home.version)] : []),
    ],
    puts: replacementPuts(replacement, row),
    deletes: old ? keyDeletes(store, old.record) : [],
  });
  if (result.type === "conflict") return "conflict";
  world.log.warn("The key of the environment replaces the one in use, which is revoked", {
    setting: settings[kind],
  });
  return "done";
}

/** A key, that it is the one in use, and that it goes on with another's spend. */
function replacementPuts(
  { kind, current, store, world, installed }: Replacement,
  row: KeyRow,
): readonly Put[] {
  return [
    ...keyPuts(store, row),
    ...(row.ledger_id === null ? [] : [linePut(store, row)]),
    installed.put([INSTALLED], { ...current.record, [fields[kind]]: row.hash }),
    // Other instances hold the key that is revoked here.
    new Epochs({ store, world }).put("keys"),
  ];
}

/** The new key takes over what the old one was called, where it belonged, and what it has spent of its limit. */
function successor({ kind, token, current, world }: Replacement, old: KeyRow | undefined): KeyRow {
  const now = world.clock.now();
  const name = firstNames[kind];
  const fresh = newKeyRow({ kind, token, name, workspaceId: current.record.workspace_id }, now);
  if (old === undefined) return fresh;
  const ledger_id = kind === "api" ? ledgerIdOf(old) : null;
  return {
    ...old,
    hash: fresh.hash,
    label: labelOf(token),
    updated_at: fresh.created_at,
    ledger_id,
    ...usable,
  };
}

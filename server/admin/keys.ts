/** What the key operations do (wire-reference §4, §9.1). Only API keys live here. */

import type { keyApi } from "../../shared/api/keys.ts";
import type { Body } from "../../shared/api/operation.ts";
import type { KeyRecord } from "../../shared/keys.ts";
import type { Found } from "../stores/collection.ts";
import type { Check } from "../stores/store.ts";
import { type Acts, type Asked, param } from "./act.ts";
import { createKey } from "./create_key.ts";
import type { AdminDeps } from "./deps.ts";
import { defaultWorkspaceId, homeWorkspace, noDefault } from "./home_workspace.ts";
import { indexedKeys, keyDeletes, keyPuts } from "./key_index.ts";
import { auditedKey, keyRecord } from "./key_record.ts";
import { type KeyRow, keyRows, scopeOfKey, storedLimit } from "./key_rows.ts";
import { reach } from "./reach_key.ts";
import { rotateKey } from "./rotate_key.ts";
import { askedBy, CONFLICT, retried, Turns, write } from "./write.ts";

const PAGE = 100;

export function keyActs(deps: AdminDeps): Acts<typeof keyApi> {
  const turns = new Turns();
  const inTurn = <T>(asked: Pick<Asked, "params">, attempt: () => Promise<T | typeof CONFLICT>) =>
    turns.run(param(asked, "hash"), () => retried(attempt));
  return {
    "keys.list": async ({ query }) => ({ data: await listed(deps, query) }),
    "keys.create": (asked) => createKey(deps, asked),
    "keys.get": async (asked) => ({ data: await shown(deps, (await reach(deps, asked)).record) }),
    "keys.update": (asked) => inTurn(asked, () => update(deps, asked)),
    "keys.delete": (asked) => inTurn(asked, () => remove(deps, asked)),
    "keys.rotate": (asked) => inTurn(asked, () => rotateKey(deps, asked)),
  };
}

interface ListQuery {
  readonly offset?: number;
  readonly include_disabled?: boolean;
  readonly workspace_id?: string;
}

async function listed(deps: AdminDeps, query: ListQuery): Promise<KeyRecord[]> {
  const { store } = deps;
  const of = query.workspace_id ?? await defaultWorkspaceId(store);
  if (of === undefined) throw noDefault("list keys");
  const first = query.offset ?? 0;
  const hashes: string[] = [];
  let at = 0;
  for await (const { hash, disabled } of indexedKeys(store, { name: "workspace", of })) {
    if (disabled && query.include_disabled !== true) continue;
    if (at++ >= first) hashes.push(hash);
    if (hashes.length === PAGE) break;
  }
  return await shownKeys(deps, hashes);
}

/** Their records, in this order; those that were removed a moment ago are left out. */
export async function shownKeys(deps: AdminDeps, hashes: readonly string[]): Promise<KeyRecord[]> {
  const rows = keyRows(deps.store);
  const found = await Promise.all(hashes.map((hash) => rows.get(hash)));
  return await Promise.all(found.flatMap((one) => one ? [shown(deps, one.record)] : []));
}

async function shown({ ledger }: AdminDeps, row: KeyRow): Promise<KeyRecord> {
  return keyRecord(row, await ledger.spendOf(scopeOfKey(row)));
}

type Update = Body<typeof keyApi["keys.update"]>;

function changed(row: KeyRow, { limit, ...rest }: Update): KeyRow {
  return { ...row, ...given(rest), ...(limit === undefined ? {} : storedLimit(limit)) };
}

/** Without the fields that are undefined. */
function given<T extends object>(fields: T): Partial<T> {
  const kept: Partial<T> = { ...fields };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}

function differs(row: KeyRow, other: KeyRow): boolean {
  return JSON.stringify(row) !== JSON.stringify(other);
}

async function update(
  deps: AdminDeps,
  asked: Asked<typeof keyApi["keys.update"]>,
): Promise<{ readonly data: KeyRecord } | typeof CONFLICT> {
  const found = await reach(deps, asked);
  const row = changed(found.record, asked.body);
  const kept = differs(found.record, row) ? await stored(deps, { asked, found, row }) : found.record;
  if (kept === CONFLICT) return CONFLICT;
  if (kept.disabled && asked.query.abort === true) endCalls(deps, kept.hash);
  return { data: await shown(deps, kept) };
}

interface Updating {
  readonly asked: Asked<typeof keyApi["keys.update"]>;
  readonly found: Found<KeyRow>;
  readonly row: KeyRow;
}

async function stored(
  deps: AdminDeps,
  { asked, found, row }: Updating,
): Promise<KeyRow | typeof CONFLICT> {
  const after = { ...row, updated_at: new Date(deps.world.clock.now()).toISOString() };
  const enables = found.record.disabled && !after.disabled;
  const done = await write(deps, {
    checks: [
      keyRows(deps.store).check([row.hash], found.version),
      ...(enables ? [await openWorkspace(deps, row)] : []),
    ],
    puts: keyPuts(deps.store, after),
    change: {
      ...askedBy(asked),
      operation: "keys.update",
      subject: { type: "key", id: row.hash },
      before: auditedKey(found.record),
      after: auditedKey(after),
    },
    epoch: { topic: "keys", id: row.hash },
    small: true,
  });
  return done ? after : CONFLICT;
}

/** A key comes back to life only in a workspace that stays: checked in the same commit. */
async function openWorkspace({ store }: AdminDeps, row: KeyRow): Promise<Check> {
  return (await homeWorkspace(store, { id: row.workspace_id, verb: "update key" })).check;
}

async function remove(
  deps: AdminDeps,
  asked: Asked<typeof keyApi["keys.delete"]>,
): Promise<{ readonly deleted: true } | typeof CONFLICT> {
  const { record, version } = await reach(deps, asked);
  const done = await write(deps, {
    checks: [keyRows(deps.store).check([record.hash], version)],
    deletes: keyDeletes(deps.store, record),
    change: {
      ...askedBy(asked),
      operation: "keys.delete",
      subject: { type: "key", id: record.hash },
      before: auditedKey(record),
      after: null,
    },
    epoch: { topic: "keys", id: record.hash },
    small: true,
  });
  if (!done) return CONFLICT;
  if (asked.query.abort === true) endCalls(deps, record.hash);
  return { deleted: true };
}

function endCalls({ openCalls, world }: AdminDeps, hash: string): void {
  const count = openCalls.end(hash);
  world.log.info("Open calls of a key were ended", { hash, count });
}

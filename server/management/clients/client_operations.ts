/** What the operations on Connect clients do. */

import type { clientApi, ConnectClient } from "../../../shared/management/clients.ts";
import { Refusal } from "../../../shared/errors.ts";
import type { KeyRecord } from "../../../shared/keys.ts";
import type { Found } from "../../stores/collection.ts";
import type { Put, StoreKey } from "../../stores/store.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import { type ClientRow, clientRows, secretsOf } from "./client_rows.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { homeWorkspace } from "../workspaces/default_workspace.ts";
import { indexedKeys, keyDeletes, keyPuts } from "../keys/key_index.ts";
import { type KeyRow, newKeyRow, newToken } from "../keys/key_rows.ts";
import { allRows, oldestFirst, paged } from "../core/pages.ts";
import { shownKeys } from "../keys/shown_key.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { askedBy, CONFLICT, retried, Turns, write } from "../core/write.ts";

type Table = typeof clientApi;
type Secret = { readonly data: ConnectClient; readonly secret: string };

const PAGE = 100;

export function clientActs(deps: AdminDeps): Acts<Table> {
  const turns = new Turns();
  const inTurn = <T>(asked: Pick<Asked, "params">, attempt: () => Promise<T | typeof CONFLICT>) =>
    turns.run(param(asked, "id"), () => retried(deps.world, attempt));
  return {
    "clients.list": async ({ query }) => {
      const rows = await allRows(clientRows(deps.store));
      return paged(rows.sort(oldestFirst).map(shown), query);
    },
    "clients.create": (asked) => retried(deps.world, () => create(deps, asked)),
    "clients.delete": (asked) => inTurn(asked, () => remove(deps, asked)),
    "clients.rotate": (asked) => inTurn(asked, () => rotate(deps, asked)),
    "clients.revoke": async (asked) => {
      const row = await inTurn(asked, () => revoke(deps, asked));
      return { data: shown(row), ...await keysOf(deps, { id: row.id, offset: asked.query.offset ?? 0 }) };
    },
  };
}

function shown({ secret_hash: _, ...client }: ClientRow): ConnectClient {
  return client;
}

interface Listing {
  readonly id: string;
  readonly offset: number;
}

async function keysOf(
  deps: AdminDeps,
  { id, offset }: Listing,
): Promise<{ readonly keys: KeyRecord[]; readonly total_count: number }> {
  const hashes: string[] = [];
  for await (const { hash } of indexedKeys(deps.store, { name: "client", of: id })) hashes.push(hash);
  const keys = await shownKeys(deps, hashes.slice(offset, offset + PAGE));
  return { keys, total_count: hashes.length };
}

interface ClientWrite {
  readonly asked: Pick<Asked, "caller" | "requestId">;
  readonly operation: keyof Table;
  readonly before?: Found<ClientRow>;
  /** Undefined: deleted. */
  readonly after?: ClientRow;
  readonly puts?: readonly Put[];
  readonly deletes?: readonly StoreKey[];
  readonly checks?: Parameters<typeof write>[1]["checks"];
}

function writeClient(deps: AdminDeps, wanted: ClientWrite): Promise<boolean> {
  const { asked, operation, before, after, puts = [], deletes = [], checks = [] } = wanted;
  const rows = clientRows(deps.store);
  const id = (after ?? before?.record)?.id ?? "";
  return write(deps, {
    checks: [rows.check([id], before?.version ?? null), ...checks],
    puts: [...(after ? [rows.put([id], after)] : []), ...puts],
    deletes: [...(after ? [] : [rows.key([id])]), ...deletes],
    change: {
      ...askedBy(asked),
      operation,
      subject: { type: "client", id },
      before: before ? before.record : null,
      after: after ?? null,
    },
    // A rotation or a revocation touches two secrets: whatever is remembered of any key is forgotten.
    epoch: { topic: "keys" },
    small: true,
  });
}

interface NewSecret {
  readonly row: KeyRow;
  readonly token: string;
}

function newSecret({ world }: AdminDeps, client: Pick<ClientRow, "id" | "name" | "workspace_id">): NewSecret {
  const { id, name, workspace_id: workspaceId } = client;
  const token = newToken("client", world);
  const row = newKeyRow({ kind: "client", token, name, workspaceId }, world.clock.now());
  return { token, row: { ...row, client_id: id } };
}

async function create(
  deps: AdminDeps,
  asked: Asked<Table["clients.create"]>,
): Promise<Secret | typeof CONFLICT> {
  const { store, world } = deps;
  const { name, workspace_id } = asked.body;
  const home = await homeWorkspace(store, { id: workspace_id, verb: "create client" });
  const base = { id: toUuid(world.id()), name, workspace_id: home.id };
  const { token, row } = newSecret(deps, base);
  const { label, created_at, hash: secret_hash } = row;
  const after = { ...base, label, secret_hash, created_at, updated_at: null, revoked_at: null };
  const puts = keyPuts(store, row);
  const done = await writeClient(deps, {
    asked,
    operation: "clients.create",
    after,
    puts,
    checks: [home.check],
  });
  return done ? { data: shown(after), secret: token } : CONFLICT;
}

async function reach({ store }: AdminDeps, asked: Pick<Asked, "params">): Promise<Found<ClientRow>> {
  const id = param(asked, "id");
  const found = /^[0-9a-f-]{36}$/.test(id) ? await clientRows(store).get(id) : undefined;
  if (found) return found;
  throw new Refusal("not_found", "There is no Connect client with this id.");
}

/** The newest secret lives on for the overlap; those of earlier overlaps end, so there are never more than two. */
async function rotate(
  deps: AdminDeps,
  asked: Asked<Table["clients.rotate"]>,
): Promise<Secret | typeof CONFLICT> {
  const { store, world } = deps;
  const before = await reach(deps, asked);
  const { record } = before;
  if (record.revoked_at !== null) {
    throw new Refusal("invalid_request", "Cannot rotate secret: the client is revoked");
  }
  const { token, row } = newSecret(deps, record);
  const now = world.clock.now();
  const ends = new Date(now + asked.body.overlap_seconds * 1000).toISOString();
  const secrets = await secretsOf(deps, record.id);
  const lasts = (one: KeyRow) => one.hash === record.secret_hash && asked.body.overlap_seconds > 0;
  const after = {
    ...record,
    label: row.label,
    secret_hash: row.hash,
    updated_at: new Date(now).toISOString(),
  };
  const done = await writeClient(deps, {
    asked,
    operation: "clients.rotate",
    before,
    after,
    puts: [
      ...keyPuts(store, row),
      ...secrets.filter(lasts).flatMap((one) => keyPuts(store, { ...one, expires_at: ends })),
    ],
    deletes: secrets.filter((one) => !lasts(one)).flatMap((one) => keyDeletes(store, one)),
  });
  return done ? { data: shown(after), secret: token } : CONFLICT;
}

async function revoke(
  deps: AdminDeps,
  asked: Pick<Asked, "caller" | "requestId" | "params">,
): Promise<ClientRow | typeof CONFLICT> {
  const before = await reach(deps, asked);
  if (before.record.revoked_at !== null) return before.record;
  const now = new Date(deps.world.clock.now()).toISOString();
  const after = { ...before.record, label: null, secret_hash: null, updated_at: now, revoked_at: now };
  const secrets = await secretsOf(deps, after.id);
  const deletes = secrets.flatMap((one) => keyDeletes(deps.store, one));
  const done = await writeClient(deps, { asked, operation: "clients.revoke", before, after, deletes });
  return done ? after : CONFLICT;
}

/**
 * Keys name their client, so a client goes last. Its secrets end first: each key that it makes checks its secret in
 * the same commit, so none can come behind the count.
 */
async function remove(
  deps: AdminDeps,
  asked: Asked<Table["clients.delete"]>,
): Promise<{ readonly deleted: true } | typeof CONFLICT> {
  const { record: { id } } = await reach(deps, asked);
  await refuseWithKeys(deps, id);
  const revoked = await revoke(deps, asked);
  if (revoked === CONFLICT) return CONFLICT;
  await refuseWithKeys(deps, id);
  const before = await reach(deps, asked);
  const done = await writeClient(deps, { asked, operation: "clients.delete", before });
  return done ? { deleted: true } : CONFLICT;
}

async function refuseWithKeys(deps: AdminDeps, id: string): Promise<void> {
  const { total_count } = await keysOf(deps, { id, offset: Infinity });
  if (total_count === 0) return;
  throw new Refusal(
    "invalid_request",
    `Cannot delete client: it has ${total_count} API keys; delete them first, or revoke the client`,
    { metadata: { path: "id", keys: total_count } },
  );
}

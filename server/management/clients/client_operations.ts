/** Operations on Connect clients. */

import type { clientApi, ConnectClient } from "../../../shared/management/clients.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { KeyRecord } from "../../../shared/keys.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { clientCollection, type ClientRow, type ClientSchema, clientSecrets } from "./client_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { keyDeletes, keyPuts, listIndexedKeys } from "../keys/lists/key_index.ts";
import { type KeyRow, newKeyRow, newToken } from "../keys/key_rows.ts";
import { compareByAge, paginate, readAllRecords } from "../core/pages.ts";
import { readKeyRecords } from "../keys/key_record.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { commitRecord, type RecordWrite, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";

type Table = typeof clientApi;
type Secret = { readonly data: ConnectClient; readonly secret: string };

const PAGE = 100;

export function clientOperations(deps: ManagementDeps): OperationHandlers<Table> {
  const mutex = new KeyedMutex();
  const inTurn = <T>(
    input: Pick<OperationInput, "params">,
    attempt: () => Promise<T | typeof WRITE_CONFLICT>,
  ) => mutex.run(pathParameter(input, "id"), () => retryOnConflict(deps.runtime, attempt));
  return {
    "clients.list": async ({ query }) => {
      const rows = await readAllRecords(clientCollection(deps.store));
      return paginate(rows.sort(compareByAge).map(serializeClient), query);
    },
    "clients.create": (input) => retryOnConflict(deps.runtime, () => create(deps, input)),
    "clients.delete": (input) => inTurn(input, () => remove(deps, input)),
    "clients.rotate": (input) => inTurn(input, () => rotate(deps, input)),
    "clients.revoke": async (input) => {
      const row = await inTurn(input, () => revoke(deps, input));
      return {
        data: serializeClient(row),
        ...await keysOf(deps, { id: row.id, offset: input.query.offset ?? 0 }),
      };
    },
  };
}

function serializeClient({ secret_hash: _, ...client }: ClientRow): ConnectClient {
  return client;
}

interface Listing {
  readonly id: string;
  readonly offset: number;
}

async function keysOf(
  deps: ManagementDeps,
  { id, offset }: Listing,
): Promise<{ readonly keys: KeyRecord[]; readonly total_count: number }> {
  const hashes: string[] = [];
  for await (const { hash } of listIndexedKeys(deps.store, { name: "client", of: id })) hashes.push(hash);
  const keys = await readKeyRecords(deps, hashes.slice(offset, offset + PAGE));
  return { keys, total_count: hashes.length };
}

interface ClientWrite
  extends Pick<RecordWrite<ClientSchema>, "before" | "after" | "puts" | "deletes" | "checks" | "input"> {
  readonly operation: keyof Table;
}

function writeClient(deps: ManagementDeps, wanted: ClientWrite): Promise<boolean> {
  return commitRecord(deps, {
    ...wanted,
    rows: clientCollection(deps.store),
    id: (wanted.after ?? wanted.before?.record)?.id ?? "",
    subject: "client",
    describe: (record) => record,
    // A rotation or a revocation touches two secrets: whatever is remembered of any key is forgotten.
    topic: "keys",
    dropsAll: true,
    small: true,
  });
}

interface NewSecret {
  readonly row: KeyRow;
  readonly token: string;
}

function newSecret(
  { runtime }: ManagementDeps,
  client: Pick<ClientRow, "id" | "name" | "workspace_id">,
): NewSecret {
  const { id, name, workspace_id: workspaceId } = client;
  const token = newToken("client", runtime);
  const row = newKeyRow({ kind: "client", token, name, workspaceId }, runtime.clock.now());
  return { token, row: { ...row, client_id: id } };
}

async function create(
  deps: ManagementDeps,
  input: OperationInput<Table["clients.create"]>,
): Promise<Secret | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const { name, workspace_id } = input.body;
  const home = await findTargetWorkspace(store, { id: workspace_id, verb: "create client" });
  const base = { id: toUuid(runtime.id()), name, workspace_id: home.id };
  const { token, row } = newSecret(deps, base);
  const { label, created_at, hash: secret_hash } = row;
  const after = { ...base, label, secret_hash, created_at, updated_at: null, revoked_at: null };
  const puts = keyPuts(store, row);
  const done = await writeClient(deps, {
    input,
    operation: "clients.create",
    after,
    puts,
    checks: [home.check],
  });
  return done ? { data: serializeClient(after), secret: token } : WRITE_CONFLICT;
}

async function requireClient(
  { store }: ManagementDeps,
  input: Pick<OperationInput, "params">,
): Promise<StoredRecord<ClientRow>> {
  const id = pathParameter(input, "id");
  const found = /^[0-9a-f-]{36}$/.test(id) ? await clientCollection(store).get(id) : undefined;
  if (found) return found;
  throw new ApiError("not_found", "There is no Connect client with this id.");
}

/** The newest secret lives on for the overlap; those of earlier overlaps end, so there are never more than two. */
async function rotate(
  deps: ManagementDeps,
  input: OperationInput<Table["clients.rotate"]>,
): Promise<Secret | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const before = await requireClient(deps, input);
  const { record } = before;
  if (record.revoked_at !== null) {
    throw new ApiError("invalid_request", "Cannot rotate secret: the client is revoked");
  }
  const { token, row } = newSecret(deps, record);
  const now = runtime.clock.now();
  const ends = new Date(now + input.body.overlap_seconds * 1000).toISOString();
  const secrets = await clientSecrets(deps, record.id);
  const lasts = (one: KeyRow) => one.hash === record.secret_hash && input.body.overlap_seconds > 0;
  const after = {
    ...record,
    label: row.label,
    secret_hash: row.hash,
    updated_at: new Date(now).toISOString(),
  };
  const done = await writeClient(deps, {
    input,
    operation: "clients.rotate",
    before,
    after,
    puts: [
      ...keyPuts(store, row),
      ...secrets.filter(lasts).flatMap((one) => keyPuts(store, { ...one, expires_at: ends })),
    ],
    deletes: secrets.filter((one) => !lasts(one)).flatMap((one) => keyDeletes(store, one)),
  });
  return done ? { data: serializeClient(after), secret: token } : WRITE_CONFLICT;
}

async function revoke(
  deps: ManagementDeps,
  input: Pick<OperationInput, "caller" | "requestId" | "params">,
): Promise<ClientRow | typeof WRITE_CONFLICT> {
  const before = await requireClient(deps, input);
  if (before.record.revoked_at !== null) return before.record;
  const now = new Date(deps.runtime.clock.now()).toISOString();
  const after = { ...before.record, label: null, secret_hash: null, updated_at: now, revoked_at: now };
  const secrets = await clientSecrets(deps, after.id);
  const deletes = secrets.flatMap((one) => keyDeletes(deps.store, one));
  const done = await writeClient(deps, { input, operation: "clients.revoke", before, after, deletes });
  return done ? after : WRITE_CONFLICT;
}

/**
 * Keys name their client, so a client goes last. Its secrets end first: each key that it makes checks its secret in
 * the same commit, so none can come behind the count.
 */
async function remove(
  deps: ManagementDeps,
  input: OperationInput<Table["clients.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const { record: { id } } = await requireClient(deps, input);
  await rejectClientWithKeys(deps, id);
  const revoked = await revoke(deps, input);
  if (revoked === WRITE_CONFLICT) return WRITE_CONFLICT;
  await rejectClientWithKeys(deps, id);
  const before = await requireClient(deps, input);
  const done = await writeClient(deps, { input, operation: "clients.delete", before });
  return done ? { deleted: true } : WRITE_CONFLICT;
}

async function rejectClientWithKeys(deps: ManagementDeps, id: string): Promise<void> {
  const { total_count } = await keysOf(deps, { id, offset: Infinity });
  if (total_count === 0) return;
  throw new ApiError(
    "invalid_request",
    `Cannot delete client: it has ${total_count} API keys; delete them first, or revoke the client`,
    { metadata: { path: "id", keys: total_count } },
  );
}

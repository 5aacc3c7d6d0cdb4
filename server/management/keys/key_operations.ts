/** The key operations (specification, PATCH /keys/{hash}, §9.1). Only API keys live here. */

import { type keyApi, listedKeySchema } from "../../../shared/management/keys.ts";
import type { OperationOutput } from "../../../shared/management/operation.ts";
import { limitsRate, noRateLimits, type RateLimits } from "../../../shared/rate_limits.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { VersionCheck } from "../../storage/stores/store.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { exportFile } from "../core/export_file.ts";
import { type KeyChangeInput, type KeyFieldChanges, updateMany } from "./update_many.ts";
import { commitKey } from "./commit_key.ts";
import { createKey } from "./create_key.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { keyDeletes, keyPuts, outdatedKeyRows } from "./lists/key_index.ts";
import { KeyLists } from "./lists/key_lists.ts";
import { readKeyRecord, serializeKey, zeroSpend } from "./key_record.ts";
import { encodeLimit, keyCollection, type KeyRow } from "./key_rows.ts";
import { requireKey } from "./key_access.ts";
import { rotateKey } from "./rotate_key.ts";
import { assertSelfTestLimit } from "./self_test_limit.ts";
import { assertIfMatch } from "../core/record_tag.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";

export function keyOperations(deps: ManagementDeps): OperationHandlers<Table> {
  const mutex = new KeyedMutex();
  const lists = new KeyLists(deps);
  const inTurn = <T>(
    input: Pick<OperationInput, "params">,
    attempt: () => Promise<T | typeof WRITE_CONFLICT>,
  ) => mutex.run(pathParameter(input, "hash"), () => retryOnConflict(deps.runtime, attempt));
  return {
    "keys.list": ({ query }) => lists.read(query),
    "keys.export": ({ query: { format, ...query } }) => {
      const columns = Object.keys(listedKeySchema.shape);
      return Promise.resolve(exportFile(deps, { name: "keys", format, columns, pages: lists.pages(query) }));
    },
    "keys.create": (input) => createKey(deps, input),
    "keys.get": async (input) => ({
      data: await readKeyRecord(deps, (await requireKey(deps, input)).record),
    }),
    "keys.update": (input) => inTurn(input, () => update(deps, input)),
    "keys.update_many": (input) =>
      updateMany(deps, {
        input,
        update: (one) => inTurn(one, () => updateOne(deps, { input: one, operation: "keys.update_many" })),
      }),
    "keys.delete": (input) => inTurn(input, () => remove(deps, input)),
    "keys.rotate": (input) => inTurn(input, () => rotateKey(deps, input)),
    "keys.rate_limits.get": async (input) => ({
      data: (await requireKey(deps, input)).record.rate_limits ?? noRateLimits,
    }),
    "keys.rate_limits.set": (input) => inTurn(input, () => setRateLimits(deps, input)),
  };
}

type Table = typeof keyApi;

function changedFields(row: KeyRow, { limit, ...rest }: KeyFieldChanges): KeyRow {
  return { ...row, ...omitUndefined(rest), ...(limit === undefined ? {} : encodeLimit(limit)) };
}

function differs(row: KeyRow, other: KeyRow): boolean {
  return JSON.stringify(row) !== JSON.stringify(other);
}

async function update(
  deps: ManagementDeps,
  input: OperationInput<Table["keys.update"]>,
): Promise<OperationOutput<Table["keys.update"]> | typeof WRITE_CONFLICT> {
  const ifMatch = (row: KeyRow) =>
    assertIfMatch(input, { record: serializeKey(row, zeroSpend), subject: "key" });
  const kept = await updateOne(deps, { input, operation: "keys.update", ifMatch });
  if (kept === WRITE_CONFLICT) return WRITE_CONFLICT;
  if (kept.disabled && input.query.abort === true) {
    abortOpenCalls(deps, kept.hash);
    await deps.store.commit({ puts: [deps.cacheVersions.put("aborts")] });
  }
  const data = await readKeyRecord(deps, kept);
  return { data: { ...data, updated_at: data.updated_at ?? data.created_at } };
}

interface UpdatingOne {
  readonly input: KeyChangeInput;
  readonly operation: keyof Table;
  /** Throws an ApiError where the key is not as the caller has read it. */
  readonly ifMatch?: (row: KeyRow) => void;
}

async function updateOne(
  deps: ManagementDeps,
  { input, operation, ifMatch }: UpdatingOne,
): Promise<KeyRow | typeof WRITE_CONFLICT> {
  const found = await requireKey(deps, input);
  ifMatch?.(found.record);
  const { limit } = input.body;
  if (found.record.self_test && limit !== undefined) assertSelfTestLimit(limit, "update key");
  return await stored(deps, { input, found, row: changedFields(found.record, input.body), operation });
}

async function setRateLimits(
  deps: ManagementDeps,
  input: OperationInput<Table["keys.rate_limits.set"]>,
): Promise<{ readonly data: RateLimits } | typeof WRITE_CONFLICT> {
  const found = await requireKey(deps, input);
  const limits = { ...noRateLimits, ...input.body };
  const row = { ...found.record, rate_limits: limitsRate(limits) ? limits : null };
  const kept = await stored(deps, { input, found, row, operation: "keys.rate_limits.set" });
  return kept === WRITE_CONFLICT ? WRITE_CONFLICT : { data: kept.rate_limits ?? noRateLimits };
}

interface Updating {
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  readonly found: StoredRecord<KeyRow>;
  readonly row: KeyRow;
  readonly operation: keyof Table;
}

/** The row as it is kept; where nothing differs, nothing is written, and `updated_at` stays. */
async function stored(deps: ManagementDeps, updating: Updating): Promise<KeyRow | typeof WRITE_CONFLICT> {
  const { input, found: { record: before, version }, row, operation } = updating;
  if (!differs(before, row)) {
    // An earlier commit whose reply was lost may have changed it without telling the caches.
    deps.cacheVersions.changed("keys", row.hash);
    return before;
  }
  const after = { ...row, updated_at: new Date(deps.runtime.clock.now()).toISOString() };
  const enables = before.disabled && !after.disabled;
  const done = await commitKey(deps, {
    input,
    operation,
    before,
    after,
    checks: [
      keyCollection(deps.store).check([row.hash], version),
      ...(enables ? [await openWorkspace(deps, row)] : []),
    ],
    puts: keyPuts(deps.store, after),
    deletes: outdatedKeyRows(deps.store, { before, after }),
  });
  return done ? after : WRITE_CONFLICT;
}

/** A key comes back to life only in a workspace that stays: checked in the same commit. */
async function openWorkspace({ store }: ManagementDeps, row: KeyRow): Promise<VersionCheck> {
  return (await findTargetWorkspace(store, { id: row.workspace_id, verb: "update key" })).check;
}

async function remove(
  deps: ManagementDeps,
  input: OperationInput<Table["keys.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const { record, version } = await requireKey(deps, input);
  const done = await commitKey(deps, {
    input,
    operation: "keys.delete",
    before: record,
    checks: [keyCollection(deps.store).check([record.hash], version)],
    puts: input.query.abort === true ? [deps.cacheVersions.put("aborts")] : [],
    deletes: keyDeletes(deps.store, record),
  });
  if (!done) return WRITE_CONFLICT;
  if (input.query.abort === true) abortOpenCalls(deps, record.hash);
  return { deleted: true };
}

/** Aborts the open calls of a key in this process; other instances look when the cache version `aborts` changes. */
function abortOpenCalls({ openCalls, runtime }: ManagementDeps, hash: string): void {
  const count = openCalls.abortCalls(hash);
  runtime.log.info("Open calls of key aborted", { hash, count });
}

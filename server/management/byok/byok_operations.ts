/** Operations on workspaces' own provider keys (specification, BYOK). */

import type { byokApi } from "../../../shared/management/byok.ts";
import { ApiError } from "../../../shared/errors.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import {
  byokCollection,
  byokEncryptionContext,
  type ByokRow,
  maskKey,
  serializeByokKey,
} from "./byok_rows.ts";
import { listWarnings, withWarnings } from "../core/list_warnings.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { keyCollection } from "../keys/key_rows.ts";
import { compareByAge, paginate, readAllRecords } from "../core/pages.ts";
import { isUuid } from "../workspaces/workspace_lookup.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { commitRecord, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { omitUndefined } from "../../../shared/util/json.ts";

type Api = typeof byokApi;

export function byokOperations(deps: ManagementDeps): OperationHandlers<Api> {
  return {
    "byok.list": async ({ query }) => {
      const { provider, workspace_id: of } = query;
      const rows = await readAllRecords(byokCollection(deps.store));
      const some = rows.filter((row) =>
        (!provider || row.provider === provider) && (!of || row.workspace_id === of)
      );
      return paginate(some.sort(compareByAge).map(serializeByokKey), query);
    },
    "byok.create": (input) => retryOnConflict(deps.runtime, () => create(deps, input)),
    "byok.get": async (input) => ({
      data: serializeByokKey((await find(deps.store, { ...input, verb: "show" })).record),
    }),
    "byok.update": (input) => retryOnConflict(deps.runtime, () => update(deps, input)),
    "byok.delete": (input) => retryOnConflict(deps.runtime, () => remove(deps, input)),
  };
}

interface Named extends Pick<OperationInput, "params"> {
  /** Verb of what is about to be done. */
  readonly verb: string;
}

/** Throws an ApiError: 400 for what is no UUID, 404 for one that names nothing. */
async function find(store: Store, requested: Named): Promise<StoredRecord<ByokRow>> {
  const { verb } = requested;
  const id = pathParameter(requested, "id");
  if (!isUuid(id)) {
    throw new ApiError(
      "invalid_request",
      `Cannot ${verb} provider key: id is ${formatValue(id)}; a UUID is needed`,
      {
        metadata: { path: "id" },
      },
    );
  }
  const found = await byokCollection(store).get(id.toLowerCase());
  if (found) return found;
  throw new ApiError("not_found", `There is no provider key ${formatValue(id)}.`);
}

type Settings = Omit<
  ByokRow,
  "id" | "provider" | "label" | "workspace_id" | "sort_order" | "created_at" | "key_version" | "sealed"
>;

const fallback: Settings = {
  name: null,
  disabled: false,
  is_fallback: false,
  is_required: false,
  is_byok_only: false,
  allowed_models: null,
  allowed_user_ids: null,
  allowed_api_key_hashes: null,
  declared_zdr: null,
};

interface CheckedKey {
  readonly row: Settings;
  /** Keys that were listed before: one that is gone meanwhile may stand for those that came from it by rotation. */
  readonly listed?: readonly string[];
  readonly verb: string;
}

/** Checks what the schema cannot judge field by field. Throws an ApiError (400). */
async function checkKey({ store }: ManagementDeps, { row, listed = [], verb }: CheckedKey): Promise<void> {
  const refuse = (path: string, why: string) => {
    throw new ApiError("invalid_request", `Cannot ${verb}: ${path} ${why}`, { metadata: { path } });
  };
  if (row.is_byok_only && row.is_fallback) {
    refuse("is_byok_only", "is true; a fallback key (is_fallback) cannot be the only one");
  }
  for (const hash of row.allowed_api_key_hashes ?? []) {
    if (listed.includes(hash)) continue;
    const found = await keyCollection(store).get(hash);
    if (found?.record.kind !== "api") refuse("allowed_api_key_hashes", `has ${hash}, which is no API key`);
  }
}

/** How the audit log names and shows a provider key, and what a change drops from caches. */
const inAudit = { subject: "provider_key", topic: "byok", describe: serializeByokKey } as const;

type Made = ReturnType<typeof savedKey> | typeof WRITE_CONFLICT;

const savedKey = (deps: ManagementDeps, row: ByokRow) =>
  withWarnings(
    serializeByokKey(row),
    listWarnings(deps, { allowed_models: ["ofModel", row.allowed_models] }),
  );

async function create(deps: ManagementDeps, input: OperationInput<Api["byok.create"]>): Promise<Made> {
  const { store, runtime, vault } = deps;
  const { key, provider, workspace_id: of, ...settings } = input.body;
  const verb = "create provider key";
  const fault = deps.providerFault(provider);
  if (fault !== undefined) {
    throw new ApiError("invalid_request", `Cannot ${verb}: provider ${fault}`, {
      metadata: { path: "provider" },
    });
  }
  const home = of === null ? undefined : await findTargetWorkspace(store, { id: of?.toLowerCase(), verb });
  const own: Settings = { ...fallback, ...omitUndefined(settings) };
  await checkKey(deps, { row: own, verb });
  const workspace_id = home?.id ?? null;
  const placed = { id: toUuid(runtime.id()), workspace_id, provider, key_version: 1 };
  const row: ByokRow = {
    ...own,
    ...placed,
    label: maskKey(key),
    sort_order: await nextOrder(store, placed),
    created_at: new Date(runtime.clock.now()).toISOString(),
    sealed: await vault.encrypt(key, byokEncryptionContext(placed)),
  };
  const rows = byokCollection(store);
  const done = await commitRecord(deps, {
    ...inAudit,
    rows,
    id: row.id,
    after: row,
    checks: home ? [home.check] : [],
    input,
    operation: "byok.create",
  });
  return done ? savedKey(deps, row) : WRITE_CONFLICT;
}

/** Behind the others of the same provider and workspace. */
async function nextOrder(
  store: Store,
  { workspace_id, provider }: Pick<ByokRow, "workspace_id" | "provider">,
) {
  const rows = await readAllRecords(byokCollection(store));
  const others = rows.filter((row) => row.workspace_id === workspace_id && row.provider === provider);
  return Math.max(-1, ...others.map(({ sort_order }) => sort_order)) + 1;
}

async function update(deps: ManagementDeps, input: OperationInput<Api["byok.update"]>): Promise<Made> {
  const { store, vault } = deps;
  const { key, ...settings } = input.body;
  const found = await find(store, { ...input, verb: "update" });
  const { record: before } = found;
  const after: ByokRow = { ...before, ...omitUndefined(settings) };
  const listed = before.allowed_api_key_hashes ?? [];
  await checkKey(deps, { row: after, listed, verb: "update provider key" });
  const same = key === undefined && JSON.stringify(after) === JSON.stringify(before);
  if (same) return savedKey(deps, before);
  const key_version = key === undefined ? before.key_version : before.key_version + 1;
  const secret = key === undefined ? {} : {
    label: maskKey(key),
    sealed: await vault.encrypt(key, byokEncryptionContext({ ...before, key_version })),
  };
  const row = { ...after, ...secret, key_version };
  const rows = byokCollection(store);
  const done = await commitRecord(deps, {
    ...inAudit,
    describe: (record) => ({ ...serializeByokKey(record), key_version: record.key_version }),
    rows,
    id: row.id,
    before: found,
    after: row,
    input,
    operation: "byok.update",
  });
  return done ? savedKey(deps, row) : WRITE_CONFLICT;
}

async function remove(
  deps: ManagementDeps,
  input: OperationInput<Api["byok.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const before = await find(store, { ...input, verb: "delete" });
  const done = await commitRecord(deps, {
    ...inAudit,
    rows: byokCollection(store),
    id: before.record.id,
    before,
    input,
    operation: "byok.delete",
  });
  return done ? { deleted: true } : WRITE_CONFLICT;
}

/** What the operations on workspaces' own provider keys do (wire-reference §9.8). */

import type { byokApi } from "../../../shared/management/byok.ts";
import { Refusal } from "../../../shared/errors.ts";
import { shown } from "../../../shared/validation/validate.ts";
import type { Found } from "../../stores/collection.ts";
import type { Store } from "../../stores/store.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import { byokRecord, type ByokRow, byokRows, maskOf, placeOf } from "./byok_rows.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { homeWorkspace } from "../workspaces/default_workspace.ts";
import { keyRows } from "../keys/key_rows.ts";
import { allRows, oldestFirst, paged } from "../core/pages.ts";
import { isUuid } from "../workspaces/workspace_lookup.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { askedBy, CONFLICT, retried, write } from "../core/write.ts";

type Api = typeof byokApi;

export function byokActs(deps: AdminDeps): Acts<Api> {
  return {
    "byok.list": async ({ query }) => {
      const { provider, workspace_id: of } = query;
      const rows = await allRows(byokRows(deps.store));
      const some = rows.filter((row) =>
        (!provider || row.provider === provider) && (!of || row.workspace_id === of)
      );
      return paged(some.sort(oldestFirst).map(byokRecord), query);
    },
    "byok.create": (asked) => retried(deps.world, () => create(deps, asked)),
    "byok.get": async (asked) => ({
      data: byokRecord((await find(deps.store, { ...asked, verb: "show" })).record),
    }),
    "byok.update": (asked) => retried(deps.world, () => update(deps, asked)),
    "byok.delete": (asked) => retried(deps.world, () => remove(deps, asked)),
  };
}

interface Named extends Pick<Asked, "params"> {
  /** What is about to be done. */
  readonly verb: string;
}

/** Throws a Refusal: 400 for what is no UUID, 404 for one that names nothing. */
async function find(store: Store, asked: Named): Promise<Found<ByokRow>> {
  const { verb } = asked;
  const id = param(asked, "id");
  if (!isUuid(id)) {
    throw new Refusal(
      "invalid_request",
      `Cannot ${verb} provider key: id is ${shown(id)}; a UUID is needed`,
      {
        metadata: { path: "id" },
      },
    );
  }
  const found = await byokRows(store).get(id.toLowerCase());
  if (found) return found;
  throw new Refusal("not_found", `There is no provider key ${shown(id)}.`);
}

type Settings = Omit<
  ByokRow,
  "id" | "provider" | "label" | "workspace_id" | "sort_order" | "created_at" | "key_version" | "sealed"
>;

const usual: Settings = {
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

/** Without what is undefined. */
function given<T extends object>(fields: T): Partial<T> {
  const kept: Partial<T> = { ...fields };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}

interface Judged {
  readonly row: Settings;
  /** Keys that were listed before: one that is gone meanwhile may stand for those that came from it by rotation. */
  readonly listed?: readonly string[];
  readonly verb: string;
}

/** What the schema cannot judge field by field. Throws a Refusal (400). */
async function judge({ store }: AdminDeps, { row, listed = [], verb }: Judged): Promise<void> {
  const refuse = (path: string, why: string) => {
    throw new Refusal("invalid_request", `Cannot ${verb}: ${path} ${why}`, { metadata: { path } });
  };
  if (row.is_byok_only && row.is_fallback) {
    refuse("is_byok_only", "is true; a fallback key (is_fallback) cannot be the only one");
  }
  for (const hash of row.allowed_api_key_hashes ?? []) {
    if (listed.includes(hash)) continue;
    const found = await keyRows(store).get(hash);
    if (found?.record.kind !== "api") refuse("allowed_api_key_hashes", `has ${hash}, which is no API key`);
  }
}

type Made = { readonly data: ReturnType<typeof byokRecord> } | typeof CONFLICT;

async function create(deps: AdminDeps, asked: Asked<Api["byok.create"]>): Promise<Made> {
  const { store, world, vault } = deps;
  const { key, provider, workspace_id: of, ...settings } = asked.body;
  const verb = "create provider key";
  const home = of === null ? undefined : await homeWorkspace(store, { id: of?.toLowerCase(), verb });
  const own: Settings = { ...usual, ...given(settings) };
  await judge(deps, { row: own, verb });
  const workspace_id = home?.id ?? null;
  const placed = { id: toUuid(world.id()), workspace_id, provider, key_version: 1 };
  const row: ByokRow = {
    ...own,
    ...placed,
    label: maskOf(key),
    sort_order: await nextOrder(store, placed),
    created_at: new Date(world.clock.now()).toISOString(),
    sealed: await vault.seal(key, placeOf(placed)),
  };
  const rows = byokRows(store);
  const data = byokRecord(row);
  const done = await write(deps, {
    checks: [rows.check([row.id], null), ...(home ? [home.check] : [])],
    puts: [rows.put([row.id], row)],
    change: {
      ...askedBy(asked),
      operation: "byok.create",
      subject: { type: "provider_key", id: row.id },
      before: null,
      after: data,
    },
    epoch: { topic: "byok", id: row.id },
  });
  return done ? { data } : CONFLICT;
}

/** Behind the others of the same provider and workspace. */
async function nextOrder(
  store: Store,
  { workspace_id, provider }: Pick<ByokRow, "workspace_id" | "provider">,
) {
  const rows = await allRows(byokRows(store));
  const others = rows.filter((row) => row.workspace_id === workspace_id && row.provider === provider);
  return Math.max(-1, ...others.map(({ sort_order }) => sort_order)) + 1;
}

async function update(deps: AdminDeps, asked: Asked<Api["byok.update"]>): Promise<Made> {
  const { store, vault } = deps;
  const { key, ...settings } = asked.body;
  const { record: before, version } = await find(store, { ...asked, verb: "update" });
  const after: ByokRow = { ...before, ...given(settings) };
  const listed = before.allowed_api_key_hashes ?? [];
  await judge(deps, { row: after, listed, verb: "update provider key" });
  const same = key === undefined && JSON.stringify(after) === JSON.stringify(before);
  if (same) return { data: byokRecord(before) };
  const key_version = key === undefined ? before.key_version : before.key_version + 1;
  const secret = key === undefined
    ? {}
    : { label: maskOf(key), sealed: await vault.seal(key, placeOf({ ...before, key_version })) };
  const row = { ...after, ...secret, key_version };
  const rows = byokRows(store);
  const done = await write(deps, {
    checks: [rows.check([row.id], version)],
    puts: [rows.put([row.id], row)],
    change: {
      ...askedBy(asked),
      operation: "byok.update",
      subject: { type: "provider_key", id: row.id },
      before: { ...byokRecord(before), key_version: before.key_version },
      after: { ...byokRecord(row), key_version },
    },
    epoch: { topic: "byok", id: row.id },
  });
  return done ? { data: byokRecord(row) } : CONFLICT;
}

async function remove(
  deps: AdminDeps,
  asked: Asked<Api["byok.delete"]>,
): Promise<{ readonly deleted: true } | typeof CONFLICT> {
  const { store } = deps;
  const { record, version } = await find(store, { ...asked, verb: "delete" });
  const rows = byokRows(store);
  const done = await write(deps, {
    checks: [rows.check([record.id], version)],
    deletes: [rows.key([record.id])],
    change: {
      ...askedBy(asked),
      operation: "byok.delete",
      subject: { type: "provider_key", id: record.id },
      before: byokRecord(record),
      after: null,
    },
    epoch: { topic: "byok", id: record.id },
  });
  return done ? { deleted: true } : CONFLICT;
}

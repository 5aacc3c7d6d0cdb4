/** What the key operations do (wire-reference §4, §9.1). Only API keys live here. */

import type { keyApi } from "../../../shared/management/keys.ts";
import type { Body, Output } from "../../../shared/management/operation.ts";
import type { KeyRecord } from "../../../shared/keys.ts";
import { limitsRate, type RateLimits } from "../../../shared/rate_limits.ts";
import type { Found } from "../../stores/collection.ts";
import type { Check } from "../../stores/store.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import { createKey } from "./create_key.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { defaultWorkspaceId, homeWorkspace, noDefault } from "../workspaces/default_workspace.ts";
import { keyDeletes, keyPuts } from "./key_index.ts";
import { KeyPages } from "./key_pages.ts";
import { auditedKey } from "./key_record.ts";
import { type KeyRow, keyRows, storedLimit } from "./key_rows.ts";
import { reach } from "./key_access.ts";
import { rotateKey } from "./rotate_key.ts";
import { assertSelfTestLimit } from "./self_test_limit.ts";
import { shown, shownKeys } from "./shown_key.ts";
import { askedBy, CONFLICT, retried, Turns, write } from "../core/write.ts";

const PAGE = 100;

const noLimits: RateLimits = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_streams: null,
};

export function keyActs(deps: AdminDeps): Acts<Table> {
  const turns = new Turns();
  const pages = new KeyPages(deps);
  const inTurn = <T>(asked: Pick<Asked, "params">, attempt: () => Promise<T | typeof CONFLICT>) =>
    turns.run(param(asked, "hash"), () => retried(deps.world, attempt));
  return {
    "keys.list": async ({ query }) => ({ data: await listed(deps, { ...query, pages }) }),
    "keys.create": (asked) => createKey(deps, asked),
    "keys.get": async (asked) => ({ data: await shown(deps, (await reach(deps, asked)).record) }),
    "keys.update": (asked) => inTurn(asked, () => update(deps, asked)),
    "keys.delete": (asked) => inTurn(asked, () => remove(deps, asked)),
    "keys.rotate": (asked) => inTurn(asked, () => rotateKey(deps, asked)),
    "keys.rate_limits.get": async (asked) => ({
      data: (await reach(deps, asked)).record.rate_limits ?? noLimits,
    }),
    "keys.rate_limits.set": (asked) => inTurn(asked, () => setRateLimits(deps, asked)),
  };
}

interface ListQuery {
  readonly offset?: number;
  readonly include_disabled?: boolean;
  readonly workspace_id?: string;
  readonly pages: KeyPages;
}

async function listed(deps: AdminDeps, query: ListQuery): Promise<KeyRecord[]> {
  const { offset = 0, include_disabled: disabled = false, workspace_id, pages } = query;
  const of = workspace_id ?? await defaultWorkspaceId(deps.store);
  if (of === undefined) throw noDefault("list keys");
  return await shownKeys(deps, await pages.hashesOf({ of, disabled, offset, limit: PAGE }));
}

type Table = typeof keyApi;
type Update = Body<Table["keys.update"]>;

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
  asked: Asked<Table["keys.update"]>,
): Promise<Output<Table["keys.update"]> | typeof CONFLICT> {
  const found = await reach(deps, asked);
  const { limit } = asked.body;
  if (found.record.self_test && limit !== undefined) assertSelfTestLimit(limit, "update key");
  const row = changed(found.record, asked.body);
  const kept = await stored(deps, { asked, found, row, operation: "keys.update" });
  if (kept === CONFLICT) return CONFLICT;
  if (kept.disabled && asked.query.abort === true) {
    endCalls(deps, kept.hash);
    await deps.store.commit({ puts: [deps.epochs.put("aborts")] });
  }
  const data = await shown(deps, kept);
  return { data: { ...data, updated_at: data.updated_at ?? data.created_at } };
}

async function setRateLimits(
  deps: AdminDeps,
  asked: Asked<Table["keys.rate_limits.set"]>,
): Promise<{ readonly data: RateLimits } | typeof CONFLICT> {
  const found = await reach(deps, asked);
  const limits = { ...noLimits, ...asked.body };
  const row = { ...found.record, rate_limits: limitsRate(limits) ? limits : null };
  const kept = await stored(deps, { asked, found, row, operation: "keys.rate_limits.set" });
  return kept === CONFLICT ? CONFLICT : { data: kept.rate_limits ?? noLimits };
}

interface Updating {
  readonly asked: Pick<Asked, "caller" | "requestId">;
  readonly found: Found<KeyRow>;
  readonly row: KeyRow;
  readonly operation: keyof Table;
}

/** The row as it is kept; where nothing differs, nothing is written, and `updated_at` stays. */
async function stored(deps: AdminDeps, updating: Updating): Promise<KeyRow | typeof CONFLICT> {
  const { asked, found: { record: before, version }, row, operation } = updating;
  if (!differs(before, row)) {
    // An earlier commit whose reply was lost may have changed it without telling the caches.
    deps.epochs.changed("keys", row.hash);
    return before;
  }
  const after = { ...row, updated_at: new Date(deps.world.clock.now()).toISOString() };
  const enables = before.disabled && !after.disabled;
  const done = await write(deps, {
    checks: [
      keyRows(deps.store).check([row.hash], version),
      ...(enables ? [await openWorkspace(deps, row)] : []),
    ],
    puts: keyPuts(deps.store, after),
    change: {
      ...askedBy(asked),
      operation,
      subject: { type: "key", id: row.hash },
      before: auditedKey(before),
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
  asked: Asked<Table["keys.delete"]>,
): Promise<{ readonly deleted: true } | typeof CONFLICT> {
  const { record, version } = await reach(deps, asked);
  const done = await write(deps, {
    checks: [keyRows(deps.store).check([record.hash], version)],
    puts: asked.query.abort === true ? [deps.epochs.put("aborts")] : [],
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

/** Those of this process; other instances look when the epoch `aborts` changes. */
function endCalls({ openCalls, world }: AdminDeps, hash: string): void {
  const count = openCalls.end(hash);
  world.log.info("Open calls of a key were ended", { hash, count });
}

/** What the key operations do (wire-reference §4, §9.1). Only API keys live here. */

import { keyApi } from "../../shared/api/keys.ts";
import type { KeyRecord } from "../../shared/keys.ts";
import type { Acts } from "./act.ts";
import type { AdminDeps } from "./deps.ts";
import { keyRecord } from "./key_record.ts";
import { type KeyRow, keyRows, scopeOfKey } from "./key_rows.ts";

const PAGE = 100;

export function keyActs(deps: AdminDeps): Acts<typeof keyApi> {
  return { "keys.list": async ({ query }) => ({ data: await listed(deps, query.offset ?? 0) }) };
}

async function listed(deps: AdminDeps, offset: number): Promise<KeyRecord[]> {
  const found = await keyRows(deps.store).list({ limit: 1_000 });
  const rows = found.map(({ record }) => record).filter(({ kind }) => kind === "api");
  return await Promise.all(rows.slice(offset, offset + PAGE).map((row) => shown(deps, row)));
}

async function shown({ ledger }: AdminDeps, row: KeyRow): Promise<KeyRecord> {
  return keyRecord(row, await ledger.spendOf(scopeOfKey(row)));
}

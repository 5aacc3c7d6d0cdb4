/**
 * Which keys are one key to the ledger: a row a key below its ledger id, written in the commits that rotate. It
 * stays when the key goes, because what was spent with it stays too.
 */

import * as z from "zod";
import { timestampSchema } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store, StoreKey, StorePut } from "../../storage/stores/store.ts";
import type { KeyRow } from "./key_rows.ts";

const memberSchema = z.object({ since: timestampSchema });

/** By ledger id and hash. */
const lineRows = (store: Store): Collection<typeof memberSchema> =>
  new Collection({ store, name: "key_lines", schema: memberSchema });

type LineageKey = Pick<KeyRow, "hash" | "ledger_id">;

/** Names what a key spends: the first key of its line. */
export const ledgerIdOf = ({ hash, ledger_id }: LineageKey): string => ledger_id ?? hash;

/** For the commit that makes a successor. */
export function lineagePut(
  store: Store,
  successor: Pick<KeyRow, "hash" | "ledger_id" | "created_at">,
): StorePut {
  return lineRows(store).put([ledgerIdOf(successor), successor.hash], { since: successor.created_at });
}

const PAGE = 1_000;

/** The hashes of a key and of all keys that came before and after it by rotation. Throws a StoreError. */
export async function readLineage(store: Store, member: LineageKey): Promise<ReadonlySet<string>> {
  const first = ledgerIdOf(member);
  const line = new Set([first, member.hash]);
  let after: StoreKey | undefined;
  do {
    const page = await lineRows(store).list({ within: [first], after, limit: PAGE });
    for (const { id } of page) line.add(String(id.at(-1)));
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
  return line;
}

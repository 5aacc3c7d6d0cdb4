/**
 * Deleting a guardrail: it is gone for everybody first, then it is taken from the keys and members that had it, and
 * its row goes last. A record of the deletion stands beside it meanwhile, by which any instance finishes it.
 */

import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import {
  guardrailCollection,
  guardrailDeletions,
  guardrailMembers,
  membersOfGuardrail,
} from "./guardrail_rows.ts";
import { keyDeletes, keyPuts, listIndexedKeys } from "../keys/lists/key_index.ts";
import { keyCollection } from "../keys/key_rows.ts";
import { iterateRecords } from "../core/pages.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";

interface GuardrailDeletionDeps {
  readonly store: Store;
  readonly cacheVersions: CacheVersions;
  readonly runtime: Pick<Runtime, "clock" | "random">;
}

/**
 * Removes what is left of it, from wherever that stands: called again it goes on, and does no harm where nothing is
 * left.
 */
export async function removeGuardrail(deps: GuardrailDeletionDeps, id: string): Promise<void> {
  const { store, cacheVersions, runtime } = deps;
  await close(deps, id);
  for await (const { hash } of listIndexedKeys(store, { name: "guardrail", of: id })) {
    await unassignHolders(deps, { hash, id });
  }
  const index = membersOfGuardrail(store);
  for await (const { id: [, userId = ""] } of iterateRecords(index, [id])) {
    const members = guardrailMembers(store);
    await retryOnConflict(runtime, async () => {
      const found = await members.get(userId);
      const mine = found?.record.guardrail_id === id;
      const { type } = await store.commit({
        checks: [members.check([userId], found?.version ?? null)],
        deletes: [index.key([id, userId]), ...(mine ? [members.key([userId])] : [])],
      });
      if (type === "conflict") return WRITE_CONFLICT;
    });
  }
  await store.commit({
    deletes: [guardrailCollection(store).key([id]), guardrailDeletions(store).key([id])],
    puts: [cacheVersions.put("guardrails")],
  });
  cacheVersions.changed("guardrails", id);
}

/** Nobody can be given it from here on. */
async function close({ store, runtime }: GuardrailDeletionDeps, id: string): Promise<void> {
  const rows = guardrailCollection(store);
  await retryOnConflict(runtime, async () => {
    const found = await rows.get(id);
    if (found === undefined || found.record.deleting) return;
    const { type } = await store.commit({
      checks: [rows.check([id], found.version)],
      puts: [rows.put([id], { ...found.record, deleting: true })],
    });
    if (type === "conflict") return WRITE_CONFLICT;
  });
}

interface UnassignedHolders {
  readonly hash: string;
  readonly id: string;
}

async function unassignHolders(
  { store, cacheVersions, runtime }: GuardrailDeletionDeps,
  { hash, id }: UnassignedHolders,
): Promise<void> {
  const rows = keyCollection(store);
  await retryOnConflict(runtime, async () => {
    const found = await rows.get(hash);
    if (found?.record.guardrail?.guardrail_id !== id) return;
    const [, ...old] = keyDeletes(store, found.record);
    const puts = keyPuts(store, { ...found.record, guardrail: null });
    const kept = new Set(puts.map(({ key }) => JSON.stringify(key)));
    const { type } = await store.commit({
      checks: [rows.check([hash], found.version)],
      puts: [...puts, cacheVersions.put("keys")],
      deletes: old.filter((key) => !kept.has(JSON.stringify(key))),
    });
    if (type === "conflict") return WRITE_CONFLICT;
  });
  cacheVersions.changed("keys", hash);
}

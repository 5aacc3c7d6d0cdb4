/**
 * Deleting a guardrail: it is gone for everybody first, then it is taken from the keys and members that had it, and
 * its row goes last. A record of the deletion stands beside it meanwhile, by which any instance finishes it.
 */

import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import type { Epochs } from "../core/cache_versions.ts";
import { guardrailDeletions, guardrailMembers, guardrailRows, membersOfGuardrail } from "./guardrail_rows.ts";
import { indexedKeys, keyDeletes, keyPuts } from "../keys/key_index.ts";
import { keyRows } from "../keys/key_rows.ts";
import { everyRow } from "../core/pages.ts";
import { CONFLICT, retried } from "../core/write.ts";

export interface GuardrailDeps {
  readonly store: Store;
  readonly epochs: Epochs;
  readonly world: Pick<World, "clock" | "random">;
}

/**
 * Removes what is left of it, from wherever that stands: called again it goes on, and does no harm where nothing is
 * left.
 */
export async function removeGuardrail(deps: GuardrailDeps, id: string): Promise<void> {
  const { store, epochs, world } = deps;
  await close(deps, id);
  for await (const { hash } of indexedKeys(store, { name: "guardrail", of: id })) {
    await free(deps, { hash, id });
  }
  const index = membersOfGuardrail(store);
  for await (const { id: [, userId = ""] } of everyRow(index, [id])) {
    const members = guardrailMembers(store);
    await retried(world, async () => {
      const found = await members.get(userId);
      const mine = found?.record.guardrail_id === id;
      const { type } = await store.commit({
        checks: [members.check([userId], found?.version ?? null)],
        deletes: [index.key([id, userId]), ...(mine ? [members.key([userId])] : [])],
      });
      if (type === "conflict") return CONFLICT;
    });
  }
  await store.commit({
    deletes: [guardrailRows(store).key([id]), guardrailDeletions(store).key([id])],
    puts: [epochs.put("guardrails")],
  });
  epochs.changed("guardrails", id);
}

/** Nobody can be given it from here on. */
async function close({ store, world }: GuardrailDeps, id: string): Promise<void> {
  const rows = guardrailRows(store);
  await retried(world, async () => {
    const found = await rows.get(id);
    if (found === undefined || found.record.deleting) return;
    const { type } = await store.commit({
      checks: [rows.check([id], found.version)],
      puts: [rows.put([id], { ...found.record, deleting: true })],
    });
    if (type === "conflict") return CONFLICT;
  });
}

interface Freed {
  readonly hash: string;
  readonly id: string;
}

async function free({ store, epochs, world }: GuardrailDeps, { hash, id }: Freed): Promise<void> {
  const rows = keyRows(store);
  await retried(world, async () => {
    const found = await rows.get(hash);
    if (found?.record.guardrail?.guardrail_id !== id) return;
    const [, ...old] = keyDeletes(store, found.record);
    const puts = keyPuts(store, { ...found.record, guardrail: null });
    const kept = new Set(puts.map(({ key }) => JSON.stringify(key)));
    const { type } = await store.commit({
      checks: [rows.check([hash], found.version)],
      puts: [...puts, epochs.put("keys")],
      deletes: old.filter((key) => !kept.has(JSON.stringify(key))),
    });
    if (type === "conflict") return CONFLICT;
  });
  epochs.changed("keys", hash);
}

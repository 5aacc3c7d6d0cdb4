/**
 * What belongs to a workspace and goes with it: one row a kind of record. A kind that is new to the gateway and
 * belongs to workspaces adds its row here, and to tests/support/orphans.ts.
 */

import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { budgetRows } from "../budgets/budget_rows.ts";
import { byokRows } from "../byok/byok_rows.ts";
import { clientRows, secretsOf } from "../clients/client_rows.ts";
import type { Epochs } from "../core/cache_versions.ts";
import { indexedKeys, keyDeletes } from "../keys/key_index.ts";
import { keyRows } from "../keys/key_rows.ts";
import { everyRow } from "../core/pages.ts";
import { removeGuardrail } from "../guardrails/guardrail_deletion.ts";
import { guardrailRows } from "../guardrails/guardrail_rows.ts";
import { memberRows } from "./workspace_rows.ts";
import { CONFLICT, retried } from "../core/write.ts";

export interface PartDeps {
  readonly store: Store;
  readonly epochs: Epochs;
  readonly world: Pick<World, "clock" | "random">;
}

export interface WorkspacePart {
  readonly name: string;
  /**
   * Removes or disables what is there. The workspace is closed for good by then, so nothing new comes in. A crash
   * may cut it off anywhere: called again, by whatever instance, it goes on, and does no harm where nothing is left.
   */
  readonly remove: (deps: PartDeps, workspaceId: string) => Promise<void>;
}

/** Management keys belong to the installation and stay. */
const keys: WorkspacePart = {
  name: "keys",
  remove: async ({ store, epochs, world }, workspaceId) => {
    const rows = keyRows(store);
    for await (const { hash } of indexedKeys(store, { name: "workspace", of: workspaceId })) {
      await retried(world, async () => {
        const found = await rows.get(hash);
        if (found === undefined) return;
        const { type } = await store.commit({
          checks: [rows.check([hash], found.version)],
          deletes: keyDeletes(store, found.record),
          puts: [epochs.put("keys")],
        });
        if (type === "conflict") return CONFLICT;
      });
      epochs.changed("keys", hash);
    }
  },
};

/** Connect clients with their secrets, which could make keys nowhere any more. */
const clients: WorkspacePart = {
  name: "clients",
  remove: async ({ store, epochs, world }, workspaceId) => {
    const rows = clientRows(store);
    for await (const { record: { id, workspace_id } } of everyRow(rows)) {
      if (workspace_id !== workspaceId) continue;
      await retried(world, async () => {
        const found = await rows.get(id);
        if (found === undefined) return;
        const secrets = await secretsOf({ store }, id);
        const { type } = await store.commit({
          checks: [rows.check([id], found.version)],
          deletes: [rows.key([id]), ...secrets.flatMap((secret) => keyDeletes(store, secret))],
          puts: [epochs.put("keys")],
        });
        if (type === "conflict") return CONFLICT;
      });
      epochs.changed("keys");
    }
  },
};

const budgets: WorkspacePart = {
  name: "budgets",
  remove: async ({ store, epochs }, workspaceId) => {
    await store.commit({ deletes: [budgetRows(store).key([workspaceId])], puts: [epochs.put("budgets")] });
    epochs.changed("budgets", workspaceId);
  },
};

const members: WorkspacePart = {
  name: "members",
  remove: async ({ store }, workspaceId) => {
    const rows = memberRows(store);
    for await (const { id } of everyRow(rows, [workspaceId])) await store.commit({ deletes: [rows.key(id)] });
  },
};

const guardrails: WorkspacePart = {
  name: "guardrails",
  remove: async (deps, workspaceId) => {
    for await (const { record } of everyRow(guardrailRows(deps.store))) {
      if (record.workspace_id === workspaceId) await removeGuardrail(deps, record.id);
    }
  },
};

const providerKeys: WorkspacePart = {
  name: "provider keys",
  remove: async ({ store, epochs }, workspaceId) => {
    const rows = byokRows(store);
    for await (const { record } of everyRow(rows)) {
      if (record.workspace_id !== workspaceId) continue;
      await store.commit({ deletes: [rows.key([record.id])], puts: [epochs.put("byok")] });
      epochs.changed("byok", record.id);
    }
  },
};

/** In the order in which they go: first what lets callers in. */
export const workspaceParts: readonly WorkspacePart[] = [
  keys,
  clients,
  budgets,
  guardrails,
  providerKeys,
  members,
];

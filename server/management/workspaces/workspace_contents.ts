/**
 * Kinds of record that belong to a workspace and go with it: one row a kind. A kind that is new to the gateway and
 * belongs to workspaces adds its row here, and to tests/support/leftover_records.ts.
 */

import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { removeTaskRowsOf } from "../../billing/ledger/usage/task_query.ts";
import { budgetCollection } from "../budgets/budget_rows.ts";
import { byokCollection } from "../byok/byok_rows.ts";
import { clientCollection, clientSecrets } from "../clients/client_rows.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { disableTagRules } from "../classifiers/tag_rule_rows.ts";
import { disableDestinations } from "../destinations/destination_rows.ts";
import { keyDeletes, listIndexedKeys } from "../keys/lists/key_index.ts";
import { systemKeyCollection } from "../system_keys/system_keys.ts";
import { keyCollection } from "../keys/key_rows.ts";
import { iterateRecords } from "../core/pages.ts";
import { removeGuardrail } from "../guardrails/guardrail_deletion.ts";
import { removePresets } from "../presets/preset_rows.ts";
import { guardrailCollection } from "../guardrails/guardrail_rows.ts";
import type { ContainerService } from "../../sandbox/containers/container_service.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import { memberCollection } from "./workspace_rows.ts";
import { retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";

export interface WorkspaceContentDeps {
  readonly store: Store;
  readonly cacheVersions: CacheVersions;
  readonly runtime: Pick<Runtime, "clock" | "random">;
  readonly files: Pick<FileStore, "removeWorkspace">;
  readonly containers: Pick<ContainerService, "removal">;
}

export interface WorkspaceContent {
  readonly name: string;
  /**
   * Removes or disables what is there. The workspace is closed for good by then, so nothing new comes in. A crash
   * may cut it off anywhere: called again, by whatever instance, it goes on, and does no harm where nothing is left.
   */
  readonly remove: (deps: WorkspaceContentDeps, workspaceId: string) => Promise<void>;
}

/** Management keys belong to the installation and stay. */
const keys: WorkspaceContent = {
  name: "keys",
  remove: async ({ store, cacheVersions, runtime }, workspaceId) => {
    const rows = keyCollection(store);
    for await (const { hash } of listIndexedKeys(store, { name: "workspace", of: workspaceId })) {
      await retryOnConflict(runtime, async () => {
        const found = await rows.get(hash);
        if (found === undefined) return;
        const { type } = await store.commit({
          checks: [rows.check([hash], found.version)],
          deletes: keyDeletes(store, found.record),
          puts: [cacheVersions.put("keys")],
        });
        if (type === "conflict") return WRITE_CONFLICT;
      });
      cacheVersions.changed("keys", hash);
    }
  },
};

/** Connect clients with their secrets, which could make keys nowhere any more. */
const clients: WorkspaceContent = {
  name: "clients",
  remove: async ({ store, cacheVersions, runtime }, workspaceId) => {
    const rows = clientCollection(store);
    for await (const { record: { id, workspace_id } } of iterateRecords(rows)) {
      if (workspace_id !== workspaceId) continue;
      await retryOnConflict(runtime, async () => {
        const found = await rows.get(id);
        if (found === undefined) return;
        const secrets = await clientSecrets({ store }, id);
        const { type } = await store.commit({
          checks: [rows.check([id], found.version)],
          deletes: [rows.key([id]), ...secrets.flatMap((secret) => keyDeletes(store, secret))],
          puts: [cacheVersions.put("keys")],
        });
        if (type === "conflict") return WRITE_CONFLICT;
      });
      cacheVersions.changed("keys");
    }
  },
};

const budgets: WorkspaceContent = {
  name: "budgets",
  remove: async ({ store, cacheVersions }, workspaceId) => {
    await store.commit({
      deletes: [budgetCollection(store).key([workspaceId])],
      puts: [cacheVersions.put("budgets")],
    });
    cacheVersions.changed("budgets", workspaceId);
  },
};

const members: WorkspaceContent = {
  name: "members",
  remove: async ({ store }, workspaceId) => {
    const rows = memberCollection(store);
    for await (const { id } of iterateRecords(rows, [workspaceId])) {
      await store.commit({ deletes: [rows.key(id)] });
    }
  },
};

const guardrails: WorkspaceContent = {
  name: "guardrails",
  remove: async (deps, workspaceId) => {
    for await (const { record } of iterateRecords(guardrailCollection(deps.store))) {
      if (record.workspace_id === workspaceId) await removeGuardrail(deps, record.id);
    }
  },
};

const presets: WorkspaceContent = { name: "presets", remove: removePresets };

/** Their secrets stay encrypted until a manager deletes them. */
const destinations: WorkspaceContent = { name: "destinations", remove: disableDestinations };

const tagRules: WorkspaceContent = { name: "tag rules", remove: disableTagRules };

const providerKeys: WorkspaceContent = {
  name: "provider keys",
  remove: async ({ store, cacheVersions }, workspaceId) => {
    const rows = byokCollection(store);
    for await (const { record } of iterateRecords(rows)) {
      if (record.workspace_id !== workspaceId) continue;
      await store.commit({ deletes: [rows.key([record.id])], puts: [cacheVersions.put("byok")] });
      cacheVersions.changed("byok", record.id);
    }
  },
};

/** With their processes, also those in the middle of a command. */
const containers: WorkspaceContent = {
  name: "containers",
  remove: ({ containers }, workspaceId) => containers.removal.removeWorkspace(workspaceId),
};

const files: WorkspaceContent = {
  name: "files",
  remove: ({ files }, workspaceId) => files.removeWorkspace(workspaceId),
};

/** Which of its keys were the gateway's own. */
const systemKeys: WorkspaceContent = {
  name: "system keys",
  remove: async ({ store }, workspaceId) => {
    const rows = systemKeyCollection(store);
    for await (const { id } of iterateRecords(rows, [workspaceId])) {
      await store.commit({ deletes: [rows.key(id)] });
    }
  },
};

/** The rest of what its requests have left stays, because it was spent. */
const taskSums: WorkspaceContent = {
  name: "sums by task",
  remove: ({ store }, workspaceId) => removeTaskRowsOf(store, workspaceId),
};

/** In the order in which they go: first what lets callers in. */
export const workspaceContents: readonly WorkspaceContent[] = [
  keys,
  clients,
  budgets,
  guardrails,
  presets,
  destinations,
  tagRules,
  providerKeys,
  members,
  containers,
  files,
  systemKeys,
  taskSums,
];

/** `GET /settings`. */

import type { settingApi } from "../../../shared/management/gateway/settings.ts";
import type { OperationOutput } from "../../../shared/management/operation.ts";
import { readIdentity } from "../../storage/stores/store_identity.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { BackupDownloads } from "./backup_operation.ts";
import type { OperationHandlers } from "../core/operation.ts";

type Api = typeof settingApi;
type SettingDeps = Pick<ManagementDeps, "store" | "installation">;

export function settingOperations(deps: ManagementDeps): OperationHandlers<Api> {
  const backups = new BackupDownloads(deps);
  return {
    "settings.get": () => readSettings(deps),
    "backup.get": (input) => backups.download(input),
  };
}

async function readSettings(
  { store, installation }: SettingDeps,
): Promise<OperationOutput<Api["settings.get"]>> {
  const { settings, storeKind, storeAddress = null, dataFolder, readRoom } = installation;
  const identity = await readIdentity(store);
  const room = dataFolder === undefined ? undefined : await readRoom();
  return {
    data: {
      settings: [...settings()],
      store: { kind: storeKind, address: storeAddress, schema: identity?.schema ?? null },
      data_folder: dataFolder === undefined
        ? null
        : { path: dataFolder, bytes: room?.bytes ?? null, free_bytes: room?.freeBytes ?? null },
    },
  };
}

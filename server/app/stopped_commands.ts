/** Commands that need the store for themselves, with the gateway stopped. */

import { reencryptText } from "../cli/reencrypt_text.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { reencryptSecrets } from "../management/byok/reencrypt.ts";
import { recoverManagementKey } from "../management/keys/recover_management_key.ts";
import type { Runtime } from "../runtime.ts";
import type { StoreReport } from "../storage/stores/commands/store_report.ts";
import { masterKeyPath, openStore } from "./start.ts";

interface CommandInput {
  readonly config: Config;
  readonly runtime: Runtime;
}

/** `admin recover`: needs the store for itself, so the gateway must be stopped. */
async function recover({ config, runtime }: CommandInput): Promise<StoreReport> {
  const store = await openStore({ config, runtime });
  try {
    const key = await recoverManagementKey(store, runtime);
    return { text: `Management key: ${key}`, fields: { management_key: key } };
  } finally {
    await store.close();
  }
}

/** `admin reencrypt`: likewise, and the new master key. */
async function reencrypt({ config, runtime }: CommandInput): Promise<StoreReport> {
  const { masterKey, newMasterKey } = config;
  if (newMasterKey === undefined) {
    throw new ConfigError(
      "TOLLGATE_NEW_MASTER_KEY is not set: allowed is 32 random bytes in base64, 44 characters",
    );
  }
  const store = await openStore({ config, runtime });
  try {
    const moved = await reencryptSecrets({
      store,
      runtime,
      from: { input: masterKey, file: masterKeyPath(config) },
      to: newMasterKey,
    });
    const file = masterKey === undefined ? masterKeyPath(config) : undefined;
    return { text: reencryptText({ moved, file }), fields: { moved } };
  } finally {
    await store.close();
  }
}

export const stoppedCommands = { recover, reencrypt } as const;

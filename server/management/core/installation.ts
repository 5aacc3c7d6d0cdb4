/** Record that the first start leaves for the later ones. */

import * as z from "zod";
import { keyHashSchema, type KeyKind, timestampSchema } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";

const installedSchema = z.object({
  at: timestampSchema,
  workspace_id: z.uuid(),
  /** The keys of the first start, or those that the environment has put in their place since. */
  management_hash: keyHashSchema,
  /** Null where none was made: on a platform that shows nobody what is printed. */
  api_hash: keyHashSchema.nullable(),
});
export type Installation = z.infer<typeof installedSchema>;

export type InstallationCollection = Collection<typeof installedSchema>;

/** The record that says that the first start is over. Its id is `installed`. */
export function installationCollection(store: Store): InstallationCollection {
  return new Collection({ store, name: "meta", schema: installedSchema });
}

export const INSTALLATION_ID = "installed";

/** Keys that the environment names, used in place of generated ones. */
interface ConfiguredKeys {
  readonly management?: string;
  readonly api?: string;
}

export interface FirstStartOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "randomToken" | "id" | "log">;
  readonly configuredKeys: ConfiguredKeys;
  /** False where nobody sees what is printed, and logs are kept: then no key is generated. */
  readonly mayPrint: boolean;
}

/** Names of the first start's keys. */
export const firstKeyNames = {
  management: "First management key",
  api: "First API key",
  client: "First client secret",
} as const satisfies Record<KeyKind, string>;

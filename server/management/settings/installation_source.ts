/** Facts of the installation that `GET /settings` reads; `composition.ts` has them. */

import type { SettingDescription, StoreKind } from "../../../shared/management/gateway/settings.ts";

interface FolderRoom {
  /** Bytes of its files, and bytes that the disk has left; undefined where that cannot be told. */
  readonly bytes: number | undefined;
  readonly freeBytes: number | undefined;
}

export interface InstallationSource {
  /** The settings in force, without secrets. */
  readonly settings: () => readonly SettingDescription[];
  readonly storeKind: StoreKind;
  readonly storeAddress: string | undefined;
  /** For people to read; undefined where no disk stays. */
  readonly dataFolder: string | undefined;
  /** Looks at the data folder. */
  readonly readRoom: () => Promise<FolderRoom>;
}

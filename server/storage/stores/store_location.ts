/** Where the store is: what the operator's commands on a store are told. */

import type { PostgresAddress } from "../../config/store_address.ts";

export type StoreLocation =
  & {
    /** Where the content of files is that is not in the store. */
    readonly filesAt?: string;
  }
  & (
    | { readonly type: "embedded"; readonly folder: string }
    /** `folder`: where this machine remembers the mark of the store. */
    | { readonly type: "postgres"; readonly address: PostgresAddress; readonly folder: string }
  );

/** The file of the embedded store. */
export function storeFilePath(folder: string): string {
  return `${folder}/kv.sqlite3`;
}

/** `20260114-120000`, for the names of files. */
export function fileTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\..*$/, "").replaceAll(/[-:]/g, "").replace("T", "-");
}

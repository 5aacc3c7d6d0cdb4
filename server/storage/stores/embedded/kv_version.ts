/** How far a file of Deno KV has come: every commit gets a version above those before it. */

import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../store.ts";

/**
 * The version of the file's newest commit; undefined for a file that is absent, damaged (opening it says so) or
 * laid out in another way. The file must not be open in this process.
 */
export function latestVersionOf(path: string): bigint | undefined {
  let database: DatabaseSync | undefined;
  try {
    if (Deno.statSync(path).size === 0) return undefined;
    database = new DatabaseSync(path, { readOnly: true });
    const select = database.prepare("select version from data_version where k = 0");
    select.setReadBigInts(true);
    const version = select.get()?.["version"];
    return typeof version === "bigint" ? version : undefined;
  } catch {
    // The layout is Deno's own. Without a version to compare, the other marks of the store still speak.
    return undefined;
  } finally {
    database?.close();
  }
}

/** Makes the next commit to a file's database get a higher version than `version`. Throws for another layout. */
export function raiseVersion(database: DatabaseSync, version: bigint): void {
  const raise = database.prepare("update data_version set version = max(version, ?) where k = 0");
  if (raise.run(version).changes !== 1) {
    throw new StoreError("corrupt", "it does not say how far it has come");
  }
}

/** The number in a versionstamp: its first eight bytes. */
export function versionNumber(versionstamp: string): bigint {
  return BigInt(`0x${versionstamp.slice(0, 16)}`);
}

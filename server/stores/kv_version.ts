/** How far a file of Deno KV has come: every commit gets a version above those before it. */

import { DatabaseSync } from "node:sqlite";

/**
 * The version of the file's newest commit; undefined for a file that is absent, damaged (opening it says so) or
 * laid out in another way. The file must not be open in this process.
 */
export function latestOf(path: string): bigint | undefined {
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

/** The number in a versionstamp: its first eight bytes. */
export function numberOf(versionstamp: string): bigint {
  return BigInt(`0x${versionstamp.slice(0, 16)}`);
}

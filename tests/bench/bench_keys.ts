/** Texts of keys that two processes can make without telling each other: the store's filler and the load generator. */

import { hash, randomBytes } from "node:crypto";
import { keyPrefixes } from "../../shared/keys.ts";

/** The key of a number. No secret: anyone who reads this can make it. */
export function keyText(at: number): string {
  return keyPrefixes.api + hash("sha256", `bench ${at}`);
}

const run = randomBytes(16).toString("hex");
let made = 0;

/** A well-formed key that nobody has, another one each time. */
export function nobodysKey(): string {
  return keyPrefixes.api + hash("sha256", `${run} ${made++}`);
}

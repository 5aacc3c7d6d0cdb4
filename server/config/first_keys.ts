/** Keys that a first start has made: shown at a terminal, and elsewhere kept out of what is printed. */

import { dirname, join } from "node:path";
import type { Config } from "./config.ts";
import { type Banner, consoleLines, newKeyLines } from "./startup_texts.ts";

const FILE_NAME = "first-keys.txt";

type NewKeys = Pick<Banner, "managementKey" | "apiKey" | "hasConsole" | "consoleToken" | "hostname" | "port">;

interface SaveOptions extends Pick<Config, "dataFolder"> {
  /** True when the output goes to a terminal, which keeps nothing. */
  readonly isTerminal: boolean;
}

/**
 * Writes new keys, and the link that signs in, to a file of the data folder that only this user may read. Its path;
 * undefined at a terminal, or without new keys. What reads the output of a service keeps it: journald, a container's
 * log.
 */
export function saveFirstKeys(
  keys: NewKeys,
  { dataFolder, isTerminal }: SaveOptions,
): string | undefined {
  const lines = newKeyLines(keys);
  if (isTerminal || lines.length === 0) return undefined;
  const path = join(dataFolder, FILE_NAME);
  // With PostgreSQL the folder is not there before the first secret of this machine.
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // An older file would keep its mode.
  removeIfThere(path);
  const link = keys.consoleToken === undefined ? [] : consoleLines(keys);
  const text = [...lines, ...link].join("\n");
  Deno.writeTextFileSync(path, `${text}\n`, { createNew: true, mode: 0o600 });
  return path;
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Opens the configuration of a destination. */

import type { Vault } from "../byok/vault.ts";
import { type DestinationConfig, parseConfig } from "./destination_config.ts";
import { configContext, type DestinationRow } from "./destination_rows.ts";

interface Opening {
  readonly row: DestinationRow;
  /** For API errors. */
  readonly verb: string;
}

/** Throws an ApiError where it was encrypted by another master key, or a newer version has written it. */
export async function openConfig(
  vault: Pick<Vault, "decrypt">,
  { row, verb }: Opening,
): Promise<DestinationConfig> {
  const config: unknown = JSON.parse(await vault.decrypt(row.sealed, configContext(row)));
  return parseConfig({ type: row.type, config, verb });
}

/**
 * The provider keys that workspaces have brought, decrypted when they are first needed and held in memory until the
 * records change. Nothing else ever sees their text.
 */

import { Memo } from "../../../shared/util/memo.ts";
import type { ByokKey } from "../../pipeline/caller_rules.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { byokCollection, byokEncryptionContext, type ByokRow } from "./byok_rows.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { ledgerIdOf, readLineage } from "../keys/key_lineage.ts";
import type { KeyRow } from "../keys/key_rows.ts";
import { readAllRecords } from "../core/pages.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import type { Vault } from "./vault.ts";

/** A provider key in clear, for what makes endpoints of it. */
interface DecryptedKey {
  readonly id: string;
  readonly version: number;
  readonly key: string;
  readonly fallback: boolean;
  readonly order: number;
  /** Statement on zero data retention for the account; null: none. */
  readonly zdr: boolean | null;
}

interface ByokKeysOptions {
  readonly store: Store;
  readonly cacheVersions: Pick<CacheVersions, "on">;
  readonly vault: Pick<Vault, "decrypt">;
  readonly runtime: Pick<Runtime, "log">;
  /** Makes of a key what turns endpoints into those that are called with it. */
  readonly withByokKey: (key: DecryptedKey) => ByokKey["at"];
}

interface CachedByokKey {
  readonly row: ByokRow;
  readonly own: ByokKey;
}

export class ByokKeys {
  readonly #options: ByokKeysOptions;
  readonly #known = new Memo(() => this.#load());

  constructor(options: ByokKeysOptions) {
    this.#options = options;
    options.cacheVersions.on("byok", () => this.#known.forget());
  }

  /**
   * Lists the provider keys that are for calls with this key, in their order. Rejects with an ApiError when the store
   * does not answer.
   */
  async of(key: KeyRow): Promise<readonly ByokKey[]> {
    const known = await this.#known.get();
    const line = await this.#lineOf(key, known);
    return known.filter(({ row }) => isFor(row, { key, line })).map(({ own }) => own);
  }

  /** Looked up only where somebody lists keys that this one is not among by its own name. */
  async #lineOf(key: KeyRow, known: readonly CachedByokKey[]): Promise<ReadonlySet<string>> {
    const names = new Set([key.hash, ledgerIdOf(key)]);
    const lists = known.flatMap(({ row: { allowed_api_key_hashes: hashes } }) =>
      hashes === null ? [] : [hashes]
    );
    if (lists.every((hashes) => hashes.some((hash) => names.has(hash)))) return names;
    return await readLineage(this.#options.store, key).catch(throwStoreUnavailable);
  }

  async #load(): Promise<readonly CachedByokKey[]> {
    const rows = await readAllRecords(byokCollection(this.#options.store)).catch(throwStoreUnavailable);
    const enabled = rows.filter(({ disabled }) => !disabled);
    enabled.sort((one, other) => one.sort_order - other.sort_order || (one.id < other.id ? -1 : 1));
    return await Promise.all(enabled.map(async (row) => ({ row, own: await this.#own(row) })));
  }

  async #own(row: ByokRow): Promise<ByokKey> {
    const { id, provider, is_fallback: fallback } = row;
    return {
      id,
      provider,
      fallback,
      required: row.is_required,
      exclusive: row.is_byok_only,
      models: row.allowed_models ?? undefined,
      at: await this.#at(row),
    };
  }

  /** A key that cannot be decrypted is used nowhere; what it demands still holds. */
  async #at(row: ByokRow): Promise<ByokKey["at"]> {
    const { vault, withByokKey, runtime } = this.#options;
    try {
      return withByokKey({
        id: row.id,
        version: row.key_version,
        key: await vault.decrypt(row.sealed, byokEncryptionContext(row)),
        fallback: row.is_fallback,
        order: row.sort_order,
        zdr: row.declared_zdr,
      });
    } catch (error) {
      runtime.log.error("Cannot use workspace provider key", {
        provider: row.provider,
        workspace: row.workspace_id,
        reason: error instanceof Error ? error.message : String(error),
      });
      return (_: Endpoint) => undefined;
    }
  }
}

interface Asking {
  readonly key: KeyRow;
  readonly line: ReadonlySet<string>;
}

/** Keys of one line count as one key. */
function isFor(row: ByokRow, { key: { workspace_id, creator_user_id }, line }: Asking): boolean {
  const { allowed_api_key_hashes: hashes, allowed_user_ids: users } = row;
  if (row.workspace_id !== null && row.workspace_id !== workspace_id) return false;
  if (hashes !== null && !hashes.some((hash) => line.has(hash))) return false;
  return users === null || (creator_user_id !== null && users.includes(creator_user_id));
}

/** Tag rules as they are stored. */

import { tagRuleSchema } from "../../../shared/observability/tag_rules.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { CacheVersions } from "../core/cache_versions.ts";
import { iterateRecords } from "../core/pages.ts";

/** By id. */
export const tagRuleCollection = (store: Store): Collection<typeof tagRuleSchema> =>
  new Collection({ store, name: "classifiers", schema: tagRuleSchema });

/** The rules of a workspace tag nothing more. Called again it goes on. */
export async function disableTagRules(
  { store, cacheVersions }: { readonly store: Store; readonly cacheVersions: CacheVersions },
  workspaceId: string,
): Promise<void> {
  const rows = tagRuleCollection(store);
  for await (const { id, record } of iterateRecords(rows)) {
    if (record.workspace_id !== workspaceId) continue;
    await rows.update(id, (row) => row.enabled ? { ...row, enabled: false } : undefined);
    await store.commit({ puts: [cacheVersions.put("classifiers")] });
  }
  cacheVersions.changed("classifiers");
}

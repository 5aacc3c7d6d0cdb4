/** Which blobs containers name: the retention job of files would remove them otherwise. */

import type { Store, StoreKey } from "../../storage/stores/store.ts";
import { containerFiles } from "./container_rows.ts";

/** Containers whose lists of files are read at a time: one may have hundreds of KB. */
const PAGE = 20;

/** Lists the ids of one workspace's blobs. */
export async function containerBlobIds(store: Store, workspaceId: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const rows = containerFiles(store);
  let after: StoreKey | undefined;
  do {
    const page = await rows.list({ within: [workspaceId], after, limit: PAGE });
    for (const { record } of page) {
      for (const entry of record.entries) {
        if (entry.type === "file" && entry.blob !== null) found.add(entry.blob);
      }
    }
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  } while (after !== undefined);
  return found;
}

/** A way back for an operator who has lost every management key, but has the store. */

import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { keyPuts } from "./key_index.ts";
import { INSTALLED, installedRows } from "../core/installation.ts";
import { keyRows, newKeyRow, newToken } from "./key_rows.ts";
import { StartError } from "../core/start_error.ts";

/** Makes one more management key and gives its text back. Throws a StartError when the store is new. */
export async function recover(store: Store, world: Pick<World, "clock" | "randomToken">): Promise<string> {
  const installed = await installedRows(store).get(INSTALLED);
  if (!installed) {
    throw new StartError(
      "There is nothing to recover: the store is new, and the first start prints its keys",
    );
  }
  const token = newToken("management", world);
  const workspaceId = installed.record.workspace_id;
  const row = newKeyRow(
    { kind: "management", token, name: "Recovered management key", workspaceId },
    world.clock.now(),
  );
  await store.commit({ checks: [keyRows(store).check([row.hash], null)], puts: keyPuts(store, row) });
  return token;
}

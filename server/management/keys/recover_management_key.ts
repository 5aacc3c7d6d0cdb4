/** A way back for an operator who has lost every management key, but has the store. */

import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { keyPuts } from "./lists/key_index.ts";
import { INSTALLATION_ID, installationCollection } from "../core/installation.ts";
import { keyCollection, newKeyRow, newToken } from "./key_rows.ts";
import { StartError } from "../core/start_error.ts";

/** Makes one more management key and gives its text back. Throws a StartError when the store is new. */
export async function recoverManagementKey(
  store: Store,
  runtime: Pick<Runtime, "clock" | "randomToken">,
): Promise<string> {
  const installed = await installationCollection(store).get(INSTALLATION_ID);
  if (!installed) {
    throw new StartError(
      "There is nothing to recover: the store is new, and the first start prints its keys",
    );
  }
  const token = newToken("management", runtime);
  const workspaceId = installed.record.workspace_id;
  const row = newKeyRow(
    { kind: "management", token, name: "Recovered management key", workspaceId },
    runtime.clock.now(),
  );
  await store.commit({ checks: [keyCollection(store).check([row.hash], null)], puts: keyPuts(store, row) });
  return token;
}

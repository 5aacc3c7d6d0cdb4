/** Destinations that have failed for long: alerts and the list of what needs attention tell of them. */

import type { AttentionDestination } from "../../../shared/management/attention.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { iterateRecords } from "../core/pages.ts";
import { destinationCollection, destinationStates } from "./destination_rows.ts";

/** A destination is told of when every attempt has failed for as long. */
export const FAILING_MS = 600_000;
/** States between two pauses. */
const SLICE = 100;

/** Lists them, the one that has failed longest first; `now` in ms since the epoch. Throws a StoreError. */
export async function failingDestinations(
  { store, pause }: Pick<ManagementDeps, "store" | "pause">,
  now: number,
): Promise<readonly AttentionDestination[]> {
  const found: AttentionDestination[] = [];
  let seen = 0;
  for await (const { id: [id = ""], record } of iterateRecords(destinationStates(store))) {
    if (++seen % SLICE === 0) await pause();
    const { failing_since: since, error } = record;
    if (since === null || now - since < FAILING_MS) continue;
    const row = (await destinationCollection(store).get(String(id)))?.record;
    if (row?.enabled !== true) continue;
    const { name, workspace_id } = row;
    found.push({
      id: row.id,
      name,
      workspace_id,
      failing_since: new Date(since).toISOString(),
      last_error: error,
    });
  }
  return found.sort((a, b) => a.failing_since.localeCompare(b.failing_since));
}

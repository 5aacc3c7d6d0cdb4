/** Tries the way to a destination with an empty message. */

import type { DestinationTest } from "../../../shared/observability/records.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { postMessage } from "../delivery/post_message.ts";
import { destinationMessage } from "./destination_message.ts";
import type { DestinationRow } from "./destination_rows.ts";
import { openConfig } from "./sealed_config.ts";

/** A webhook that refuses an empty message is there. */
const REFUSED = 400;

type TestDeps = Pick<ManagementDeps, "vault" | "sendMessage"> & {
  readonly runtime: Pick<ManagementDeps["runtime"], "clock" | "id">;
};

export async function testDestination(
  { vault, sendMessage, runtime }: TestDeps,
  row: DestinationRow,
): Promise<DestinationTest> {
  const config = await openConfig(vault, { row, verb: "test destination" });
  const input = { row, config, receipts: [], testId: runtime.id(), now: runtime.clock.now() };
  const { url, post } = await destinationMessage(input);
  const headers = { ...post.headers, "x-test-connection": "true" };
  const { signal } = new AbortController();
  const { status, error } = await postMessage(sendMessage, { url, post: { ...post, headers }, signal });
  const isThere = error === undefined || (row.type === "webhook" && status === REFUSED);
  return { reachable: isThere, status, error: isThere ? null : error };
}

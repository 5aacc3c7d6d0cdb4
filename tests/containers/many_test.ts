/** The thousandth container of a workspace, and the one after it. */

import assert from "node:assert/strict";
import { containerCollection, containerFiles } from "../../server/containers/container_rows.ts";
import { MAX_CONTAINERS } from "../../server/containers/container_store.ts";
import { adminRig } from "../support/admin.ts";

Deno.test("beyond 1,000 containers the one unused longest goes, if it sleeps", async () => {
  const { deps: { containers, store }, clock, home } = await adminRig();
  const open = (sessionId: string) =>
    containers.open({
      workspaceId: home,
      sessionId,
      generation: "gen-1",
      containerId: undefined,
      fileIds: [],
      network: undefined,
      sleepAfterSeconds: 60,
    });
  const first = await open("first");
  const [rows, files] = [containerCollection(store), containerFiles(store)];
  const row = (await rows.get(home, first.id))?.record;
  const list = (await files.get(home, first.id))?.record;
  assert(row !== undefined && list !== undefined);
  await clock.advance(1_000);
  const last_used_at = new Date(clock.now()).toISOString();
  for (let at = 1; at < MAX_CONTAINERS; at += 100) {
    const ids = Array.from(
      { length: Math.min(100, MAX_CONTAINERS - at) },
      (_, more) => `sess_x_${at + more}`,
    );
    await store.commit({
      puts: ids.flatMap((
        id,
      ) => [rows.put([home, id], { ...row, id, last_used_at }), files.put([home, id], list)]),
      small: true,
    });
  }
  await assert.rejects(open("one more"), /1000 containers, none of which sleeps/);
  await clock.advance(59_500);
  await open("one more");
  assert.equal(await containers.store.find({ workspaceId: home, id: first.id }), undefined);
  assert.equal((await containers.store.list(home)).length, MAX_CONTAINERS);
});

/** The thousandth container of a workspace, and the one after it. */

import assert from "node:assert/strict";
import {
  containerCollection,
  containerFiles,
  type ContainerRow,
} from "../../server/sandbox/containers/container_rows.ts";
import { MAX_CONTAINERS } from "../../server/sandbox/containers/container_store.ts";
import { readAllRecords } from "../../server/management/core/pages.ts";
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
  clock.leap(1_000);
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
  clock.leap(59_500);
  await open("one more");
  assert.equal(await containers.store.find({ workspaceId: home, id: first.id }), undefined);
  assert.equal((await readAllRecords(rows)).length, MAX_CONTAINERS);
  clock.leap(60_000);
  await Promise.all(Array.from({ length: 20 }, (_, at) => open(`at the same time ${at}`)));
  assert.equal((await readAllRecords(rows)).length, MAX_CONTAINERS);
});

Deno.test("a container that is used after it was listed as unused stays", async () => {
  const { deps: { containers }, clock, home } = await adminRig();
  const { id } = await containers.open({
    workspaceId: home,
    sessionId: "one",
    generation: "gen-1",
    containerId: undefined,
    fileIds: [],
    network: undefined,
    sleepAfterSeconds: 60,
  });
  const key = { workspaceId: home, id };
  const before = clock.now();
  const isUnused = ({ last_used_at }: ContainerRow) => Date.parse(last_used_at) <= before;
  clock.leap(1_000);
  await containers.store.touch(key);
  assert.equal(await containers.removal.removeUnused(key, isUnused), false);
  assert.ok(await containers.store.find(key) !== undefined);
  assert.equal(await containers.removal.removeUnused(key, () => true), true);
  assert.equal(await containers.store.find(key), undefined);
});

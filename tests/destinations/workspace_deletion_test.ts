/** The deletion of a workspace disables its destinations, wherever the process ends in the middle. */

import assert from "node:assert/strict";
import { runDeletions } from "../../server/management/core/deletion_job.ts";
import { dyingStore } from "../support/dying_store.ts";
import { orphansIn } from "../support/leftover_records.ts";
import { type DestinationRig, destinationRig } from "./destination_rig.ts";

/** A workspace with a destination. */
async function workspaceWith({ admin, at, later }: DestinationRig, slug: string) {
  later();
  const { data: { id } } = await admin.call("workspaces.create", { body: { name: slug, slug } });
  const body = { type: "webhook", name: "One", workspace_id: id, config: { url: at.url } };
  return { id, destination: (await admin.call("destinations.create", { body })).data.id };
}

Deno.test("a deletion that is cut off at any call leaves no destination on once it is finished", async () => {
  const { store, state } = dyingStore();
  await using rig = await destinationRig({ store });
  const { admin } = rig;
  const ledger = await rig.openLedger();
  let isWhole = false;
  for (let calls = 0; !isWhole; calls++) {
    const { id, destination } = await workspaceWith(rig, `one-${calls}`);
    await rig.receipt(ledger, { id: `gen-cut-${calls}`, workspace_id: id });
    state.left = calls;
    isWhole = await admin.call("workspaces.delete", { params: { id } }).then(() => true, () => false);
    state.left = Infinity;
    await runDeletions(admin.deps);
    const isThere = await admin.call("workspaces.get", { params: { id } }).then(() => true, () => false);
    const { enabled } = (await admin.call("destinations.get", { params: { id: destination } })).data;
    assert.equal(enabled, isThere, `after ${calls} calls`);
    if (isThere) await admin.call("workspaces.delete", { params: { id } });
    assert.deepEqual(await orphansIn(store), [], `after ${calls} calls`);
    const turnOn = { params: { id: destination }, body: { enabled: true } };
    await assert.rejects(admin.call("destinations.update", turnOn), /there is no such workspace/);
  }
  assert.ok(state.calls > 100);
  await rig.round();
  assert.deepEqual(rig.at.messages, [], "nothing is sent of what was disabled");
  await admin.call("destinations.list").then(({ data }) =>
    Promise.all(data.map(({ id }) => admin.call("destinations.delete", { params: { id } })))
  );
  assert.deepEqual(await store.list(["destination_states"]), []);
  await ledger.close();
});

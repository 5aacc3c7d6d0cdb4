/** The deletion of a workspace disables its tag rules, wherever the process ends in the middle. */

import assert from "node:assert/strict";
import { runDeletions } from "../../server/management/core/deletion_job.ts";
import { adminRig } from "../support/admin.ts";
import { dyingStore } from "../support/dying_store.ts";
import { orphansIn } from "../support/leftover_records.ts";

const conditions = [{ field: "status", operator: "exists" }];

Deno.test("a deletion that is cut off at any call leaves no tag rule on once it is finished", async () => {
  const { store, state } = dyingStore();
  const admin = await adminRig({ store });
  let isWhole = false;
  for (let calls = 0; !isWhole; calls++) {
    const slug = `one-${calls}`;
    const { data: { id } } = await admin.call("workspaces.create", { body: { name: slug, slug } });
    const ids: string[] = [];
    for (const tag of ["a", "b"]) {
      const body = { name: "One", tag, conditions, workspace_id: id };
      ids.push((await admin.call("classifiers.create", { body })).data.id);
    }
    state.left = calls;
    isWhole = await admin.call("workspaces.delete", { params: { id } }).then(() => true, () => false);
    state.left = Infinity;
    await runDeletions(admin.deps);
    const isThere = await admin.call("workspaces.get", { params: { id } }).then(() => true, () => false);
    const { data } = await admin.call("classifiers.list", { query: { workspace_id: id } });
    assert.deepEqual(data.map(({ enabled }) => enabled), [isThere, isThere], `after ${calls} calls`);
    if (isThere) await admin.call("workspaces.delete", { params: { id } });
    assert.deepEqual(await orphansIn(store), [], `after ${calls} calls`);
    const turnOn = { params: { id: ids[0] ?? "" }, body: { enabled: true } };
    await assert.rejects(admin.call("classifiers.update", turnOn), /there is no such workspace/);
  }
  assert.ok(state.calls > 100);
});

/** The deletion of a workspace disables its tag rules, wherever the process ends in the middle. */

import assert from "node:assert/strict";
import { runDeletions } from "../../server/management/core/deletion_job.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { StoreError } from "../../server/storage/stores/store.ts";
import { adminRig } from "../support/admin.ts";
import { orphansIn } from "../support/leftover_records.ts";
import { type RunCall, wrappedStore } from "../support/wrapped_store.ts";

/** A store that fails for good from a call on, before it or behind it, as one whose process ends. */
function dyingStore() {
  const state = { left: Infinity, calls: 0 };
  const run: RunCall = async (call) => {
    state.calls++;
    if (state.left <= 0) throw new StoreError("unavailable", "It is gone");
    state.left--;
    return await call();
  };
  const store = memoryStore();
  return { store: wrappedStore(store, run), state };
}

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

/** Gateways on one store in memory work in each other's containers, and end what others delete, in both engines. */

import assert from "node:assert/strict";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type ContainerRigOptions, testEngines } from "../support/containers.ts";
import { openInstances } from "../support/instances.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import { wrappedStore } from "../support/wrapped_store.ts";
import { deletionScenarios, endsByDeletion, forwardedDeletions } from "./deletion_scenarios.ts";
import { scenarios, withoutCalls } from "./forwarding_scenarios.ts";

const all = { ...scenarios, ...withoutCalls, ...deletionScenarios, ...forwardedDeletions };

for (const [name, run] of Object.entries(all)) {
  testEngines(name, async (openRig) => {
    await using instances = await openInstances(openRig);
    await run(instances);
  });
}

/** Variables with which a gateway is called by nobody. */
const without: readonly NonNullable<ContainerRigOptions["env"]>[] = [
  { TOLLGATE_PEER_URL: "" },
  { TOLLGATE_MASTER_KEY: "" },
];

for (const env of without) {
  testEngines(`a gateway without ${Object.keys(env)} does as before`, async (openRig) => {
    await using instances = await openInstances((options = {}) =>
      openRig({ ...options, env: { ...options.env, ...env } })
    );
    const { a, b } = instances;
    const made = await a.rig.bash({ command: "echo kept > note.txt; echo one > /tmp/only" }, {
      session: "s",
    });
    assert.deepEqual(await a.rig.gateway.store.list(["container_leases"]), []);
    const read = await b.rig.bash({ command: "cat note.txt; ls /tmp/only 2>&1 | wc -l" }, { session: "s" });
    assert.deepEqual([read.containerId, read.stdout], [made.containerId, "kept\n1\n"]);
    for (const run of Object.values({ ...withoutCalls, ...deletionScenarios })) await run(instances);
  });
}

const KEYS = {
  TOLLGATE_MANAGEMENT_KEY: "deletion-management-key-of-32-characters-x",
  TOLLGATE_API_KEY: "deletion-api-key-of-at-least-32-characters",
};

testEngines("a gateway that hears no signal ends its command when it renews its lease", async (openRig) => {
  // Each gateway closes the store of all; it gives no signals.
  const store = { ...wrappedStore(memoryStore(), (call) => call()), close: () => Promise.resolve() };
  const blobs = new MemoryBlobStore();
  await using instances = await openInstances(openRig, () => Promise.resolve({ env: KEYS, store, blobs }));
  const { a, b } = instances;
  await endsByDeletion({ runs: a, through: a, by: b });
});

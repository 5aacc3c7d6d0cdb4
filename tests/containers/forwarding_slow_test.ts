/** Gateways on one store in memory work in each other's containers, in both engines. */

import assert from "node:assert/strict";
import { type ContainerRigOptions, testEngines } from "../support/containers.ts";
import { openInstances } from "../support/instances.ts";
import { scenarios, withoutCalls } from "./forwarding_scenarios.ts";

for (const [name, run] of Object.entries({ ...scenarios, ...withoutCalls })) {
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
    for (const run of Object.values(withoutCalls)) await run(instances);
  });
}

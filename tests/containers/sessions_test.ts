/** Which container a session goes on in: after a restart, after a deletion, and beside other sessions. */

import assert from "node:assert/strict";
import { containerCall, type ContainerRig, containerRig } from "../support/containers.ts";

const reference = (id: string) => ({ environment: { type: "container_reference", container_id: id } });

/** The files that the session's next command finds, and where. */
async function found({ bash }: ContainerRig, session: string) {
  const { stdout, containerId } = await bash({ command: "ls" }, { session });
  return { files: stdout.split("\n").filter(Boolean), id: containerId };
}

async function deleteContainer({ gateway }: ContainerRig, id: string): Promise<void> {
  const reply = await containerCall(gateway, { method: "DELETE", path: `/${id}`, token: gateway.apiKey });
  assert.equal(reply.status, 200, await reply.text());
}

Deno.test("a session goes on in its container when the one it was restarted from is deleted", async () => {
  await using rig = await containerRig();
  const first = await rig.bash({ command: "touch old" }, { session: "s" });
  const second = await rig.bash({ command: "touch new", restart: true }, { session: "s" });
  const third = await rig.bash({ command: "touch newest", restart: true }, { session: "s" });
  await deleteContainer(rig, first.containerId);
  assert.deepEqual(await found(rig, "s"), { files: ["newest"], id: third.containerId });
  await deleteContainer(rig, second.containerId);
  assert.deepEqual(await found(rig, "s"), { files: ["newest"], id: third.containerId });
  await deleteContainer(rig, third.containerId);
  assert.deepEqual(await found(rig, "s"), { files: [], id: first.containerId });
});

Deno.test("a restart by a reference moves the pointer of the request's own session, and no other's", async () => {
  await using rig = await containerRig();
  const own = await rig.bash({ command: "touch own" }, { session: "own" });
  const other = await rig.bash({ command: "touch other" }, { session: "other" });
  const loose = await rig.bash({ command: "touch loose" });
  for (const session of ["own", undefined]) {
    for (const { containerId } of [other, loose]) {
      const args = { command: "ls", restart: true };
      const made = await rig.bash(args, { session, settings: reference(containerId) });
      assert.equal(made.stdout, "");
      assert.notEqual(made.containerId, containerId);
      const inIt = await rig.bash({ command: "pwd" }, { settings: reference(made.containerId) });
      assert.equal(inIt.containerId, made.containerId, "the new one is reached by its id");
      assert.deepEqual(await found(rig, "own"), { files: ["own"], id: own.containerId });
      assert.deepEqual(await found(rig, "other"), { files: ["other"], id: other.containerId });
    }
  }
  const again = await rig.bash({ command: "touch again", restart: true }, {
    session: "own",
    settings: reference(own.containerId),
  });
  assert.deepEqual(await found(rig, "own"), { files: ["again"], id: again.containerId });
});

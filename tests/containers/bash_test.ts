/** `bash` end to end: a model runs commands, and what they wrote is listed and downloaded. */

import assert from "node:assert/strict";
import { containerCall, containerRig, testEngines } from "../support/containers.ts";
import { asList, asObject } from "../support/event_stream.ts";

testEngines("bash makes a file, whose id in files[] downloads its bytes", async (openRig) => {
  await using rig = await openRig();
  const { gateway, bash } = rig;
  const item = await bash({ command: "echo hello > notes.txt; ls" }, { session: "s" });
  assert.equal(item.status, "completed");
  assert.deepEqual([item.stdout, item.exitCode], ["notes.txt\n", 0]);
  assert.match(item.containerId, /^sess_s_[a-z2-7]{16}$/);
  const [file] = item.files;
  assert.equal(file?.filename, "notes.txt");
  const path = `/${item.containerId}/files/${file?.fileId}/content`;
  const content = await containerCall(gateway, { path, token: gateway.managementKey });
  assert.deepEqual([content.status, await content.text()], [200, "hello\n"]);
  const refused = await containerCall(gateway, { path, token: gateway.apiKey });
  assert.equal(refused.status, 403);
  await refused.body?.cancel();
});

testEngines(
  "bash keeps files, working folder and exported variables of a session, and shares them with no other",
  async (openRig) => {
    await using rig = await openRig();
    const { bash } = rig;
    await bash({ commands: ["mkdir w && cd w", "export A=1", "echo $A > a.txt"] }, { session: "one" });
    const again = await bash({ command: "pwd; cat a.txt; echo $A" }, { session: "one" });
    assert.equal(again.stdout, "/home/user/w\n1\n1\n");
    const other = await bash({ command: 'pwd; ls; echo "[$A]"' }, { session: "two" });
    assert.equal(other.stdout, "/home/user\n[]\n");
    const without = await bash({ command: "ls" });
    assert.match(without.containerId, /^gen_[a-z2-7]{26}$/);
  },
);

testEngines("bash restarts into an empty container, in which the session goes on", async (openRig) => {
  await using rig = await openRig();
  const { bash, gateway } = rig;
  const first = await bash({ command: "echo 1 > old.txt" }, { session: "a long session id" });
  const second = await bash({ command: "ls; echo 2 > new.txt", restart: true }, {
    session: "a long session id",
  });
  assert.equal(second.stdout, "");
  assert.match(second.containerId, new RegExp(`^${first.containerId}-r[a-z0-9]{8}$`));
  assert(second.containerId.length <= 40);
  const third = await bash({ command: "ls" }, { session: "a long session id" });
  assert.deepEqual([third.stdout, third.containerId], ["new.txt\n", second.containerId]);
  const fourth = await bash({ restart: true, command: "ls" }, { session: "a long session id" });
  assert.match(fourth.containerId, new RegExp(`^${first.containerId}-r[a-z0-9]{8}$`));
  assert.notEqual(fourth.containerId, second.containerId);
  const path = `/${first.containerId}/files`;
  const list = asObject(await (await containerCall(gateway, { path, token: gateway.apiKey })).json());
  assert.deepEqual(asList(list.data).map((one) => asObject(one).path), ["old.txt"]);
});

testEngines(
  "bash tells what a command printed before its time limit, keeps its changes and says so",
  async (openRig) => {
    await using rig = await openRig();
    const { bash } = rig;
    const commands = ["echo before; echo kept > kept.txt; while :; do :; done; echo after", "echo never"];
    const item = await bash({ commands, timeout_ms: 2_000 }, { session: "s" });
    assert.deepEqual([item.status, item.stdout, item.exitCode], ["completed", "before\n", null]);
    assert.deepEqual(item.files.map(({ filename }) => filename), ["kept.txt"]);
    assert.deepEqual(item.output.notes, [
      "The command reached its time limit and was ended. What it printed and changed until then is kept.",
    ]);
    assert.equal((await bash({ command: "cat kept.txt" }, { session: "s" })).stdout, "kept\n");
  },
);

Deno.test(
  "bash says that the changes of a command are lost which could not be interrupted",
  async () => {
    await using rig = await containerRig();
    const { bash } = rig;
    const command = "echo before; echo lost > lost.txt; sleep 0.2; awk 'BEGIN { while (1) x++ }'";
    const item = await bash({ command, timeout_ms: 2_000 }, { session: "s" });
    assert.deepEqual([item.stdout, item.exitCode, item.files], ["before\n", null, []]);
    assert.match(String(item.output.notes), /reached its time limit.*changes of files are lost/);
    assert.equal((await bash({ command: "ls" }, { session: "s" })).stdout, "");
  },
);

/** Which container a session goes on in: after a restart, after a deletion, and beside other sessions. */

import assert from "node:assert/strict";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import { calls, itemsOf, says, send, wholeOf, withTools } from "../server_tools/rig.ts";
import { bashIn, containerCall, type ContainerRig, testEngines } from "../support/containers.ts";
import { linesLogger } from "../support/reader.ts";
import { tickingClock } from "../support/ticking_clock.ts";

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

testEngines(
  "a session goes on in its container when the one it was restarted from is deleted",
  async (openRig) => {
    await using rig = await openRig();
    const first = await rig.bash({ command: "touch old" }, { session: "s" });
    const second = await rig.bash({ command: "touch new", restart: true }, { session: "s" });
    const third = await rig.bash({ command: "touch newest", restart: true }, { session: "s" });
    await deleteContainer(rig, first.containerId);
    assert.deepEqual(await found(rig, "s"), { files: ["newest"], id: third.containerId });
    await deleteContainer(rig, second.containerId);
    assert.deepEqual(await found(rig, "s"), { files: ["newest"], id: third.containerId });
    await deleteContainer(rig, third.containerId);
    assert.deepEqual(await found(rig, "s"), { files: [], id: first.containerId });
  },
);

testEngines(
  "a restart by a reference moves the pointer of the request's own session, and no other's",
  async (openRig) => {
    await using rig = await openRig();
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
  },
);

Deno.test("a restart of a named container lasts for all later calls of the response, also a second one", async () => {
  const keeper = startKeeper({ clock: tickingClock(), log: linesLogger([]), env: keeperEnvironment() });
  await withTools({ keeper, env: { TOLLGATE_LOCAL: "on" } }, async (rig) => {
    const first = await bashIn(rig.gateway, { args: { command: "touch old" } });
    const scripts = ["ls; touch a", "ls", "touch b; ls", "ls"].map((command, index) => ({
      command,
      ...(index % 2 === 0 ? { restart: true } : {}),
    }));
    rig.plan((turn) =>
      turn < scripts.length
        ? [calls("bash", { args: { ...scripts[turn], timeout_ms: 300_000 }, id: `call_${turn}` })]
        : [says("done")]
    );
    const answer = await send(rig.gateway, {
      api: "responses",
      body: {
        model: "mock/responses",
        input: "go",
        session_id: "s",
        tools: [{ type: "service:bash", engine: "container", ...reference(first.containerId) }],
      },
    });
    const items = itemsOf(wholeOf(answer)).filter(({ type }) => type === "service:bash");
    assert.deepEqual(items.map(({ stdout }) => stdout), ["", "a\n", "b\n", "b\n"]);
    const ids = items.map(({ container_id: id }) => id);
    assert.deepEqual([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3]], [true, false, true]);
    assert(!ids.includes(first.containerId));
    const old = await bashIn(rig.gateway, {
      args: { command: "ls" },
      settings: reference(first.containerId),
    });
    assert.equal(old.stdout, "old\n", "the next response names the old one again");
  });
  await keeper.close();
});

/** Rules that hold for the processes of containers, whichever engine runs them. */

import assert from "node:assert/strict";
import { BoxProcess } from "../../server/sandbox/bubblewrap/box_process.ts";
import { ContainerProcess } from "../../server/sandbox/container_process.ts";
import type { StoredEntry } from "../../server/sandbox/sandbox.ts";
import { engines, runIn, sandboxRig, shown, textOf } from "../support/sandbox.ts";
import { patiently } from "../support/until.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const file = (path: string, content: string): StoredEntry => ({
  entry: { type: "file", path, mode: 0o644, modifiedAt: 1_000, size: content.length },
  read: () => Promise.resolve(bytes(content)),
});

for (const engine of engines) {
  Deno.test(`sandbox runs a command on the container's files and hands back what changed (${engine})`, async () => {
    await using rig = sandboxRig({ engine });
    const process = await rig.open({
      entries: [
        { entry: { type: "folder", path: "d", mode: 0o755, modifiedAt: 1_000 } },
        file("d/a.txt", "hello"),
        file("b.txt", "gone"),
        { entry: { type: "link", path: "l", target: "d" } },
      ],
    });
    const outcome = await runIn(process, "cat l/a.txt; rm b.txt; echo more > l/new.txt; exit 3");
    assert.equal(shown(outcome), "hello[3]");
    assert.equal(outcome.type, "ended");
    if (outcome.type !== "ended") return;
    const changes = outcome.changes.map((change) =>
      change.type === "deleted" ? `-${change.path}` : `+${change.entry.type} ${change.entry.path}`
    );
    assert.deepEqual(changes, ["-b.txt", "+folder d", "+file d/new.txt"]);
    assert.equal(await textOf(process, "d/new.txt"), "more\n");
    process.release(undefined);
  });

  Deno.test(`sandbox tells working folder and exported variables, and nothing else lasts (${engine})`, async () => {
    await using rig = sandboxRig({ engine });
    const process = await rig.open();
    const first = await runIn(
      process,
      "mkdir w; cd w; export A='x y'; B=2; declare -x C=3; f() { echo f; }; exit 0",
    );
    assert.equal(first.type, "ended");
    if (first.type !== "ended") return;
    assert.equal(first.workingFolder, "/home/user/w");
    // Engines differ in what every command begins with.
    const { A, B, C } = first.environment;
    assert.deepEqual({ A, B, C }, { A: "x y", B: undefined, C: "3" });
    const { workingFolder, environment } = first;
    const second = await runIn(process, "pwd; echo $A.$B.$C; f", { workingFolder, environment });
    assert.match(shown(second), /^\/home\/user\/w\nx y\.\.3\nbash: (?:line 1: )?f: command not found\n/);
    const fresh = await rig.open({ container: "fresh" });
    assert.match(shown(await runIn(fresh, "env", { environment })), /^A=x y$/m);
    fresh.release(undefined);
    const third = await runIn(process, "unset A; pwd", { workingFolder: "/gone", environment });
    assert.equal(shown(third), "/home/user\n");
    assert.equal(third.type === "ended" && third.environment.A, undefined);
    assert.equal(third.type === "ended" && third.environment.C, "3");
    process.release(undefined);
  });

  Deno.test(`sandbox keeps a process warm for its container and its version only (${engine})`, async () => {
    await using rig = sandboxRig({ engine });
    const process = await rig.open();
    await runIn(process, "touch /tmp/here");
    process.release("1");
    const warm = await rig.open({ version: "1" });
    assert.equal(shown(await runIn(warm, "ls /tmp")), "here\n");
    warm.release("2");
    const other = await rig.open({ version: "1" });
    assert.equal(shown(await runIn(other, "ls /tmp")), "");
    other.release(undefined);
  });

  Deno.test(`sandbox lends no process to two containers, and lets the longest waiting one go first (${engine})`, async () => {
    await using rig = sandboxRig({ engine, processes: 1 });
    const first = await rig.open({ container: "a" });
    await runIn(first, "touch /tmp/a");
    const order: string[] = [];
    const later = ["b", "c"].map(async (container) => {
      const process = await rig.open({ container });
      order.push(container);
      assert.equal(shown(await runIn(process, "ls /tmp")), "");
      process.release("1");
    });
    first.release("1");
    await Promise.all(later);
    assert.deepEqual(order, ["b", "c"]);
  });

  Deno.test(`sandbox ends a warm process for a container that needs one (${engine})`, async () => {
    await using rig = sandboxRig({ engine, processes: 1 });
    (await rig.open({ container: "a" })).release("1");
    const other = await rig.open({ container: "b" });
    assert.equal(shown(await runIn(other, "echo b")), "b\n");
    other.release(undefined);
  });

  Deno.test(`sandbox ends a warm process that another one of its container replaces (${engine})`, async () => {
    await using rig = sandboxRig({ engine, processes: 2 });
    const [first, second] = [await rig.open(), await rig.open()];
    assert(first instanceof ContainerProcess || first instanceof BoxProcess);
    first.release("1");
    second.release("2");
    assert.equal(first.session.hasEnded, true);
    await patiently(first.session.ended);
    const other = await rig.open({ container: "other" });
    const kept = await rig.open({ version: "2" });
    assert.equal(kept, second, "the place of the first was free again");
    other.release(undefined);
    kept.release(undefined);
  });

  Deno.test(`sandbox ends a command whose caller leaves, and a container that is deleted (${engine})`, async () => {
    await using rig = sandboxRig({ engine });
    const leaving = new AbortController();
    const process = await rig.open();
    const running = runIn(process, "sleep 60", { signal: leaving.signal });
    leaving.abort(new Error("left"));
    await assert.rejects(running, /left/);
    process.release("1");
    const deleted = await rig.open({ container: "two" });
    const outcome = runIn(deleted, "sleep 60", { timeoutMs: 60_000 });
    await rig.sandbox.end("two");
    assert.equal(shown(await outcome), "killed: stopped");
  });
}

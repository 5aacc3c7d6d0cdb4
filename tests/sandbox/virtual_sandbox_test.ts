/** Commands in processes of their own: what lasts, what is handed back, and who gets a process. */

import assert from "node:assert/strict";
import { ContainerProcess } from "../../server/sandbox/container_process.ts";
import { encodePack } from "../../server/sandbox/pack.ts";
import { SandboxError, type StoredEntry } from "../../server/sandbox/sandbox.ts";
import { childrenOf, hasPs } from "../support/processes.ts";
import { runIn, type SandboxRig, sandboxRig, shown, textOf } from "../support/sandbox.ts";
import { patiently, until } from "../support/until.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Ends the keeper of this process, and waits until that is known. */
async function killKeeperOf({ keeper }: SandboxRig): Promise<void> {
  const [row] = await childrenOf([Deno.pid], "keeper/main.ts");
  Deno.kill(row?.pid ?? assert.fail("a keeper runs"), "SIGKILL");
  await until(() => keeper.problem !== undefined, { what: "the keeper's end" });
}

const file = (path: string, content: string): StoredEntry => ({
  entry: { type: "file", path, mode: 0o644, modifiedAt: 1_000, size: content.length },
  read: () => Promise.resolve(bytes(content)),
});

Deno.test("sandbox runs a command on the container's files and hands back what changed", async () => {
  await using rig = sandboxRig();
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

Deno.test("sandbox tells working folder and exported variables, and nothing else lasts", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const first = await runIn(
    process,
    "mkdir w; cd w; export A='x y'; B=2; declare -x C=3; f() { echo f; }; exit 0",
  );
  assert.equal(first.type, "ended");
  if (first.type !== "ended") return;
  assert.equal(first.workingFolder, "/home/user/w");
  assert.deepEqual({ ...first.environment }, { HOME: "/home/user", PATH: "/usr/bin:/bin", A: "x y", C: "3" });
  const { workingFolder, environment } = first;
  const second = await runIn(process, "pwd; echo $A.$B.$C; f", { workingFolder, environment });
  assert.match(shown(second), /^\/home\/user\/w\nx y\.\.3\nbash: f: command not found\n/);
  const fresh = await rig.open({ container: "fresh" });
  assert.match(shown(await runIn(fresh, "env", { environment })), /^A=x y$/m);
  fresh.release(undefined);
  const third = await runIn(process, "unset A; pwd", { workingFolder: "/gone", environment });
  assert.equal(shown(third), "/home/user\n");
  assert.deepEqual(third.type === "ended" && Object.keys(third.environment).sort(), ["C", "HOME", "PATH"]);
  process.release(undefined);
});

Deno.test("sandbox keeps a process warm for its container and its version only", async () => {
  await using rig = sandboxRig();
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

Deno.test("sandbox lends no process to two containers, and lets the longest waiting one go first", async () => {
  await using rig = sandboxRig({ processes: 1 });
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

Deno.test("sandbox ends a warm process for a container that needs one", async () => {
  await using rig = sandboxRig({ processes: 1 });
  (await rig.open({ container: "a" })).release("1");
  const other = await rig.open({ container: "b" });
  assert.equal(shown(await runIn(other, "echo b")), "b\n");
  other.release(undefined);
});

Deno.test("sandbox ends a warm process that another one of its container replaces", async () => {
  await using rig = sandboxRig({ processes: 2 });
  const [first, second] = [await rig.open(), await rig.open()];
  assert(first instanceof ContainerProcess);
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

Deno.test({
  name: "sandbox gives the places of warm processes back that ended by themselves",
  ignore: !hasPs("Tests of a killed keeper"),
  fn: async () => {
    await using rig = sandboxRig({ processes: 2 });
    const dead = await rig.open({ container: "dead" });
    dead.release("1");
    await killKeeperOf(rig);
    for (const container of ["a", "b"]) (await rig.open({ container })).release("1");
    const third = await rig.open({ container: "c" });
    assert.equal(shown(await runIn(third, "echo c")), "c\n");
    third.release(undefined);
  },
});

Deno.test("sandbox keeps a spare process once containers have been used", async () => {
  await using rig = sandboxRig({ processes: 2, spare: true });
  (await rig.open({ container: "a" })).release("1");
  // The spare has the second place, and is used before the warm one is ended.
  const other = await rig.open({ container: "b" });
  const again = await rig.open({ container: "a", version: "1" });
  assert.equal(shown(await runIn(other, "echo b")) + shown(await runIn(again, "echo a")), "b\na\n");
});

Deno.test("sandbox ends a command whose caller leaves, and a container that is deleted", async () => {
  await using rig = sandboxRig();
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

Deno.test("sandbox says why there is no process", async () => {
  await using rig = sandboxRig();
  await rig.keeper.close();
  await until(() => rig.sandbox.unavailableReason !== undefined);
  assert.equal(rig.sandbox.problem, rig.sandbox.unavailableReason);
  await assert.rejects(
    rig.open(),
    (error) => error instanceof SandboxError && error.reason === "unavailable",
  );
});

Deno.test("sandbox lets curl reach what the network policy allows, and nothing else", async () => {
  const asked: string[] = [];
  await using rig = sandboxRig({
    fetchPage: ({ url, allows }) => {
      if (!allows(new URL(url))) return Promise.reject(new Error(`The request does not allow ${url}.`));
      asked.push(url);
      return Promise.resolve({ url, status: 200, contentType: "text/plain", body: bytes("page\n") });
    },
  });
  const open = await rig.open({ network: { type: "allowlist", domains: ["example.com"] } });
  assert.equal(shown(await runIn(open, "curl -s https://example.com/a")), "page\n");
  assert.match(shown(await runIn(open, "curl -s https://example.org/ || echo no")), /no\n/);
  assert.match(shown(await runIn(open, "curl -s -X POST https://example.com/ || echo no")), /no\n/);
  const many =
    "for i in 1 2 3 4 5 6 7 8 9 10 11; do curl -s https://example.com/$i >/dev/null || echo $i; done";
  assert.match(shown(await runIn(open, many)), /^(?:curl.*\n)?11\n/);
  assert.deepEqual(new Set(asked.map((url) => new URL(url).hostname)), new Set(["example.com"]));
  open.release(undefined);
  const closed = await rig.open({ container: "closed" });
  assert.match(shown(await runIn(closed, "curl -s https://example.com/a")), /curl: command not found/);
  closed.release(undefined);
});

Deno.test("a process handles a request that comes before it knows that its last reply was written", async () => {
  await using rig = sandboxRig();
  const types: string[] = [];
  const session = rig.keeper.open("sandbox", {
    memoryMib: 512,
    // On a busy machine it tells what was printed before it ends.
    onFrame: ({ header }) => header.type !== "printed" && types.push(String(header.type)),
  });
  await until(() => types.length === 1, { what: "that the process is ready" });
  const command = {
    language: "bash",
    code: "echo 1",
    workingFolder: "/home/user",
    environment: [],
    network: false,
    timeMs: 10_000,
  };
  for (let request = 0; request < 3; request++) {
    session.send({ header: { type: "run", request }, body: encodePack(command), timeMs: 10_000 });
  }
  await until(() => types.length === 4, { what: "that all requests are answered" });
  assert.deepEqual(types, ["ready", "ended", "ended", "ended"]);
  session.kill();
  await session.ended;
});

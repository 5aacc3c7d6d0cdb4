/** Commands in processes of their own: what lasts, what is handed back, and who gets a process. */

import assert from "node:assert/strict";
import { encodePack } from "../../server/sandbox/pack.ts";
import { SandboxError } from "../../server/sandbox/sandbox.ts";
import { childrenOf, hasPs } from "../support/processes.ts";
import { runIn, type SandboxRig, sandboxRig, shown } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Ends the keeper of this process, and waits until that is known. */
async function killKeeperOf({ keeper }: SandboxRig): Promise<void> {
  const [row] = await childrenOf([Deno.pid], "keeper/main.ts");
  Deno.kill(row?.pid ?? assert.fail("a keeper runs"), "SIGKILL");
  await until(() => keeper.problem !== undefined, { what: "the keeper's end" });
}

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

Deno.test("sandbox gives no process to a container that is ended while it waits for one", async () => {
  await using rig = sandboxRig({ processes: 1 });
  const isEnded = (error: unknown) => error instanceof SandboxError && error.reason === "ended";
  const endWaiting = async (container: string) => {
    const opening = rig.open({ container });
    const refused = assert.rejects(opening, isEnded);
    await until(() => rig.sandbox.containers.includes(container), { what: "that it waits" });
    await rig.sandbox.end(container);
    await refused;
    assert.ok(!rig.sandbox.containers.includes(container));
  };
  await endWaiting("starting");
  const first = await rig.open({ container: "first" });
  await endWaiting("behind another one");
  assert.equal(shown(await runIn(first, "echo a")), "a\n");
  assert.equal(rig.sandbox.problem, undefined, "that is no fault of the sandbox");
  first.release(undefined);
  const next = await rig.open({ container: "starting" });
  assert.equal(shown(await runIn(next, "echo b")), "b\n", "its place is free");
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

/** Ways in which a running command of the engine `bubblewrap` comes to its end, while its caller waits. */

import assert from "node:assert/strict";
import { childrenOf } from "./processes.ts";
import type { SandboxRig } from "./sandbox.ts";
import { until } from "./until.ts";

type CommandEnd = (rig: SandboxRig, stop: AbortController) => Promise<void>;

/** Each by its name; the container is called "one". */
export const commandEnds: readonly (readonly [name: string, end: CommandEnd])[] = [
  ["its caller leaves", (_rig, stop) => Promise.resolve(stop.abort())],
  ["its container is deleted", (rig) => rig.sandbox.end("one")],
  ["the sandbox is closed", (rig) => rig.sandbox.close()],
  ["the keeper is killed", killKeeperOf],
];

async function killKeeperOf({ keeper }: SandboxRig): Promise<void> {
  const [row] = await childrenOf([Deno.pid], "keeper/main.ts");
  Deno.kill(row?.pid ?? assert.fail("a keeper runs"), "SIGKILL");
  await until(() => keeper.problem !== undefined, { what: "the keeper's end" });
}

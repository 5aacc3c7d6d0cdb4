/** Whatever is killed, no child is left behind. */

import assert from "node:assert/strict";
import { KeeperUnavailable } from "../../server/keeper/keeper.ts";
import { article, endlessPage } from "../support/documents.ts";
import { childrenOf, hasPs, type ProcessRow, runningProcesses, untilGone } from "../support/processes.ts";
import { readerRig } from "../support/reader.ts";
import { patiently, until } from "../support/until.ts";

const ignore = !hasPs("Tests of killed processes");
const root = new URL("../../", import.meta.url);

interface Family {
  readonly keeper: ProcessRow;
  readonly children: readonly ProcessRow[];
}

/** The keeper of a process and its children, once there are as many as wanted. */
async function family(pid: number, size: number): Promise<Family> {
  let found: Family | undefined;
  await until(async () => {
    const [keeper] = await childrenOf([pid], "keeper/main.ts");
    if (keeper === undefined) return false;
    const children = await childrenOf([keeper.pid], "reader/child/main.ts");
    found = { keeper, children };
    return children.length === size;
  }, { what: "the start of the children" });
  return found ?? assert.fail();
}

Deno.test({
  name: "SIGKILL of the gateway ends the keeper and its children",
  ignore,
  fn: async () => {
    const gateway = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--allow-all",
        "--no-check",
        "--config=tests/deno.json",
        "tests/reader/endless_reading.ts",
      ],
      cwd: root,
    }).spawn();
    const { keeper, children } = await family(gateway.pid, 3);
    gateway.kill("SIGKILL");
    await untilGone([keeper, ...children]);
    await gateway.status;
  },
});

Deno.test({
  name: "SIGKILL of the keeper ends its children, and readers are told",
  ignore,
  fn: async () => {
    await using rig = readerRig();
    const reading = [rig.read(endlessPage()), rig.read(endlessPage())];
    const { keeper, children } = await family(Deno.pid, 2);
    Deno.kill(keeper.pid, "SIGKILL");
    await untilGone([keeper, ...children]);
    for (const result of [...await Promise.all(reading), await rig.read(article(3))]) {
      assert.equal(result.type === "failed" && result.reason, "unavailable");
      assert.match(result.type === "failed" ? result.message : "", /The keeper has ended/);
    }
    assert.match(rig.keeper.unavailableReason ?? "", /Restart the gateway/);
    await until(() => rig.lines.some((line) => line.startsWith("error Keeper ended")));
    const signal = new AbortController().signal;
    await assert.rejects(
      rig.keeper.run("reader", { input: new Uint8Array(0), signal }),
      KeeperUnavailable,
    );
  },
});

Deno.test({
  name: "the signals of a terminal and of a service manager do not end the keeper",
  ignore: ignore || Deno.build.os === "windows",
  fn: async () => {
    await using rig = readerRig();
    await rig.read(article(3));
    const { keeper } = await family(Deno.pid, 0);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.kill(keeper.pid, signal);
    assert.equal((await rig.read(article(3))).type, "document");
  },
});

Deno.test({
  name: "a keeper that hears nothing does not hold up the stop of its gateway",
  ignore: ignore || Deno.build.os === "windows",
  fn: async () => {
    await using rig = readerRig();
    const { keeper } = await family(Deno.pid, 0);
    Deno.kill(keeper.pid, "SIGSTOP");
    await patiently(rig.keeper.close());
    await untilGone([keeper]);
  },
});

Deno.test({
  name: "children have a lower priority, and a caller who leaves ends theirs",
  ignore,
  fn: async () => {
    await using rig = readerRig();
    const abort = new AbortController();
    const reading = rig.read(endlessPage(), { signal: abort.signal });
    const { keeper, children: [child] } = await family(Deno.pid, 1);
    await until(async () => {
      const row = (await runningProcesses()).find(({ pid }) => pid === child?.pid);
      return row !== undefined && row.nice > keeper.nice;
    });
    abort.abort(new Error("left"));
    await assert.rejects(reading, /left/);
    await untilGone(child === undefined ? [] : [child]);
    assert.equal((await rig.read(article(3))).type, "document");
  },
});

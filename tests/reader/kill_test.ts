/** Whatever is killed, no child is left behind. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
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
  name: "SIGKILL of the keeper ends its children, readers are told, and the next document is read, twice",
  ignore,
  fn: async () => {
    await using rig = readerRig();
    for (let kill = 1; kill <= 2; kill++) {
      const reading = [rig.read(endlessPage()), rig.read(endlessPage())];
      const { keeper, children } = await family(Deno.pid, 2);
      Deno.kill(keeper.pid, "SIGKILL");
      await untilGone([keeper, ...children]);
      for (const result of await Promise.all(reading)) {
        assert.equal(result.type === "failed" && result.reason, "unavailable");
        assert.match(result.type === "failed" ? result.message : "", /The keeper has ended.*Try again/);
      }
      assert.equal((await rig.read(article(3))).type, "document");
      assert.deepEqual([rig.keeper.problem, rig.keeper.unavailableReason], [undefined, undefined]);
      const count = (what: string) => rig.lines.filter((line) => line.includes(what)).length;
      assert.deepEqual([count("Keeper ended"), count("Keeper started again")], [1, 1]);
    }
  },
});

Deno.test({
  name: "a keeper that is killed as soon as it is started is started again",
  ignore,
  fn: async () => {
    await using rig = readerRig();
    const first = await family(Deno.pid, 0);
    Deno.kill(first.keeper.pid, "SIGKILL");
    await untilGone([first.keeper]);
    const reading = rig.read(article(3));
    const second = await family(Deno.pid, 0);
    Deno.kill(second.keeper.pid, "SIGKILL");
    await untilGone([second.keeper]);
    // It may have been handed to the second one already.
    const result = await reading;
    if (result.type === "failed") assert.match(result.message, /Try again/);
    assert.equal((await rig.read(article(3))).type, "document");
    assert.notEqual((await family(Deno.pid, 0)).keeper.pid, second.keeper.pid);
  },
});

Deno.test({
  name: "a stop while the keeper is started again leaves no keeper",
  ignore,
  fn: async () => {
    const rig = readerRig();
    const { keeper } = await family(Deno.pid, 0);
    Deno.kill(keeper.pid, "SIGKILL");
    await until(() => rig.keeper.problem !== undefined);
    const waiting = rig.read(article(3));
    await patiently(rig.keeper.close());
    const result = await waiting;
    assert.match(result.type === "failed" ? result.message : "", /stopping/);
    await untilGone(await childrenOf([Deno.pid], "keeper/main.ts"));
  },
});

Deno.test({
  name: "a stop right after the start leaves no keeper, however far the start has come",
  ignore,
  fn: async () => {
    for (const turns of [0, 1, 10, 100, 1_000]) {
      const rig = readerRig();
      for (let turn = 0; turn < turns; turn++) {
        await new Promise<void>((resolve) => void setImmediate(resolve));
      }
      await patiently(rig.keeper.close());
      await untilGone(await childrenOf([Deno.pid], "keeper/main.ts"));
    }
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

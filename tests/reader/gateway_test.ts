/** The keeper of a gateway that was started as an operator starts it. */

import assert from "node:assert/strict";
import { childrenOf, hasPs, type ProcessRow, untilGone } from "../support/processes.ts";
import { expandTask, root } from "../support/task.ts";
import { until } from "../support/until.ts";
import { firstKeysOf } from "../support/first_keys.ts";

const ignore = !hasPs("Tests of a gateway's keeper");

interface StartedGateway extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly pid: number;
  readonly keeper: ProcessRow;
  readonly kill: (signal: Deno.Signal) => Promise<void>;
}

async function startGateway(): Promise<StartedGateway> {
  const folder = await Deno.makeTempDir();
  const settings = { TOLLGATE_DATA: folder, PORT: "0", LOG_LEVEL: "error", NO_COLOR: "1" };
  const task = await expandTask("start", settings);
  const child = new Deno.Command(Deno.execPath(), {
    args: [...task.args],
    cwd: root,
    env: { ...task.env },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Try it")) {
    const { value, done } = await output.read();
    assert.equal(done, false, `it ended: ${text}`);
    text += value;
  }
  let keeper: ProcessRow | undefined;
  await until(async () => {
    [keeper] = await childrenOf([child.pid], "keeper/main.ts");
    return keeper !== undefined;
  });
  const kill = async (signal: Deno.Signal) => {
    child.kill(signal);
    while (!(await output.read()).done) { /* the rest of the banner */ }
    await child.status;
  };
  let running = true;
  return {
    url: /listens on (\S+)/.exec(text)?.[1] ?? "",
    apiKey: (await firstKeysOf(text)).apiKey,
    pid: child.pid,
    keeper: keeper ?? assert.fail(),
    kill: (signal) => {
      running = false;
      return kill(signal);
    },
    [Symbol.asyncDispose]: async () => {
      if (running) await kill("SIGTERM");
      await Deno.remove(folder, { recursive: true });
    },
  };
}

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  Deno.test({
    name: `the keeper ends with its gateway's ${signal}`,
    ignore,
    fn: async () => {
      await using gateway = await startGateway();
      await gateway.kill(signal);
      await untilGone([gateway.keeper]);
    },
  });
}

Deno.test({
  name:
    "a gateway whose keeper was killed goes on, starts another one though it may start no programs, and ends it",
  ignore,
  fn: async () => {
    await using gateway = await startGateway();
    const readiness = async () => (await fetch(`${gateway.url}/readyz`)).json();
    assert.deepEqual((await readiness()).details?.documents, undefined);
    Deno.kill(gateway.keeper.pid, "SIGKILL");
    await untilGone([gateway.keeper]);
    let next: ProcessRow | undefined;
    const seen = new Set<unknown>();
    await until(async () => {
      const { status, details } = await readiness();
      assert.equal(status, "ready");
      seen.add(details?.documents);
      [next] = await childrenOf([gateway.pid], "keeper/main.ts");
      return next !== undefined;
    }, { what: "the next keeper" });
    await until(async () => (await readiness()).details?.documents === undefined);
    seen.delete(undefined);
    for (const text of seen) assert.match(String(text), /^The keeper has ended and is being started again/);
    const answer = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "local/echo", input: "hello", stream: true }),
    });
    assert.match(await answer.text(), /response\.completed/);
    await gateway.kill("SIGTERM");
    await untilGone(next === undefined ? [] : [next]);
  },
});

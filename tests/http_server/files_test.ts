/** A gateway of its own process with few files, and many clients that only connect. */

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { pause } from "../support/until.ts";

const root = new URL("../../", import.meta.url);
const KEY = "k".repeat(40);
const FILES = 256;
const SILENT = 400;

interface Gateway {
  readonly port: number;
  readonly pid: number;
}

/** `deno task start`, or the program alone, which cannot find out how many files it may have open. */
type How = "task" | "alone";

/** Runs the gateway under `ulimit -n`; tells what it has logged. */
async function withFewFiles(how: How, use: (gateway: Gateway) => Promise<void>): Promise<string> {
  const folder = await Deno.makeTempDir();
  const start = 'ulimit -n "$0" && exec "$@"';
  const flags = ["--no-prompt", "--allow-net", "--allow-env", `--allow-read=${folder}`];
  const alone = ["run", ...flags, `--allow-write=${folder}`, "main.ts"];
  const command = [Deno.execPath(), ...how === "task" ? ["task", "start"] : alone];
  const env = { PORT: "0", TOLLGATE_DATA: folder, TOLLGATE_API_KEY: KEY };
  const child = new Deno.Command("sh", {
    args: ["-c", start, `${FILES}`, ...command],
    cwd: root,
    env: { ...env, LOG_FORMAT: "json" },
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const log = new Response(child.stderr).text();
  const out = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let banner = "";
  try {
    while (!/listens on \S+:\d+/.test(banner)) {
      const { value, done } = await out.read();
      assert.equal(done, false, `it ended: ${banner}`);
      banner += value;
    }
    await use({ port: Number(/listens on \S+:(\d+)/.exec(banner)?.[1]), pid: child.pid });
  } finally {
    // As at a terminal, where the whole group of processes gets the signal.
    Deno.kill(-child.pid, "SIGINT");
    while (!(await out.read()).done) { /* the rest of the banner */ }
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
  return await log;
}

async function silent({ port }: Gateway): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

async function silentClients(gateway: Gateway, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at++) sockets.push(await silent(gateway));
  return sockets;
}

/** One request on a connection of its own, which also needs a connection to the built-in model. */
async function ask({ port }: Gateway): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model: "local/echo", input: "hello" }),
  });
  await answer.body?.cancel();
  return answer.status;
}

const closed = async (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy();
  await pause(10);
};

Deno.test({
  name: "a gateway with 256 files serves others beside 400 silent clients",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const log = await withFewFiles("task", async (gateway) => {
      const sockets = await silentClients(gateway, SILENT);
      const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(gateway)));
      assert.deepEqual(new Set(statuses), new Set([200]));
      const more = await silentClients(gateway, 100);
      assert.equal(await ask(gateway), 200);
      await closed([...sockets, ...more]);
    });
    assert.match(log, /"Connection limit reached: closing idle ones","connections":96/);
    assert(!log.includes("EMFILE") && !log.includes("os error 24"), log);
    assert(log.split("\n").length < 20, "the log says it once a second at most");
  },
});

Deno.test({
  name: "a gateway that does not know how few files it has serves others beside 400 silent clients",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const log = await withFewFiles("alone", async (gateway) => {
      // The first answer loads the tokenizer, which has to open files itself.
      assert.equal(await ask(gateway), 200);
      const sockets = await silentClients(gateway, SILENT);
      for (let at = 0; at < 5; at++) {
        const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(gateway)));
        assert.deepEqual(new Set(statuses), new Set([200]));
        sockets.push(...await silentClients(gateway, 50));
      }
      await closed(sockets);
    });
    assert.match(log, /"Cannot accept connections: out of files or memory"/);
    assert(log.split("\n").length < 20, log);
  },
});

Deno.test({
  name: "a gateway accepts the next client at once after connections that were reset",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const log = await withFewFiles("alone", async (gateway) => {
      assert.equal(await ask(gateway), 200);
      Deno.kill(gateway.pid, "SIGSTOP");
      for (const socket of await silentClients(gateway, 60)) socket.resetAndDestroy();
      await pause(20);
      Deno.kill(gateway.pid, "SIGCONT");
      assert.equal(await ask(gateway), 200);
    });
    assert(!log.includes("Cannot accept"), `before each pause stands a line: ${log}`);
  },
});

/** The gateway killed in the middle of commands: no process stays, and the files of every ended command are there. */

import assert from "node:assert/strict";
import { encodeFileId } from "../../server/sandbox/containers/container_ids.ts";
import { startGateway } from "../bench/process.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { containerRig } from "../support/containers.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { childrenOf, descendantsOf, hasPs, type ProcessRow, untilGone } from "../support/processes.ts";
import { until } from "../support/until.ts";

const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";
/** Number for each engine. */
const KILLS = Number(Deno.env.get("TOLLGATE_TEST_KILLS") ?? (all ? 20 : 2));
const COMMANDS = 20;
const API_KEY = "kill-api-key-of-at-least-32-characters";
const MANAGEMENT_KEY = "kill-management-key-of-at-least-32-chars";
/** Bytes of a file: more than one write. */
const SIZE = 300_000;

/** Whether the client has heard that the command ended, and where. */
async function runCommand(url: string, name: string): Promise<string | undefined> {
  const args = {
    command: `echo ${name} > ${name}; seq 1 50000 | head -c ${SIZE} >> ${name}; wc -c < ${name}`,
  };
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: `Use the bash tool with: ${JSON.stringify(args)}`,
      tools: [{ type: "service:bash", engine: "container" }],
      session_id: `session ${name.slice(-1)}`,
    }),
  });
  const body = asObject(await response.json());
  const item = asList(body.output).map(asObject).find(({ type }) => type === "service:bash");
  return item?.status === "completed" ? String(item.container_id) : undefined;
}

async function content(
  url: string,
  { container, name }: { readonly container: string; readonly name: string },
) {
  const path = `containers/${container}/files/${encodeFileId(name)}/content`;
  const response = await fetch(`${url}/v1/${path}`, {
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
  });
  return { status: response.status, text: await response.text() };
}

/** Kills a gateway again and again among commands, and checks what it leaves behind. */
async function killAmongCommands(engine: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  const env = {
    TOLLGATE_DATA: folder,
    TOLLGATE_API_KEY: API_KEY,
    TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
    TOLLGATE_SANDBOX: engine,
    LOG_LEVEL: "error",
    LOG_FORMAT: "json",
  };
  const start = () => startGateway(env, { keeper: true });
  const ended = new Map<string, string>();
  let gateway = await start();
  let broken = 0;
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const url = `http://127.0.0.1:${gateway.port}`;
      const before = ended.size;
      const running = Array.from({ length: COMMANDS }, async (_, at) => {
        const name = `f${kill}_${at}_${at % 4}`;
        try {
          const container = await runCommand(url, name);
          if (container !== undefined) ended.set(name, container);
        } catch {
          // The kill has met it.
          broken++;
        }
      });
      await until(() => ended.size >= before + 1 + kill % 5, { what: "that a command has ended" });
      const below = await descendantsOf(gateway.pid, "");
      assert(below.length > 1, "a keeper and processes of its own run");
      await gateway.stop();
      await Promise.all(running);
      await untilGone(below);
      gateway = await start();
      const at = `http://127.0.0.1:${gateway.port}`;
      for (const [name, container] of ended) {
        const { status, text } = await content(at, { container, name });
        assert.deepEqual([status, text.startsWith(`${name}\n`)], [200, true], name);
        assert(text.length > SIZE / 2, `${name} has ${text.length} bytes`);
      }
    }
    console.log(
      `${engine}: ${KILLS} kills: ${ended.size} commands ended and kept their files, ${broken} broke off`,
    );
    assert(broken > 0, "the kills met commands");
  } finally {
    await gateway.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

for (const engine of ["virtual", ...(hasBubblewrap() ? ["bubblewrap"] : [])]) {
  Deno.test({
    name:
      `kill -9 in the middle of ${COMMANDS} commands leaves no process, and no file by half, with ${engine}`,
    ignore: !hasPs("Tests of kills in the middle of commands"),
    fn: () => killAmongCommands(engine),
  });
}

/** Ends the keeper of this process, and returns it with its children once all of them are gone. */
async function killKeeper(): Promise<readonly ProcessRow[]> {
  const [keeper] = await childrenOf([Deno.pid], "keeper/main.ts");
  if (keeper === undefined) assert.fail("a keeper runs");
  const children = await childrenOf([keeper.pid], "sandbox/child/main.ts");
  Deno.kill(keeper.pid, "SIGKILL");
  await untilGone([keeper, ...children]);
  return [keeper, ...children];
}

Deno.test({
  name: "a used container goes on with its files when the keeper is killed, between commands and under one",
  ignore: !hasPs("Tests of a killed keeper"),
  fn: async () => {
    await using rig = await containerRig();
    const first = await rig.bash({ command: "echo 1 > one; mkdir d; cd d" }, { session: "s" });
    for (let kill = 0; kill < 2; kill++) {
      const ended = await killKeeper();
      assert(ended.length > 1, "a process was warm");
      await until(() => rig.keeper.problem !== undefined);
      const next = await rig.bash({ command: "cat ../one; echo x >> ../more; wc -l < ../more" }, {
        session: "s",
      });
      assert.deepEqual([next.stdout, next.containerId], [`1\n${kill + 1}\n`, first.containerId]);
    }
    const running = rig.bash({ command: "echo lost > lost; echo begun; sleep 60" }, { session: "s" });
    await until(async () => {
      const [keeper] = await childrenOf([Deno.pid], "keeper/main.ts");
      return keeper !== undefined && (await childrenOf([keeper.pid], "sandbox/child/main.ts")).length > 0;
    });
    await killKeeper();
    const broken = await running;
    assert.notEqual(broken.status, "completed");
    const after = await rig.bash({ command: "ls .." }, { session: "s" });
    assert.deepEqual([after.stdout, after.containerId], ["d\nmore\none\n", first.containerId]);
  },
});

/** The unit of systemd in deploy/: systemd itself reads it, and its values are those of the product. */

import assert from "node:assert/strict";
import { EXIT_STORE, EXIT_USAGE } from "../../server/app/exit_with_error.ts";
import { stopMs } from "../../server/app/start.ts";
import { need } from "../support/need.ts";
import { root } from "../support/task.ts";
import { defaultConfig } from "./default_config.ts";
import { findOnPath } from "./programs.ts";

const FILE = "deploy/tollgate.service";
const ANALYZE = "systemd-analyze";
const text = await Deno.readTextFile(new URL(FILE, root));

const hasSystemd = need(findOnPath(ANALYZE) !== undefined, {
  what: "systemd-analyze (apt-get install systemd)",
  for: "Tests of the unit",
});

/** The lines that systemd has to say of a unit. */
async function faultsOf(unit: string): Promise<readonly string[]> {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/tollgate.service`;
    await Deno.writeTextFile(path, unit);
    const args = ["verify", "--man=no", path];
    const { code, stderr } = await new Deno.Command(ANALYZE, { args, stdout: "null" }).output();
    const lines = new TextDecoder().decode(stderr).split("\n").filter((line) => line.includes("tollgate"));
    return code === 0 ? lines : [...lines, `status ${code}`];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Settings of a section by their names. */
function settingsOf(section: string): ReadonlyMap<string, string> {
  const [, after = ""] = text.split(`[${section}]\n`);
  const lines = (after.split(/^\[/m)[0] ?? "").split("\n").filter((line) => /^\w+=/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

const service = settingsOf("Service");

Deno.test({
  name: "systemd takes the unit without a word, and tells of one that is wrong",
  ignore: !hasSystemd,
  fn: async () => {
    assert.deepEqual(await faultsOf(text), []);
    for (
      const [right, wrong] of [
        ["LimitNOFILE=", "LimitNFILE="],
        ["KillMode=mixed", "KillMode=some"],
        ["/bin/sh ", "/bin/no-shell "],
      ] as const
    ) {
      assert(text.includes(right), right);
      assert.notDeepEqual(await faultsOf(text.replace(right, wrong)), [], wrong);
    }
  },
});

Deno.test("the unit has a user of its own, a private folder, and no way to write elsewhere", () => {
  const wanted = {
    Type: "exec",
    DynamicUser: "yes",
    StateDirectory: "tollgate",
    StateDirectoryMode: "0700",
    ProtectSystem: "strict",
    NoNewPrivileges: "yes",
    MemoryDenyWriteExecute: "no",
    KillSignal: "SIGTERM",
    KillMode: "mixed",
    LimitNOFILE: "65536",
  };
  for (const [name, value] of Object.entries(wanted)) assert.equal(service.get(name), value, name);
  assert.match(service.get("Environment") ?? "", /\bTOLLGATE_DATA=\/var\/lib\/tollgate\/data\b/);
});

Deno.test("the unit waits for running requests, and does not repeat a start that cannot succeed", () => {
  assert(Number(service.get("TimeoutStopSec")) * 1_000 > stopMs(defaultConfig));
  assert.equal(service.get("RestartPreventExitStatus"), `${EXIT_USAGE} ${EXIT_STORE}`);
});

Deno.test("the unit starts the gateway by the script of the image, and reloads its settings", async () => {
  const [shell, script = ""] = (service.get("ExecStart") ?? "").split(" ");
  assert.equal(shell, "/bin/sh");
  const folder = `${service.get("WorkingDirectory")}/`;
  assert(script.startsWith(folder));
  assert((await Deno.stat(new URL(script.slice(folder.length), root))).isFile);
  assert.equal(service.get("ExecReload"), "/bin/kill -HUP $MAINPID");
});

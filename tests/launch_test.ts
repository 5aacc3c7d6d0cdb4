/** `server/app/launch.ts` between a task and its program: what it prints, and that it hands everything through. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Env, root, wordsOf } from "./support/task.ts";

const launcher = fileURLToPath(new URL("server/app/launch.ts", root));
const windows = Deno.build.os === "windows";

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-launch-" });
  await run(folder).finally(() => Deno.remove(folder, { recursive: true }));
}

const command = (args: readonly string[], env: Env = {}) =>
  new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: root,
    env: { NO_COLOR: "1", ...env },
    stderr: "inherit",
  });

async function printed(task: string, env: Env): Promise<string> {
  const { stdout } = await command(["run", "--no-prompt", "--allow-env", "--allow-read", launcher, task], env)
    .output();
  return new TextDecoder().decode(stdout).trimEnd();
}

Deno.test("launch.ts gives the task's shell an argument with each other character in one piece", async () => {
  const characters = Array.from({ length: 95 }, (_, at) => String.fromCharCode(at + 32)).join("");
  const data = `/srv/é☃𝒳${characters.replaceAll(/[\s,*?[\]]/g, "")}`;
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/print.js`, "console.log(JSON.stringify(Deno.args));");
    const words = `deno run --frozen --no-prompt --allow-env --allow-read ${launcher} start`;
    const args = ["task", "--quiet", "--eval", `deno run --no-config ${folder}/print.js $(${words}) 'a  b'`];
    const { stdout } = await command(args, { TOLLGATE_DATA: data }).output();
    const found: readonly string[] = JSON.parse(new TextDecoder().decode(stdout));
    assert.ok(found.includes(`--allow-write=${data}`), found.join("\n"));
    assert.deepEqual(found.slice(-2), ["main.ts", "a  b"]);
  });
});

Deno.test("launch.ts stays where an argument would be taken apart, and may do no more than start Deno", async () => {
  for (const character of [" ", "\u00a0", "*", "?", "[", "]"]) {
    const words = wordsOf(await printed("start", { TOLLGATE_DATA: `/srv/a${character}b` }));
    assert.deepEqual(words, [
      "--frozen",
      "--no-prompt",
      "--allow-env",
      "--allow-read",
      `--allow-run=${Deno.execPath()}`,
      "server/app/launch.ts",
      "stay",
      "start",
    ]);
  }
});

Deno.test("launch.ts prints a program without permissions that ends with status 2 where there is none", async () => {
  const refusal = "--no-config --no-prompt data:text/javascript,Deno.exit(2)";
  assert.equal(await printed("start", { TOLLGATE_DATA: "/a,b" }), refusal);
  assert.equal(await printed("constructor", {}), refusal);
});

/** Takes the gateway's place: says what it got, gives its input back, and ends by a signal or with its input. */
const program = `
const granted = (name, path) => Deno.permissions.querySync({ name, path }).state === "granted";
const folder = Deno.env.get("TOLLGATE_DATA");
for (const signal of ["SIGINT", "SIGTERM"]) Deno.addSignalListener(signal, () => console.error("got " + signal));
console.error(JSON.stringify({
  args: Deno.args,
  write: [folder, folder + "/x", ".", folder + "/.."].map((path) => granted("write", path)),
  read: [folder, ".", "/"].map((path) => granted("read", path)),
  run: granted("run"),
}));
await Deno.stdin.readable.pipeTo(Deno.stdout.writable);
Deno.exit(7);
`;

/** Starts the program that a task runs for a folder with a blank, with the program of this test as main.ts. */
async function staying(folder: string, args: readonly string[], more: Env = {}) {
  await Deno.writeTextFile(`${folder}/main.ts`, program);
  const env = { NO_COLOR: "1", TOLLGATE_DATA: `${folder}/a b`, ...more };
  const words = wordsOf(await printed("start", env));
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...words.map((word) => word === "server/app/launch.ts" ? launcher : word), ...args],
    cwd: folder,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Deno hands variables of the system's loader on only under a wider permission. */
const environments: readonly Env[] = [{}, { LD_LIBRARY_PATH: "/nowhere" }];

for (const more of environments) {
  const how = Object.keys(more).join() || "the usual environment";
  Deno.test(`launch.ts hands arguments, streams and the status through, and widens nothing, with ${how}`, () =>
    withFolder(async (folder) => {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 31 + (at >> 8)) % 256);
      const args = ["two words", "*", "", "--flag=ü", "--", "-n"];
      const child = await staying(folder, args, more);
      const [out, err] = [child.stdout.bytes(), child.stderr.text()];
      const writer = child.stdin.getWriter();
      await writer.write(bytes);
      await writer.close();
      assert.deepEqual(await out, bytes);
      assert.equal((await child.status).code, 7);
      assert.deepEqual(JSON.parse(await err), {
        args,
        write: [true, true, false, false],
        read: [true, false, false],
        run: false,
      });
    }));
}

Deno.test({
  name: "launch.ts passes signals on, and ends after its program with its status",
  ignore: windows,
  fn: () =>
    withFolder(async (folder) => {
      const child = await staying(folder, []);
      const out = child.stdout.bytes();
      const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
      let said = "";
      const hears = async (text: string) => {
        while (!said.includes(text)) {
          const { value, done } = await lines.read();
          assert.equal(done, false, said);
          said += value;
        }
      };
      await hears("}\n");
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        child.kill(signal);
        await hears(`got ${signal}\n`);
      }
      // It goes on as long as its program does.
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode("drained"));
      await writer.close();
      assert.equal(new TextDecoder().decode(await out), "drained");
      assert.equal((await child.status).code, 7);
      assert.equal((await lines.read()).done, true);
    }),
});

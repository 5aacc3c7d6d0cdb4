/** Tests the tasks of deno.json: permissions by the settings, and that they start wherever they stand. */

import assert from "node:assert/strict";
import { copySync } from "./support/copy.ts";
import { type Env, expandTask, root } from "./support/task.ts";
import { noVoices } from "./support/embedded.ts";
import { firstKeysOf } from "./support/first_keys.ts";

const probe = `
const paths = JSON.parse(Deno.args[0]);
const of = (name) => paths.map((path) => Deno.permissions.querySync({ name, path }).state === "granted");
const all = ["run", "sys", "ffi", "import"].map((name) => Deno.permissions.querySync({ name }).state === "granted");
console.log(JSON.stringify({ read: of("read"), write: of("write"), all }));
`;

interface Granted {
  readonly read: readonly boolean[];
  readonly write: readonly boolean[];
  readonly all: readonly boolean[];
}

/** Lists which of `paths` a task may read and write. */
async function granted(
  task: string,
  { env, paths }: { readonly env: Env; readonly paths: readonly string[] },
) {
  const { args } = await expandTask(task, env);
  const file = await Deno.makeTempFile({ suffix: ".js" });
  await Deno.writeTextFile(file, probe);
  const flags = args.filter((arg) => arg.startsWith("--allow-") || arg === "--no-prompt");
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", ...flags, file, JSON.stringify(paths)],
    cwd: root,
    stderr: "inherit",
  }).output();
  await Deno.remove(file);
  const result: Granted = JSON.parse(new TextDecoder().decode(stdout));
  return result;
}

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-tasks-" });
  await run(folder).finally(() => Deno.remove(folder, { recursive: true }));
}

for (const task of ["start", "dev", "admin", "doctor", "compact", "migrate"]) {
  Deno.test(`task ${task} writes below TOLLGATE_DATA only, and reads what the settings name`, () =>
    withFolder(async (folder) => {
      const config = `${folder}/gateway.jsonc`;
      await Deno.writeTextFile(config, '{ /* comment */ "catalog": { "file": "prices.json" }, }');
      const env = {
        TOLLGATE_DATA: `${folder}/data`,
        TOLLGATE_CONFIG: ` ${config} `,
        VERTEX_SERVICE_ACCOUNT: `${folder}/account.json`,
        OPENAI_API_KEY_FILE: `${folder}/openai`,
        DENO_CERT: `${folder}/ca.pem`,
        SOMETHING_ELSE_FILE: `${folder}/else`,
      };
      const data = [`${folder}/data`, `${folder}/data/kv.sqlite3`];
      const named = ["gateway.jsonc", "prices.json", "account.json", "openai", "ca.pem"];
      const others = [`${folder}/else`, folder, "main.ts", "deno.json", ".", "/etc/passwd", "/"];
      const paths = [...data, ...named.map((name) => `${folder}/${name}`), ...others];
      const { read, write, all } = await granted(task, { env, paths });
      assert.deepEqual(read, paths.map((_, at) => at < data.length + named.length));
      assert.deepEqual(write, paths.map((_, at) => at < data.length));
      assert.deepEqual(all, [false, false, false, false]);
    }));
}

Deno.test("task start writes below ./data only where TOLLGATE_DATA is not set", async () => {
  const unset: readonly Env[] = [{}, { TOLLGATE_DATA: "" }];
  for (const env of unset) {
    const { read, write } = await granted("start", { env, paths: ["data/x", "./data", "server", "."] });
    assert.deepEqual(read, [true, true, false, false]);
    assert.deepEqual(write, [true, true, false, false]);
  }
});

Deno.test("task start says how many files the process may have open", async () => {
  const { env } = await expandTask("start");
  assert.match(env.TOLLGATE_FILE_LIMIT ?? "", /^(?:\d+|unlimited)$/);
});

Deno.test("task start takes a document that is given as it is for no path", async () => {
  const env = { VERTEX_SERVICE_ACCOUNT: '{"a":1,"b":2}' };
  const { read } = await granted("start", { env, paths: ["data", "."] });
  assert.deepEqual(read, [true, false]);
});

Deno.test("task start ends with a sentence where a path cannot be given to Deno", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "start"],
    cwd: root,
    env: { TOLLGATE_DATA: "/nowhere/a,b", NO_COLOR: "1" },
  }).output();
  assert.equal(code, 2);
  const [first, last, ...more] = new TextDecoder().decode(stderr).trim().split("\n").slice(-2);
  assert.match(first ?? "", /^Task start /);
  assert.match(last ?? "", /^Tollgate cannot start\. The path "\/nowhere\/a,b" cannot be/);
  assert.deepEqual(more, []);
});

const builtHere: ReadonlySet<string> = new Set(["dist", "node_modules"]);

/** Only what is in the repository, as a fresh clone has it. */
function clone(to: string): void {
  for (const name of ["deno.json", "deno.lock", "main.ts", "server", "shared", "console"]) {
    copySync(new URL(name, root).pathname, `${to}/${name}`, builtHere);
  }
}

interface Start {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Env;
}

/** Starts it, asks it, stops it; tells its banner. */
async function served({ command: [program, ...args], cwd, env }: Start): Promise<string> {
  const child = new Deno.Command(program, {
    args,
    cwd,
    env: { PORT: "0", LOG_LEVEL: "error", NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "inherit",
    detached: true,
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Try it")) {
    const { value, done } = await output.read();
    assert.equal(done, false, `it ended: ${text}`);
    text += value;
  }
  const [, url] = /listens on (\S+)/.exec(text) ?? [];
  const { apiKey: key } = await firstKeysOf(text, cwd);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const ask = async (path: string, request: object) => {
    const body = JSON.stringify({ input: "hello", ...request });
    const answer = await fetch(`${url}/v1/${path}`, { method: "POST", headers, body });
    assert.equal(answer.status, 200, await answer.text());
  };
  try {
    const { details = {} } = await (await fetch(`${url}/readyz`)).json();
    assert.equal(details.documents, undefined, "the keeper runs");
    await ask("responses", { model: "local/echo" });
    await ask("responses", { model: "local/image", modalities: ["image"] });
    if (!noVoices) await ask("audio/speech", { model: "local/voice" });
  } finally {
    // As at a terminal, where the whole group of processes gets the signal.
    Deno.kill(-child.pid, "SIGINT");
    while (!(await output.read()).done) { /* the rest of the banner */ }
    await child.status;
  }
  return text;
}

Deno.test("deno task start serves from a fresh clone whose path holds a blank, with and without TOLLGATE_DATA and console", () =>
  withFolder(async (folder) => {
    const cwd = `${folder}/a clone`;
    Deno.mkdirSync(cwd);
    clone(cwd);
    const command = [Deno.execPath(), "task", "start"] as const;
    await served({ command, cwd, env: {} });
    assert(Deno.statSync(`${cwd}/data/kv.sqlite3`).isFile);
    assert(Deno.statSync(`${cwd}/console/dist/manifest.json`).isFile);
    Deno.removeSync(`${cwd}/console`, { recursive: true });
    await served({ command, cwd, env: { TOLLGATE_DATA: `${folder}/other data` } });
    assert(Deno.statSync(`${folder}/other data/kv.sqlite3`).isFile);
  }));

Deno.test({
  name: "npx --yes deno task start serves the same",
  ignore: Deno.env.get("TOLLGATE_TEST_ALL") !== "1",
  fn: () =>
    withFolder(async (folder) => {
      clone(folder);
      await served({ command: ["npx", "--yes", "deno", "task", "start"], cwd: folder, env: {} });
    }),
});

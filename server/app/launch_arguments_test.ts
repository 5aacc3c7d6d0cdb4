import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { launchArguments } from "./launch_arguments.ts";

const regexps =
  "--v8-flags=--enable-experimental-regexp-engine,--enable-experimental-regexp-engine-on-excessive-backtracks";
const serving =
  `${regexps},--invocation-count-for-turbofan=1000,--no-memory-reducer,--no-allocation-site-pretenuring`;
const run = `--allow-run=${Deno.execPath()}`;
const statfs = "--allow-sys=statfs";
const common = ["--frozen", "--no-prompt", "--allow-net", "--allow-env"];

const sourceOf = (env: Readonly<Record<string, string>>, file = "") => ({
  env: (name: string) => new Map(Object.entries(env)).get(name),
  readFile: () => file,
});

/** The code that threads import stands behind the paths of the settings. */
const code = [
  "../local_provider",
  "../speech",
  "../sandbox/keeper",
  "../storage/stores/copy_thread",
  "../../shared",
  "../../console/dist",
]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)));
const packages =
  /,[^,]+\/@echogarden\/espeak-ng-emscripten,[^,]+\/@fontsource\/pt-sans,[^,]+\/@takumi-rs\/wasm$/;

interface Case {
  readonly env: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly read: readonly string[];
  readonly write: string;
}

const cases: Readonly<Record<string, Case>> = {
  "nothing": { env: {}, read: ["./data"], write: "./data" },
  "empty settings": {
    env: { TOLLGATE_DATA: "", OPENAI_API_KEY_FILE: "" },
    read: ["./data"],
    write: "./data",
  },
  "a folder with a blank": { env: { TOLLGATE_DATA: "/srv/a b" }, read: ["/srv/a b"], write: "/srv/a b" },
  "files": {
    env: {
      TOLLGATE_DATA: "/srv/data",
      TOLLGATE_CONFIG: "/etc/tg/gateway.jsonc",
      VERTEX_SERVICE_ACCOUNT: "/etc/tg/account.json",
      OPENAI_API_KEY_FILE: "/run/openai",
      BRAVE_API_KEY_FILE: "/run/brave",
      MINE_FILE: "/run/mine",
      OTHER_FILE: "/run/other",
      DENO_CERT: "/etc/ca.pem",
    },
    file: '{ "catalog": { "file": "prices.json" }, "providers": [{ "api_key_env": "MINE" }] }',
    read: [
      "/srv/data",
      "/etc/tg/gateway.jsonc",
      "prices.json",
      "/etc/tg/prices.json",
      "/etc/tg/account.json",
      "/run/openai",
      "/run/brave",
      "/run/mine",
      "/etc/ca.pem",
    ],
    write: "/srv/data",
  },
  "a document as it is": {
    env: { VERTEX_SERVICE_ACCOUNT: '{"a":1,"b":2}' },
    read: ["./data"],
    write: "./data",
  },
};

/** Arguments before the paths, between them and main.ts, and behind it. */
const narrowed: ReadonlyMap<string, readonly [readonly string[], readonly string[], readonly string[]]> =
  new Map([
    ["start", [[], [run, statfs, serving], []]],
    ["dev", [["--watch"], [run, statfs, serving], []]],
    ["admin", [[], [regexps], ["admin"]]],
    ["doctor", [[], ["--allow-sys=uid", regexps], ["doctor"]]],
    ["compact", [[], [], ["compact"]]],
    ["migrate", [[], [], ["migrate"]]],
  ]);

for (const [task, [options, flags, words]] of narrowed) {
  for (const [name, { env, file, read, write }] of Object.entries(cases)) {
    Deno.test(`launchArguments gives ${task} these permissions and no more with ${name}`, async () => {
      const args = await launchArguments(task, sourceOf(env, file)) ?? [];
      const at = options.length + common.length;
      assert.deepEqual(args.slice(0, at), [...options, ...common]);
      const [paths = "", ...rest] = args.slice(at);
      assert.match(paths, packages);
      const found = paths.replace(packages, "").replace("--allow-read=", "").split(",");
      assert.deepEqual(found.toSorted(), [...read, ...code].toSorted());
      assert.deepEqual(rest, [`--allow-write=${write}`, ...flags, "main.ts", ...words]);
    });
  }
}

Deno.test("launchArguments lets backup, restore and scores use every file, reads no settings for them", async () => {
  const source = {
    env: () => assert.fail("the environment"),
    readFile: () => assert.fail("a file"),
  };
  for (const task of ["backup", "restore", "scores"]) {
    const expected = [...common, "--allow-read", "--allow-write", "main.ts", task];
    assert.deepEqual(await launchArguments(task, source), expected);
  }
});

Deno.test("launchArguments knows no other words, and refuses a path with a comma", async () => {
  for (const word of ["", "stop", "constructor", "__proto__"]) {
    assert.equal(await launchArguments(word, sourceOf({})), undefined);
  }
  await assert.rejects(launchArguments("start", sourceOf({ TOLLGATE_DATA: "/a,b" })), {
    name: "ConfigError",
  });
});

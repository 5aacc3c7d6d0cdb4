/** Folders, files and settings that cannot be used end a command with a sentence, without words of the run-time. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface BadCommand {
  readonly args: readonly string[];
  /** Below the test's folder, which has a file `file` and a folder `folder`. */
  readonly data: string;
  readonly says: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

const none = /there is no such file/;
const isFile = /something else of this name is there|a part of the path is a file/;

const commands: readonly BadCommand[] = [
  { args: [], data: "file", says: isFile },
  { args: [], data: "file/below", says: isFile },
  { args: [], data: "spooled", says: /spool cannot be used: something else of this name is there/ },
  {
    args: [],
    data: "new",
    env: { TOLLGATE_API_KEY: "short" },
    says: /TOLLGATE_API_KEY .*allowed is 32 to 512/,
  },
  { args: ["admin", "recover"], data: "file", says: isFile },
  { args: ["doctor"], data: "file", says: isFile },
  { args: ["backup", "gone/b.sqlite3"], data: "new", says: /there is no store/ },
  { args: ["backup", "file/b.sqlite3"], data: "new", says: isFile },
  { args: ["compact"], data: "new", says: /Cannot compact: there is no store/ },
  { args: ["migrate"], data: "new", says: /Cannot migrate: there is no store/ },
  { args: ["restore", "gone"], data: "new", says: none },
  { args: ["restore", "folder"], data: "new", says: /it is a folder/ },
  { args: ["restore", "file"], data: "new", says: /it is no SQLite file, which a backup/ },
  { args: ["backup"], data: "new", says: /Cannot back up: there is no store/ },
  { args: ["backup", "--jsn"], data: "new", says: /backup has no --jsn\. Did you mean --json\?/ },
  {
    args: ["doctor", "--requets", "500"],
    data: "new",
    says: /doctor has no --requets\. Did you mean --requests/,
  },
  ...(Deno.build.os === "linux"
    ? [[], ["doctor"], ["admin", "recover"]].map((args) => ({
      args,
      data: "../../proc/nope",
      says: /Cannot make the data folder .*: no folder can be made in that place/,
    }))
    : []),
  { args: ["restore", "file"], data: "file", says: isFile },
];

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate paths " });
  await Deno.mkdir(`${folder}/folder`);
  await Deno.mkdir(`${folder}/spooled`);
  await Deno.writeTextFile(`${folder}/spooled/spool`, "");
  await Deno.writeTextFile(`${folder}/file`, "no store");
  await run(folder).finally(() => Deno.remove(folder, { recursive: true }));
}

async function runMain({ args, data, env = {} }: Omit<BadCommand, "says">, folder: string) {
  const [name = "", ...words] = args;
  const paths = ["backup", "restore"].includes(name)
    ? words.map((word) => word.startsWith("--") ? word : `${folder}/${word}`)
    : words;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--frozen",
      "--no-prompt",
      "--allow-all",
      "main.ts",
      ...(name === "" ? [] : [name]),
      ...paths,
    ],
    cwd: root,
    env: { NO_COLOR: "1", HOST: "127.0.0.1", PORT: "1", ...env, TOLLGATE_DATA: `${folder}/${data}` },
  });
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), error: decoder.decode(stderr) };
}

for (const command of commands) {
  const name = `${command.args.join(" ") || "start"}, TOLLGATE_DATA=${command.data}`;
  Deno.test(`a sentence ends: ${name}`, () =>
    withFolder(async (folder) => {
      const { code, error } = await runMain(command, folder);
      assert.notEqual(code, 0);
      assert.match(error, command.says);
      if (command.args.length > 0) assert.doesNotMatch(error, /cannot start/, "it starts nothing");
      assert.doesNotMatch(error, /run again|--allow|os error|[Bb]acktrace|^ +at |Uncaught/m);
      const lines = error.trim().split("\n").filter((line) => !/^\d\d:\d\d:\d\d/.test(line));
      assert.equal(lines.length, 1, error);
    }));
}

import assert from "node:assert/strict";
import { readVariable } from "../variables.ts";
import { readSettledText } from "./read_settled.ts";

const windows = Deno.build.os === "windows";

/** Files that a secret cannot be read from, with the end of the sentence. */
const unreadable: readonly (readonly [string, (path: string) => void, string])[] = [
  ["nothing", () => {}, "which cannot be read: there is no such file or folder"],
  ["a folder", (path) => Deno.mkdirSync(path), "which cannot be read: it is a folder"],
  [
    "a pipe",
    (path) => void new Deno.Command("mkfifo", { args: [path] }).outputSync(),
    "it is no regular file",
  ],
  ["a device", (path) => Deno.symlinkSync("/dev/zero", path), "which cannot be read: "],
  [
    "a link to nowhere",
    (path) => Deno.symlinkSync(`${path}-gone`, path),
    "which cannot be read: there is no such file or folder",
  ],
  ["a large file", (path) => Deno.writeTextFileSync(path, "k".repeat(65_537)), "it is larger than 64 KiB"],
  [
    "what is no text",
    (path) => Deno.writeFileSync(path, new Uint8Array([0xff, 0xfe])),
    "it is no text in UTF-8",
  ],
  [
    "an empty file",
    (path) => Deno.writeTextFileSync(path, " \n"),
    "which is empty: allowed is a file with KEY",
  ],
];

Deno.test(
  "readVariable says why a file has no secret, and never what it has",
  { ignore: windows },
  async (t) => {
    const folder = Deno.makeTempDirSync();
    for (const [name, make, end] of unreadable) {
      await t.step(name, () => {
        const path = `${folder}/${name.replaceAll(" ", "-")}`;
        make(path);
        const source = {
          env: (variable: string) => variable === "KEY_FILE" ? path : undefined,
          readFile: readSettledText,
        };
        assert.throws(() => readVariable(source, "KEY"), ({ message }: Error) => {
          assert.ok(message.startsWith(`KEY_FILE is ${JSON.stringify(path)}, which `), message);
          return message.includes(end);
        });
      });
    }
    Deno.removeSync(folder, { recursive: true });
  },
);

Deno.test(
  "readSettledText reads through links as secrets of a cluster have them, whichever file they lead to",
  {
    ignore: windows,
  },
  () => {
    const folder = Deno.makeTempDirSync();
    const turn = (version: string, text: string) => {
      Deno.mkdirSync(`${folder}/${version}`);
      Deno.writeTextFileSync(`${folder}/${version}/key`, text);
      Deno.symlinkSync(version, `${folder}/next`);
      Deno.renameSync(`${folder}/next`, `${folder}/data`);
    };
    turn("one", "first\n");
    Deno.symlinkSync("data/key", `${folder}/key`);
    const source = {
      env: (name: string) => name === "KEY_FILE" ? `${folder}/key` : undefined,
      readFile: readSettledText,
    };
    assert.equal(readVariable(source, "KEY"), "first");
    turn("two", "\ufeffsecond\r\n");
    assert.equal(readVariable(source, "KEY"), "second");
    Deno.removeSync(folder, { recursive: true });
  },
);

Deno.test("readVariable refuses a variable and its file at once", () => {
  const source = { env: () => "x", readFile: () => "y" };
  assert.throws(
    () => readVariable(source, "KEY"),
    /^ConfigError: KEY and KEY_FILE are both set: allowed is one of them$/,
  );
});

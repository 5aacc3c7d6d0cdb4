/** CHANGELOG.md and the files of changes/, which are folded into it at a release. */

import assert from "node:assert/strict";

const root = new URL("../../", import.meta.url);
const read = (file: string) => Deno.readTextFile(new URL(file, root));

const MOST_LINES = 60;

Deno.test("the newest entry of CHANGELOG is short enough to be read", async () => {
  const [, newest = ""] = (await read("CHANGELOG.md")).split(/^## .*$/m);
  const lines = newest.trim().split("\n").filter((line) => line !== "");
  assert.ok(lines.length > 0 && lines.length <= MOST_LINES, `${lines.length} lines`);
});

Deno.test("a file of changes/ is Markdown of one to three lines", async () => {
  for await (const { name } of Deno.readDir(new URL("changes/", root))) {
    if (name === "README.md") continue;
    assert.match(name, /^[a-z0-9-]+\.md$/);
    const lines = (await read(`changes/${name}`)).trim().split("\n");
    assert.ok(lines.length <= 3 && lines.every((line) => line.length > 20), `changes/${name}`);
  }
});

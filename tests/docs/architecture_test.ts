/** ARCHITECTURE.md against the tree: its map names the folders that there are, and its paths lead somewhere. */

import assert from "node:assert/strict";
import { sourceFiles } from "../support/source_files.ts";
import { filesBelow, foldersOfMap, pathsIn } from "./architecture.ts";

const root = new URL("../../", import.meta.url);
const page = await Deno.readTextFile(new URL("ARCHITECTURE.md", root));

/** The folders of a folder, to two levels. */
async function foldersOf(folder: string, levels = 2): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (!isDirectory || name === "node_modules") continue;
    found.push(`${folder}${name}/`);
    if (levels > 1) found.push(...await foldersOf(`${folder}${name}/`, levels - 1));
  }
  return found;
}

Deno.test("foldersOfMap reads folders by their indent, several on a line too", () => {
  const map =
    "x\n```\nmain.ts     start\nserver/\n  api/      the API\n    body/ inference/   bodies\nconsole/\n  text/\n```\n";
  assert.deepEqual(foldersOfMap(map, "server/"), [
    "server/api/",
    "server/api/body/",
    "server/api/inference/",
  ]);
});

Deno.test("the map of ARCHITECTURE names every folder of server/ to two levels, and no other", async () => {
  assert.deepEqual(foldersOfMap(page, "server/").sort(), (await foldersOf("server/")).sort());
});

Deno.test("a folder of the product has at most 20 source files", () => {
  const ofProduct = sourceFiles(root).filter((file) => !/^tests\/|_test\.tsx?$/.test(file));
  const counts = new Map<string, number>();
  for (const file of ofProduct) {
    const folder = file.slice(0, file.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  assert.ok(counts.size > 100);
  assert.deepEqual([...counts].filter(([, count]) => count > 20), []);
});

Deno.test("pathsIn takes files and folders in code marks, and no placeholders", () => {
  const text = "`a/b.ts`, `c/<name>.ts`, `deno task x`, `d/`, `/v1/e`, `f.ts` and `g/*`";
  assert.deepEqual(pathsIn(text), ["a/b.ts", "d/", "f.ts"]);
});

/** Files that exist on a user's machine only, and patterns of names. */
const notOfTheTree =
  /^(first-keys\.txt|notes\.txt|(.*\/)?(name)?(_slow)?_test\.ts|\.\w+|spool\/|blobs\/|voices\/|python\/)$/;

Deno.test("every path of the pages for contributors ends a path of the tree", async () => {
  const files = await filesBelow(root);
  const folders = new Set(
    files.flatMap((file) => file.split("/").map((_, at, all) => `${all.slice(0, at).join("/")}/`)),
  );
  const known = [...files, ...folders].map((path) => `/${path}`);
  const pages = files.filter((file) =>
    /^(server|tests|docs\/(internals|decisions))\/.*\.md$|^(ARCHITECTURE|CONTRIBUTING|SECURITY|TOUR)\.md$/
      .test(file)
  );
  const lost: string[] = [];
  for (const file of pages) {
    const named = pathsIn(await Deno.readTextFile(new URL(file, root))).filter((path) =>
      !notOfTheTree.test(path)
    );
    const isLost = (path: string) => !known.some((one) => one.endsWith(`/${path}`));
    lost.push(...named.filter(isLost).map((path) => `${file}: ${path}`));
  }
  assert.deepEqual(lost, []);
});

/** Tests which files a browser loads for a page of the console. */

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { buildConsole } from "../console/support/built_console.ts";

const dist = new URL("../../console/dist/", import.meta.url);
const KIB = 1_024;

/** Modules that one names so that they are loaded with it; those of `import()` come later. */
const staticImport = /(?:from|import)"\.\/([\w-]+\.js)"/g;

/** A module and what is loaded with it, with their texts. */
async function loadedWith(name: string, found = new Map<string, string>()): Promise<Map<string, string>> {
  if (found.has(name)) return found;
  const text = await Deno.readTextFile(new URL(name, dist));
  found.set(name, text);
  for (const [, imported = ""] of text.matchAll(staticImport)) await loadedWith(imported, found);
  return found;
}

function kib(modules: ReadonlyMap<string, string>): number {
  return [...modules.values()].reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / KIB;
}

async function builtModules(): Promise<readonly string[]> {
  await buildConsole();
  return [...Deno.readDirSync(dist)].map(({ name }) => name).filter((name) => name.endsWith(".js"));
}

function moduleOf(names: readonly string[], page: string): string {
  const found = names.find((name) => name.startsWith(`${page}-`));
  assert.ok(found, `the bundle has no module for ${page}`);
  return found;
}

const pages = [
  "overview",
  "keys",
  "workspaces",
  "byok",
  "presets",
  "tags",
  "clients",
  "destinations",
  "audit",
  "settings",
  "files",
  "my_key",
] as const;

Deno.test("the first page takes at most 60 KiB of scripts, any page 110", async (t) => {
  const names = await builtModules();
  const first = await loadedWith(moduleOf(names, "main"));
  assert.ok(kib(first) <= 60, `${kib(first).toFixed(1)} KiB`);
  for (const page of pages) {
    await t.step(page, async () => {
      const size = kib(await loadedWith(moduleOf(names, page), new Map(first)));
      assert.ok(size <= (page === "overview" || page === "my_key" ? 60 : 110), `${size.toFixed(1)} KiB`);
    });
  }
});

Deno.test("sign-in, Overview, My key and Playground load no schemas", async () => {
  const names = await builtModules();
  const isZod = (text: string) => text.includes("_zod");
  for (const page of ["main", "overview", "my_key", "playground"]) {
    const modules = [...await loadedWith(moduleOf(names, page))];
    assert.deepEqual(modules.filter(([, text]) => isZod(text)).map(([name]) => name), [], page);
  }
  const keys = await loadedWith(moduleOf(names, "keys"));
  assert.ok([...keys.values()].some(isZod), "the marker of zod's code is another one");
});

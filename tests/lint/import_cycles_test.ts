import assert from "node:assert/strict";

/** Files that the server and what it shares with the console are made of, from the root of the tree. */
const root = new URL("../../", import.meta.url);

async function filesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory && name !== "node_modules") found.push(...await filesIn(`${folder}${name}/`));
    if (name.endsWith(".ts") && !name.endsWith("_test.ts")) found.push(`${folder}${name}`);
  }
  return found.sort();
}

const specifier = /\bfrom\s+"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"|^import\s+"(\.[^"]+)"/gm;

/** Imports of every kind, of types too. */
function importsOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(specifier)].map(([, named, lazy, bare]) => {
    const url = new URL(named ?? lazy ?? bare ?? "", new URL(file, root));
    return url.href.slice(root.href.length);
  });
}

/** First chain of imports that comes back to where it began; undefined where there is none. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): readonly string[] | undefined => {
    if (done.has(file)) return undefined;
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    path.push(file);
    for (const next of imports.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const cycle = visit(file);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

Deno.test("findCycle names the way round, and nothing where several ways meet", () => {
  assert.deepEqual(findCycle(new Map([["a", ["b", "c"]], ["b", ["c"]], ["c", ["b"]]])), ["b", "c", "b"]);
  assert.equal(findCycle(new Map([["a", ["b", "c"]], ["b", ["c"]], ["c", []]])), undefined);
});

Deno.test("no file of the server imports itself by way of others, not even a type", async () => {
  const files = [...await filesIn("server/"), ...await filesIn("shared/")];
  const imports = new Map<string, readonly string[]>();
  for (const file of files) {
    imports.set(file, importsOf(file, await Deno.readTextFile(new URL(file, root))));
  }
  assert.ok([...imports.values()].flat().length > 1_000, "imports are found at all");
  assert.equal(findCycle(imports)?.join(" → "), undefined);
});

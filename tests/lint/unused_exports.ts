/**
 * Finds what a file of the product exports and no other file imports, tests included. `deno task lint:exports` prints
 * it, and fails where there is any: without `export` the linter sees what is not used at all.
 */

import { sourceFiles } from "../support/source_files.ts";

/** Files by their paths from the root of the tree. */
export type SourceTexts = ReadonlyMap<string, string>;

const declared =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (?:\{([^}]*)\}|([\w$]+))/gm;
const named = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s+"(\.[^"]+)"/g;
const whole = /\*(?:\s+as\s+[\w$]+)?\s+from\s+"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/g;

const ALL = "*";

/** Names of a list between braces: `type A, b as c` → A, b. */
const namesOf = (list: string): readonly string[] =>
  list.split(",").map((part) => part.trim().replace(/^type\s+/, "").split(/[\s:]/)[0] ?? "").filter(Boolean);

function exportsOf(text: string): readonly string[] {
  return [...text.matchAll(declared)].flatMap(([, list, name = ""]) =>
    list === undefined ? [name] : namesOf(list)
  );
}

const pathOf = (file: string, specifier: string): string =>
  new URL(specifier, `file:///${file}`).pathname.slice(1);

/** Names that are imported of each file; `*` where a file is imported as a whole. */
function importedNames(texts: SourceTexts): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (path: string, names: readonly string[]) =>
    found.set(path, new Set([...found.get(path) ?? [], ...names]));
  for (const [file, text] of texts) {
    for (const [, list = "", from = ""] of text.matchAll(named)) add(pathOf(file, from), namesOf(list));
    for (const [, from, lazy] of text.matchAll(whole)) add(pathOf(file, from ?? lazy ?? ""), [ALL]);
  }
  return found;
}

const isOfProduct = (file: string): boolean =>
  !/^tests\/|_test\.tsx?$|^console\/(lighthouse|build)/.test(file);

/** `<path>: <name>` for each, in the order of the files. */
export function unusedExports(texts: SourceTexts): readonly string[] {
  const imported = importedNames(texts);
  return [...texts].filter(([file]) => isOfProduct(file)).flatMap(([file, text]) => {
    const names = imported.get(file);
    if (names?.has(ALL)) return [];
    return exportsOf(text).filter((name) => !names?.has(name)).map((name) => `${file}: ${name}`);
  });
}

/** Every source file of the tree. */
export function readSources(root: URL): SourceTexts {
  const files = [...sourceFiles(root), "main.ts"];
  return new Map(files.map((file) => [file, Deno.readTextFileSync(new URL(file, root))]));
}

if (import.meta.main) {
  const unused = unusedExports(readSources(new URL("../../", import.meta.url)));
  for (const line of unused) console.error(`${line} is exported, and no other file imports it`);
  if (unused.length > 0) Deno.exit(1);
}

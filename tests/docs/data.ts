/** Finds the first parts of stored keys in the server's code: no test has to know them. */

import { filesBelow } from "./architecture.ts";

const root = new URL("../../", import.meta.url);

/** A constant's text, or each text of a table of names, where a file declares it. */
function textsOf(name: string, sources: Iterable<string>): string[] {
  for (const source of sources) {
    const [, text] = new RegExp(`const ${name}(?:: \\w+)? = "([a-z_]+)"`).exec(source) ?? [];
    if (text !== undefined) return [text];
    const [, table] = new RegExp(`const ${name} = \\{(.*?)\\n\\}`, "s").exec(source) ?? [];
    if (table !== undefined) return [...table.matchAll(/^ {2}\w+: "([a-z_]+)"/gm)].map(([, one = ""]) => one);
  }
  return [];
}

/** `name: "files"`, `name: NAME` or `name: names[…]` of a collection. */
const COLLECTION = /new Collection\(\{[^}]*?name: (?:"([a-z_]+)"|(\w+))/g;
/** `[JOURNAL_ROWS, …]` where a key is made. */
const KEY_OF_CONSTANT =
  /(?:key: |key = |StoreKey = |return |=> |list\(|get\()\[([A-Z][A-Z_]+)(?:\]|, [a-z(])/g;
/** `["epochs", …]` where a key is made. */
const KEY_OF_TEXT = /(?:key: |key = |StoreKey = |=> |list\(|get\()\["([a-z_]+)"(?:\]|, )/g;

/** The first part of every key that code of the server puts into a store. */
export async function storedPrefixes(): Promise<readonly string[]> {
  const files = (await filesBelow(root, "server/")).filter((file) => /(?<!_test)\.ts$/.test(file));
  const sources = await Promise.all(files.map((file) => Deno.readTextFile(new URL(file, root))));
  const found = new Set<string>();
  const add = (texts: readonly string[]) => texts.forEach((text) => found.add(text));
  for (const source of sources) {
    for (const [, text, name = ""] of source.matchAll(COLLECTION)) {
      add(text === undefined ? textsOf(name, [source, ...sources]) : [text]);
    }
    if (!/storage\/stores\/|from "\.\/store\.ts"/.test(source)) continue;
    for (const [, name = ""] of source.matchAll(KEY_OF_CONSTANT)) add(textsOf(name, [source, ...sources]));
    for (const [, text = ""] of source.matchAll(KEY_OF_TEXT)) add([text]);
  }
  return [...found];
}

/** The first parts that the page's tables name: `a`, or `a` / `b` for several of one kind, before the first comma. */
export function documentedPrefixes(page: string): readonly string[] {
  const rows = page.matchAll(/^\| (`[a-z_]+`[^|,]*)[^|]*\|[^|]*\|[^|]*\|[^|]*\|[^|]*\|$/gm);
  return [...rows].flatMap(([, first = ""]) =>
    [...first.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name)
  );
}

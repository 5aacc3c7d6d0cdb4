/** Reads the map and the paths of ARCHITECTURE.md. */

/** The folders below `top` of the map, which is the page's first code block: two blanks of indent a level. */
export function foldersOfMap(page: string, top: string): string[] {
  const [, map = ""] = /^```\n(.*?)^```$/ms.exec(page) ?? [];
  const lines = map.split("\n");
  const from = lines.findIndex((line) => line.startsWith(top));
  const found: string[] = [];
  let parent = top;
  for (const line of lines.slice(from + 1)) {
    const [, indent = "", names = ""] = /^( *)(\S+(?: \S+)*)/.exec(line) ?? [];
    if (indent === "") break;
    const folders = names.split(" ").filter((name) => name.endsWith("/"));
    if (indent.length > 2) found.push(...folders.map((name) => `${parent}${name}`));
    else {
      parent = `${top}${folders.at(-1) ?? ""}`;
      found.push(...folders.map((name) => `${top}${name}`));
    }
  }
  return found;
}

/** Paths of files and folders that stand in code marks, without placeholders. */
export function pathsIn(page: string): string[] {
  const quoted = [...page.matchAll(/`([\w./-]+)`/g)].map(([, text = ""]) => text);
  return quoted.filter((text) => /^[\w.][\w./-]*(\/|\.(tsx?|md|json|txt))$/.test(text));
}

/** The files of the tree below a folder, without what is fetched or built. */
export async function filesBelow(folder: URL, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(below, folder))) {
    if ([".git", "node_modules", "data", "dist"].includes(name)) continue;
    if (isDirectory) found.push(...await filesBelow(folder, `${below}${name}/`));
    else found.push(`${below}${name}`);
  }
  return found;
}

/** Where a file stands in the tree: what the rules ask before they judge it. */

/** The checkout's folder, with a trailing slash. */
const root = new URL("../../", import.meta.url).pathname;

export interface Place {
  /** Path from the checkout's folder, `/` between the parts. */
  readonly path: string;
  /** True for everything below `tests/` and for `_test.ts` files wherever they stand. */
  readonly test: boolean;
  /** True below `server/` and for `main.ts`, tests aside. */
  readonly server: boolean;
}

/** The place of a file named by an absolute path, or by a path from the checkout's folder. */
export function placeOf(filename: string): Place {
  const path = filename.startsWith(root) ? filename.slice(root.length) : filename;
  const test = path.startsWith("tests/") || /_test\.tsx?$/.test(path);
  const server = !test && (path.startsWith("server/") || path === "main.ts");
  return { path, test, server };
}

/** Resolves a relative specifier against the importing file; undefined when it is not relative. */
export function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return new URL(specifier, new URL(from, "file:///")).pathname.slice(1);
}

/**
 * True for `object.property`, both written as plain names. Rules visit a kind of node and ask this: a selector with
 * attributes, which says the same, is matched against every node and takes as long as a rule by itself.
 */
export function isMember(
  node: Deno.lint.Node,
  { object, property }: { readonly object?: string; readonly property: string },
): boolean {
  if (node.type !== "MemberExpression" || node.computed) return false;
  if (node.property.type !== "Identifier" || node.property.name !== property) return false;
  return object === undefined || (node.object.type === "Identifier" && node.object.name === object);
}

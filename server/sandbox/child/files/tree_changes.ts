/** Finds what has changed in the file tree since the last look. */

import { type TreeNode, walk } from "./file_nodes.ts";
import type { FileTree } from "./file_tree.ts";

/** Nodes by their path, each with its version. */
type Known = ReadonlyMap<string, { readonly node: TreeNode; readonly version: number }>;

/** Absolute paths. */
type TreeChange =
  | { readonly type: "written"; readonly path: string; readonly node: TreeNode }
  | { readonly type: "deleted"; readonly path: string };

interface TreeChangesOptions {
  readonly tree: FileTree;
  /** The folders that are looked at, without what is named in `except`: absolute paths. */
  readonly isWatched: (path: string) => boolean;
}

/** For one who looks again and again. */
export class TreeChanges {
  readonly #options: TreeChangesOptions;
  #known: Known = new Map();
  #version = -1;

  constructor(options: TreeChangesOptions) {
    this.#options = options;
  }

  /** Deletions first, then what was written in the order in which it was; folders before what was put into them. */
  take(): readonly TreeChange[] {
    const { tree } = this.#options;
    if (tree.version === this.#version) return [];
    const now = this.#look();
    const deleted = [...this.#known.keys()].filter((path) => !now.has(path));
    const written = [...now].filter(([path, { node, version }]) => {
      const before = this.#known.get(path);
      return before?.node !== node || before.version !== version;
    });
    written.sort(([, a], [, b]) => rank(a.node) - rank(b.node) || a.version - b.version);
    this.#known = now;
    this.#version = tree.version;
    return [
      ...deleted.map((path) => ({ type: "deleted", path }) as const),
      ...written.map(([path, { node }]) => ({ type: "written", path, node }) as const),
    ];
  }

  #look(): Known {
    const { tree, isWatched } = this.#options;
    const found = new Map<string, { readonly node: TreeNode; readonly version: number }>();
    for (const { node, path } of walk(tree.root, "")) {
      if (path !== "" && isWatched(path)) found.set(path, { node, version: node.version });
    }
    return found;
  }
}

/** A folder's version is that of the last change in it. */
const rank = ({ type }: TreeNode): number => type === "folder" ? 0 : 1;

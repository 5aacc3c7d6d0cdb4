/** Loads files of the gateway into the container's home folder, and reports changes there. */

import { posix } from "node:path";
import type * as z from "zod";
import { endedSchema, HOME, loadSchema, MAX_CHANGES, readSchema } from "../messages.ts";
import type { Pack } from "../pack.ts";
import type { TreeNode } from "./files/file_nodes.ts";
import { FileError } from "./files/file_error.ts";
import type { FileTree } from "./files/file_tree.ts";
import { TreeChanges } from "./files/tree_changes.ts";

type Changes = Pick<z.output<typeof endedSchema>, "changes" | "isOverflow">;
type Entry = Extract<Changes["changes"][number], { type: "written" }>["entry"];

const inHome = (path: string): string => `${HOME}/${path}`;
const isInHome = (path: string): boolean => path.startsWith(`${HOME}/`);

export class ContainerFiles {
  readonly #tree: FileTree;
  readonly #changes: TreeChanges;
  /** Bytes of the file that comes in parts. */
  #loaded = 0;

  constructor(tree: FileTree) {
    this.#tree = tree;
    this.#changes = new TreeChanges({ tree, isWatched: isInHome });
    tree.makeFolder(HOME, true);
  }

  load({ value, bytes }: Pack): void {
    let offset = 0;
    for (const { entry, bytes: size, isContinued } of loadSchema.parse(value)) {
      const content = bytes.subarray(offset, offset + size);
      offset += size;
      this.#loaded = isContinued ? this.#loaded : 0;
      this.#put(entry, content);
    }
    this.#changes.take();
  }

  #put(entry: Entry, content: Uint8Array): void {
    const path = inHome(entry.path);
    this.#tree.makeFolder(posix.dirname(path), true);
    if (entry.type === "link") return this.#tree.makeLink(entry.target, path);
    if (entry.type === "folder") this.#tree.makeFolder(path, true);
    else this.#putContent(path, { size: entry.size, content });
    this.#tree.setMode(path, entry.mode);
    this.#tree.setTime(path, entry.modifiedAt);
  }

  /** The first part makes room for all of it: a file that grows takes memory twice. */
  #putContent(
    path: string,
    { size, content }: { readonly size: number; readonly content: Uint8Array },
  ): void {
    const file = this.#loaded === 0
      ? this.#tree.write(path, new Uint8Array(0))
      : this.#tree.node(path, { operation: "open" });
    if (file.type !== "file") throw new FileError("EISDIR", { operation: "open", path });
    if (this.#loaded === 0) this.#tree.resize(file, size);
    this.#tree.writeAt(file, { offset: this.#loaded, bytes: content });
    this.#loaded += content.length;
  }

  read({ value }: Pack): Uint8Array {
    const { path, offset, length } = readSchema.parse(value);
    return this.#tree.read(inHome(path)).subarray(offset, offset + length);
  }

  /** Since the last time. */
  takeChanges(): Changes {
    const all = this.#changes.take();
    const isOverflow = all.length > MAX_CHANGES;
    return {
      isOverflow,
      changes: isOverflow ? [] : all.map((change) => {
        const path = change.path.slice(HOME.length + 1);
        return change.type === "deleted"
          ? { type: "deleted", path }
          : { type: "written", entry: entryOf(change.node, path) };
      }),
    };
  }
}

function entryOf(node: TreeNode, path: string): Entry {
  const { mode, mtimeMs } = node;
  const facts = { path, mode, modifiedAt: Number.isFinite(mtimeMs) ? mtimeMs : 0 };
  if (node.type === "link") return { type: "link", path, target: node.target };
  return node.type === "folder" ? { type: "folder", ...facts } : { type: "file", ...facts, size: node.size };
}

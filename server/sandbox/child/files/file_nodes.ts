/** The nodes of the file tree, and how a path leads to one. */

import { MAX_NAME_BYTES } from "../../messages.ts";
import { FileError } from "./file_error.ts";

export interface NodeBase {
  mode: number;
  /** Milliseconds since the epoch. */
  mtimeMs: number;
  /** Version of content, mode, time and place; later changes have higher ones. */
  version: number;
}

export interface FileNode extends NodeBase {
  readonly type: "file";
  /** Identity: hard links share a node. */
  readonly inode: number;
  /** May be longer than the content, to grow. */
  buffer: Uint8Array<ArrayBuffer>;
  size: number;
  /** Folders that name it. */
  links: number;
}

export interface FolderNode extends NodeBase {
  readonly type: "folder";
  readonly inode: number;
  readonly children: Map<string, TreeNode>;
}

interface LinkNode extends NodeBase {
  readonly type: "link";
  readonly inode: number;
  readonly target: string;
}

export type TreeNode = FileNode | FolderNode | LinkNode;

/** The memory of the process. */
export interface TreeRoom {
  /** Whether so many more bytes can be taken. */
  has(bytes: number): boolean;
  /** So many bytes are not used any more. */
  freed(bytes: number): void;
}

export interface FileWrite {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** For errors. */
  readonly path?: string;
}

/** Where a path leads: the folder that holds its last part, and what stands there. */
export interface Place {
  readonly folder: FolderNode;
  /** Empty for the root. */
  readonly name: string;
  readonly node: TreeNode | undefined;
  /** Without links, `.` and `..`. */
  readonly path: string;
}

const MAX_LINKS = 40;
/** Bytes. */
const MAX_PATH = 4_096;
const MAX_DEPTH = 256;

export interface PlaceOptions {
  /** Operation that is tried, for the error, such as `open`. */
  readonly operation: string;
  /** A link at the end of the path is not followed. */
  readonly keepLast?: boolean;
}

/** Follows every link on the way. Throws a FileError for a way that is none. */
export function findPlace(root: FolderNode, path: string, options: PlaceOptions): Place {
  const { operation, keepLast = false } = options;
  if (path.includes("\0")) throw new FileError("EINVAL", { operation, path: path.replaceAll("\0", "") });
  if (path.length > MAX_PATH) {
    throw new FileError("ENAMETOOLONG", { operation, path: `${path.slice(0, 64)}…` });
  }
  const way = new Way(root);
  const left = partsOf(path).reverse();
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === "..") {
      way.leave();
      continue;
    }
    if (isTooLong(name)) throw new FileError("ENAMETOOLONG", { operation, path });
    const node = way.folder.children.get(name);
    const isLast = left.length === 0;
    if (node?.type === "link" && !(isLast && keepLast)) {
      if (++links > MAX_LINKS) throw new FileError("ELOOP", { operation, path });
      if (node.target.startsWith("/")) way.restart();
      left.push(...partsOf(node.target).reverse());
      continue;
    }
    if (isLast) return way.placeOf(name, node);
    if (node === undefined) throw new FileError("ENOENT", { operation, path });
    if (node.type !== "folder") throw new FileError("ENOTDIR", { operation, path });
    if (way.depth > MAX_DEPTH) throw new FileError("ENAMETOOLONG", { operation, path });
    way.enter(name, node);
  }
  return way.place;
}

/** A character has up to three bytes in UTF-8, or four as two. */
const isTooLong = (name: string): boolean =>
  name.length > MAX_NAME_BYTES / 3 && Buffer.byteLength(name) > MAX_NAME_BYTES;

/** The folders from the root to where one is. */
class Way {
  readonly #root: FolderNode;
  readonly #steps: { readonly name: string; readonly folder: FolderNode }[] = [];

  constructor(root: FolderNode) {
    this.#root = root;
  }

  get folder(): FolderNode {
    return this.#steps.at(-1)?.folder ?? this.#root;
  }

  get depth(): number {
    return this.#steps.length;
  }

  enter(name: string, folder: FolderNode): void {
    this.#steps.push({ name, folder });
  }

  leave(): void {
    this.#steps.pop();
  }

  restart(): void {
    this.#steps.length = 0;
  }

  placeOf(name: string, node: TreeNode | undefined): Place {
    return { folder: this.folder, name, node, path: `${this.#path}/${name}` };
  }

  /** Place of the folder itself. */
  get place(): Place {
    const folder = this.#steps.at(-2)?.folder ?? this.#root;
    return { folder, name: this.#steps.at(-1)?.name ?? "", node: this.folder, path: this.#path || "/" };
  }

  get #path(): string {
    return this.#steps.map(({ name }) => `/${name}`).join("");
  }
}

/** Parts of a path, without empty ones and `.`. */
export const partsOf = (path: string): string[] =>
  path.split("/").filter((part) => part !== "" && part !== ".");

export const contentOf = ({ buffer, size }: FileNode): Uint8Array<ArrayBuffer> => buffer.subarray(0, size);

/** A node and all below it, folders before what they hold; paths begin with `path`. */
export function* walk(
  node: TreeNode,
  path: string,
): Generator<{ readonly node: TreeNode; readonly path: string }> {
  const stack = [{ node, path }];
  for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
    yield one;
    if (one.node.type !== "folder") continue;
    for (const [name, child] of one.node.children) stack.push({ node: child, path: `${one.path}/${name}` });
  }
}

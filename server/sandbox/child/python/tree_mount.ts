/** The container's files as a file system of Emscripten's: Python and the shell work on the same tree. */

import { FileError } from "../files/file_error.ts";
import { contentOf, type FileNode, type TreeNode } from "../files/file_nodes.ts";
import type { FileTree } from "../files/file_tree.ts";
import {
  type EmscriptenFs,
  type EmscriptenNode,
  type EmscriptenStream,
  errnos,
  S_IFDIR,
  S_IFLNK,
  S_IFMT,
  S_IFREG,
} from "./emscripten.ts";

const BLOCK = 4_096;
const kinds: Readonly<Record<TreeNode["type"], number>> = { file: S_IFREG, folder: S_IFDIR, link: S_IFLNK };

/** Attributes that `setattr` changes. */
interface Attributes {
  readonly mode?: number;
  readonly size?: number;
  readonly mtime?: number;
}

/** Puts a folder of the tree at the same place, in the stead of an earlier one; what is there is looked up anew. */
export function mountTree(
  fs: EmscriptenFs,
  { tree, path }: { readonly tree: FileTree; readonly path: string },
): void {
  const { exists, object } = fs.analyzePath(path);
  if (!exists) fs.mkdirTree(path);
  if (object !== null && object.mount.mountpoint === path) fs.unmount(path);
  fs.mount(new TreeMount(fs, tree), {}, path);
}

/** In the form that Emscripten wants: an object whose `mount` makes the first node. */
class TreeMount {
  readonly #fs: EmscriptenFs;
  readonly #tree: FileTree;
  /** Files that are open: they may have lost their name. */
  readonly #files = new WeakMap<EmscriptenStream, FileNode>();

  constructor(fs: EmscriptenFs, tree: FileTree) {
    this.#fs = fs;
    this.#tree = tree;
  }

  readonly mount = (): EmscriptenNode => this.#node(null, "/", S_IFDIR | 0o755);

  #node(...[parent, name, mode]: readonly [EmscriptenNode | null, string, number]): EmscriptenNode {
    const node = this.#fs.createNode(parent, name, mode);
    node.node_ops = this.#nodeOps;
    node.stream_ops = this.#streamOps;
    return node;
  }

  /** As the numbers that Emscripten knows. */
  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof FileError) throw new this.#fs.ErrnoError(errnos[error.code]);
      throw error;
    }
  }

  #path(node: EmscriptenNode, name?: string): string {
    const path = this.#fs.getPath(node);
    return name === undefined ? path : `${path}/${name}`;
  }

  #entry(node: EmscriptenNode): TreeNode {
    return this.#tree.node(this.#path(node), { operation: "stat", keepLast: true });
  }

  readonly #nodeOps = {
    getattr: (node: EmscriptenNode) => this.#guard(() => attributesOf(this.#entry(node))),
    setattr: (node: EmscriptenNode, { mode, size, mtime }: Attributes) =>
      this.#guard(() => {
        const entry = this.#entry(node);
        const path = this.#path(node);
        if (size !== undefined && entry.type === "file") this.#tree.resize(entry, size);
        if (mode !== undefined) {
          this.#tree.setMode(path, mode);
          node.mode = (node.mode & S_IFMT) | (mode & ~S_IFMT);
        }
        if (mtime !== undefined) this.#tree.setTime(path, mtime);
      }),
    lookup: (parent: EmscriptenNode, name: string) =>
      this.#guard(() => {
        const entry = this.#tree.node(this.#path(parent, name), { operation: "stat", keepLast: true });
        return this.#node(parent, name, kinds[entry.type] | entry.mode);
      }),
    mknod: (...[parent, name, mode]: readonly [EmscriptenNode, string, number]) =>
      this.#guard(() => {
        const path = this.#path(parent, name);
        if ((mode & S_IFMT) === S_IFDIR) this.#tree.makeFolder(path, false);
        else if ((mode & S_IFMT) === S_IFREG) this.#tree.write(path, new Uint8Array(0));
        else throw new FileError("EPERM", { operation: "mknod", path });
        this.#tree.setMode(path, mode);
        return this.#node(parent, name, mode);
      }),
    rename: (...[node, folder, name]: readonly [EmscriptenNode, EmscriptenNode, string]) =>
      this.#guard(() => {
        this.#tree.move(this.#path(node), this.#path(folder, name));
        node.name = name;
      }),
    unlink: (parent: EmscriptenNode, name: string) =>
      this.#guard(() => this.#tree.remove(this.#path(parent, name))),
    rmdir: (parent: EmscriptenNode, name: string) =>
      this.#guard(() => {
        const path = this.#path(parent, name);
        if (this.#tree.folder(path, "rmdir").children.size > 0) {
          throw new FileError("ENOTEMPTY", { operation: "rmdir", path });
        }
        this.#tree.remove(path);
      }),
    readdir: (node: EmscriptenNode) =>
      this.#guard(() => [".", "..", ...this.#tree.folder(this.#path(node), "scandir").children.keys()]),
    symlink: (...[parent, name, target]: readonly [EmscriptenNode, string, string]) =>
      this.#guard(() => {
        this.#tree.makeLink(target, this.#path(parent, name));
        return this.#node(parent, name, S_IFLNK | 0o777);
      }),
    readlink: (node: EmscriptenNode) =>
      this.#guard(() => {
        const entry = this.#entry(node);
        if (entry.type !== "link") {
          throw new FileError("EINVAL", { operation: "readlink", path: this.#path(node) });
        }
        return entry.target;
      }),
  };

  readonly #streamOps = {
    open: (stream: EmscriptenStream) =>
      this.#guard(() => {
        const entry = this.#entry(stream.node);
        if (entry.type === "file") this.#files.set(stream, entry);
      }),
    close: () => {},
    read: (stream: EmscriptenStream, ...[buffer, offset, length, position]: ReadArguments): number => {
      const content = contentOf(this.#file(stream)).subarray(position, position + length);
      buffer.set(content, offset);
      return content.length;
    },
    write: (stream: EmscriptenStream, ...[buffer, offset, length, position]: ReadArguments): number =>
      this.#guard(() => {
        const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
        this.#tree.writeAt(this.#file(stream), { offset: position, bytes });
        return length;
      }),
    llseek: (...[stream, offset, whence]: readonly [EmscriptenStream, number, number]): number => {
      const position = whence === SEEK_CUR
        ? stream.position + offset
        : whence === SEEK_END
        ? this.#file(stream).size + offset
        : offset;
      if (position < 0) throw new this.#fs.ErrnoError(errnos.EINVAL);
      return position;
    },
    mmap: () => {
      throw new this.#fs.ErrnoError(errnos.ENODEV);
    },
  };

  /** Streams that are made from another one (`dup`) have not been opened themselves. */
  #file(stream: EmscriptenStream): FileNode {
    const file = this.#files.get(stream) ?? this.#guard(() => this.#entry(stream.node));
    if (file.type !== "file") throw new this.#fs.ErrnoError(errnos.EISDIR);
    return file;
  }
}

/** Buffer, offset in it, length, position in the file. */
type ReadArguments = readonly [Int8Array | Uint8Array, number, number, number];

const SEEK_CUR = 1;
const SEEK_END = 2;

function attributesOf(entry: TreeNode) {
  const size = entry.type === "file" ? entry.size : entry.type === "link" ? entry.target.length : BLOCK;
  const time = new Date(entry.mtimeMs);
  return {
    dev: 1,
    ino: entry.inode,
    mode: kinds[entry.type] | entry.mode,
    nlink: entry.type === "file" ? entry.links : 1,
    uid: 0,
    gid: 0,
    rdev: 0,
    size,
    atime: time,
    mtime: time,
    ctime: time,
    blksize: BLOCK,
    blocks: Math.ceil(size / BLOCK),
  };
}

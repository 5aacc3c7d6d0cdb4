/**
 * The files of a container while its process runs: a tree in memory with links as POSIX has them. Every change gives
 * a node a new version, so that what a command has changed is found without reading contents. (just-bash's own
 * InMemoryFs follows no link in the middle of a path, and copies where it should link.)
 */

import { FileError } from "./file_error.ts";
import {
  contentOf,
  type FileNode,
  type FileWrite,
  findPlace,
  type FolderNode,
  type NodeBase,
  partsOf,
  type Place,
  type PlaceOptions,
  type TreeNode,
  type TreeRoom,
  walk,
} from "./file_nodes.ts";

interface FileTreeOptions {
  /** Bytes of all contents. */
  readonly maxBytes: number;
  readonly maxNodes: number;
  readonly room: TreeRoom;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Bytes that a growing file is given at most beyond its size. */
const MAX_SPARE = 16 * 1024 * 1024;
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;
const LINK_MODE = 0o777;

export class FileTree {
  readonly #options: FileTreeOptions;
  readonly root: FolderNode;
  #bytes = 0;
  #nodes = 0;
  readonly #unread = new WeakSet<ArrayBuffer>();
  #version = 0;
  #inode = 0;

  constructor(options: FileTreeOptions) {
    this.#options = options;
    this.root = { type: "folder", inode: 0, children: new Map(), mode: FOLDER_MODE, mtimeMs: 0, version: 0 };
  }

  /** Version of the latest change. */
  get version(): number {
    return this.#version;
  }

  /** Throws a FileError for a way that is none. */
  place(path: string, options: PlaceOptions): Place {
    return findPlace(this.root, path, options);
  }

  /** Finds the node at a path. Throws a FileError (ENOENT). */
  node(path: string, options: PlaceOptions): TreeNode {
    const { node } = this.place(path, options);
    if (node === undefined) throw new FileError("ENOENT", { ...options, path });
    return node;
  }

  folder(path: string, operation: string): FolderNode {
    const node = this.node(path, { operation });
    if (node.type !== "folder") throw new FileError("ENOTDIR", { operation, path });
    return node;
  }

  /** The content, for one who makes a copy of it: as `read`, or throws a FileError (ENOMEM). */
  readToCopy(path: string): Uint8Array<ArrayBuffer> {
    const content = this.read(path);
    this.#unread.delete(content.buffer);
    if (this.#options.room.has(content.length)) return content;
    this.#unread.add(content.buffer);
    throw new FileError("ENOMEM", { operation: "read", path });
  }

  /** Whether there was no memory to read it when that was tried last. */
  isUnread({ buffer }: FileNode): boolean {
    return this.#unread.has(buffer.buffer);
  }

  /** The content. Valid until the next change. */
  read(path: string): Uint8Array<ArrayBuffer> {
    const node = this.node(path, { operation: "open" });
    if (node.type !== "file") throw new FileError("EISDIR", { operation: "read", path });
    return contentOf(node);
  }

  /** Replaces the content, or makes the file. A given `bytes` is copied. */
  write(path: string, bytes: Uint8Array): FileNode {
    const file = this.#openFile(path);
    this.#requireRoom(bytes.length, path);
    this.#reserve(bytes.length - file.size, path);
    this.#options.room.freed(file.buffer.length);
    file.buffer = Uint8Array.from(bytes);
    file.size = bytes.length;
    return this.#touch(file);
  }

  append(path: string, bytes: Uint8Array): FileNode {
    const file = this.#openFile(path);
    this.writeAt(file, { offset: file.size, bytes, path });
    return file;
  }

  /** Writes in the middle of a file, or beyond its end: the gap is zeros. The file need not have a name any more. */
  writeAt(file: FileNode, { offset, bytes, path = "" }: FileWrite): void {
    const size = Math.max(file.size, offset + bytes.length);
    this.#resize(file, { size, path });
    file.buffer.set(bytes, offset);
    this.#touch(file);
  }

  /** Cuts a file, or fills it up with zeros. */
  resize(file: FileNode, size: number): void {
    this.#resize(file, { size, path: "" });
    this.#touch(file);
  }

  #resize(file: FileNode, { size, path }: { readonly size: number; readonly path: string }): void {
    const isLonger = size > file.buffer.length;
    if (isLonger) this.#requireRoom(size, path);
    if (file.links > 0) this.#reserve(size - file.size, path);
    if (size < file.size) file.buffer.fill(0, size, file.size);
    if (isLonger) {
      const spacious = Math.max(size, Math.min(2 * file.buffer.length, size + MAX_SPARE));
      const grown = new Uint8Array(this.#options.room.has(spacious) ? spacious : size);
      grown.set(contentOf(file));
      this.#options.room.freed(file.buffer.length);
      file.buffer = grown;
    }
    file.size = size;
  }

  /** The file there, made where there is none. */
  #openFile(path: string): FileNode {
    const { folder, name, node } = this.place(path, { operation: "open" });
    if (node?.type === "file") return node;
    if (node !== undefined || path.endsWith("/")) throw new FileError("EISDIR", { operation: "open", path });
    const made: FileNode = {
      type: "file",
      buffer: new Uint8Array(0),
      size: 0,
      links: 1,
      ...this.#newNode(FILE_MODE, path),
    };
    this.#attach({ folder, name }, made);
    return made;
  }

  /** True where it made one; false where `recursive` finds one. */
  makeFolder(path: string, recursive: boolean): boolean {
    if (recursive) return this.#makeFolders(path);
    const { folder, name, node } = this.place(path, { operation: "mkdir" });
    if (node !== undefined) throw new FileError("EEXIST", { operation: "mkdir", path });
    this.#attach({ folder, name }, this.#newFolder(path));
    return true;
  }

  #makeFolders(path: string): boolean {
    let made = false;
    let prefix = "";
    for (const part of partsOf(path)) {
      prefix += `/${part}`;
      const { folder, name, node } = this.place(prefix, { operation: "mkdir" });
      if (node?.type === "folder") continue;
      if (node !== undefined) throw new FileError("EEXIST", { operation: "mkdir", path });
      this.#attach({ folder, name }, this.#newFolder(path));
      made = true;
    }
    return made;
  }

  #newFolder(path: string): FolderNode {
    return { type: "folder", children: new Map(), ...this.#newNode(FOLDER_MODE, path) };
  }

  makeLink(target: string, path: string): void {
    const { folder, name, node } = this.place(path, { operation: "symlink", keepLast: true });
    if (node !== undefined) throw new FileError("EEXIST", { operation: "symlink", path });
    this.#attach({ folder, name }, { type: "link", target, ...this.#newNode(LINK_MODE, path) });
  }

  /** A second name for a file. */
  linkFile(existing: string, path: string): void {
    const file = this.node(existing, { operation: "link" });
    if (file.type !== "file") throw new FileError("EPERM", { operation: "link", path: existing });
    const { folder, name, node } = this.place(path, { operation: "link", keepLast: true });
    if (node !== undefined) throw new FileError("EEXIST", { operation: "link", path });
    this.#reserveNode(path);
    file.links++;
    this.#attach({ folder, name }, file);
  }

  /** Removes a file, a link, or a folder with everything in it. Harmless for the content of other hard links. */
  remove(path: string): void {
    const { folder, name, node } = this.place(path, { operation: "rm", keepLast: true });
    if (node === undefined) throw new FileError("ENOENT", { operation: "rm", path });
    if (node === this.root) throw new FileError("EPERM", { operation: "rm", path });
    folder.children.delete(name);
    this.#touch(folder);
    this.#forget(node);
  }

  /** Replaces what stands at the new place, except a folder that is not empty. */
  move(from: string, to: string): void {
    const source = this.place(from, { operation: "rename", keepLast: true });
    const target = this.place(to, { operation: "rename", keepLast: true });
    const { node } = source;
    if (node === undefined) throw new FileError("ENOENT", { operation: "rename", path: from });
    if (node === target.node) return;
    if (`${target.path}/`.startsWith(`${source.path}/`)) {
      throw new FileError("EINVAL", { operation: "rename", path: to });
    }
    this.#replace(target, node);
    source.folder.children.delete(source.name);
    this.#touch(source.folder);
    this.#attach(target, node);
    for (const { node: moved } of walk(node, "")) moved.version = this.#version;
  }

  #replace({ folder, name, node, path }: Place, by: TreeNode): void {
    if (node === undefined) return;
    if (node.type === "folder") {
      if (by.type !== "folder") throw new FileError("EISDIR", { operation: "rename", path });
      if (node.children.size > 0) throw new FileError("ENOTEMPTY", { operation: "rename", path });
    } else if (by.type === "folder") throw new FileError("ENOTDIR", { operation: "rename", path });
    folder.children.delete(name);
    this.#forget(node);
  }

  setMode(path: string, mode: number): void {
    const node = this.node(path, { operation: "chmod" });
    node.mode = mode & 0o7777;
    this.#change(node);
  }

  setTime(path: string, mtimeMs: number): void {
    const node = this.node(path, { operation: "utimes" });
    node.mtimeMs = mtimeMs;
    this.#change(node);
  }

  #newNode(mode: number, path: string): NodeBase & { readonly inode: number } {
    this.#reserveNode(path);
    return { mode, mtimeMs: this.#options.now(), version: 0, inode: ++this.#inode };
  }

  #reserveNode(path: string): void {
    if (this.#nodes >= this.#options.maxNodes) throw new FileError("ENOSPC", { operation: "open", path });
    this.#nodes++;
  }

  #requireRoom(bytes: number, path: string): void {
    if (!this.#options.room.has(bytes)) throw new FileError("ENOSPC", { operation: "write", path });
  }

  #reserve(bytes: number, path: string): void {
    if (this.#bytes + bytes > this.#options.maxBytes) {
      throw new FileError("ENOSPC", { operation: "write", path });
    }
    this.#bytes += bytes;
  }

  #attach({ folder, name }: Pick<Place, "folder" | "name">, node: TreeNode): void {
    folder.children.set(name, node);
    this.#change(node);
    this.#touch(folder);
  }

  /** Lets go of what no folder names any more. */
  #forget(node: TreeNode): void {
    const all = [node];
    for (let one = all.pop(); one !== undefined; one = all.pop()) {
      this.#nodes--;
      if (one.type === "folder") all.push(...one.children.values());
      if (one.type === "file" && --one.links === 0) {
        this.#bytes -= one.size;
        this.#options.room.freed(one.buffer.length);
      }
    }
  }

  #touch<N extends TreeNode>(node: N): N {
    node.mtimeMs = this.#options.now();
    return this.#change(node);
  }

  #change<N extends TreeNode>(node: N): N {
    node.version = ++this.#version;
    return node;
  }
}

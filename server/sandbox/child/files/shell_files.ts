/** The file tree as just-bash wants to see it. */

import { posix } from "node:path";
import type { ByteString, FsStat, IFileSystem } from "just-bash";
import { FileError } from "./file_error.ts";
import { contentOf, type FileNode, type FolderNode, type TreeNode, walk } from "./file_nodes.ts";
import type { MemoryRoom } from "../memory_room.ts";
import type { FileTree } from "./file_tree.ts";

type Content = Parameters<IFileSystem["writeFile"]>[1];
type WriteOptions = Parameters<IFileSystem["writeFile"]>[2];
type ReadOptions = Parameters<IFileSystem["readFile"]>[1];
type DirentEntry = Awaited<ReturnType<NonNullable<IFileSystem["readdirWithFileTypes"]>>>[number];

/** Name of commands that copy, in errors. */
const COPY = "cp";

export class ShellFiles implements IFileSystem {
  readonly #tree: FileTree;
  readonly #room: Pick<MemoryRoom, "has" | "make">;

  constructor(tree: FileTree, room: Pick<MemoryRoom, "has" | "make">) {
    this.#tree = tree;
    this.#room = room;
  }

  async readFile(path: string, options?: ReadOptions): Promise<string> {
    await this.#room.make(this.#tree.read(path).length);
    return decode(this.#tree.readToCopy(path), encodingOf(options));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    await this.#room.make(this.#tree.read(path).length);
    return this.#tree.readToCopy(path).slice();
  }

  /**
   * A character for each byte. just-bash makes such texts itself where there is no such method, a character at a time,
   * and V8 keeps 32 bytes for each of them.
   */
  async readFileBytes(path: string): Promise<ByteString> {
    await this.#room.make(this.#tree.read(path).length);
    return toByteString(decode(this.#tree.readToCopy(path), "latin1"));
  }

  async writeFile(path: string, content: Content, options?: WriteOptions): Promise<void> {
    await this.#makeRoom(path, content);
    this.#tree.write(path, encode(content, encodingOf(options)));
  }

  /**
   * For the folders and files with which just-bash begins; it looks for this one by its name. A full container begins
   * without them: the next command must be able to make room.
   */
  writeFileSync(path: string, content: Content): void {
    try {
      this.#tree.makeFolder(posix.dirname(path), true);
      this.#tree.write(path, encode(content, "utf8"));
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== "ENOSPC") throw error;
    }
  }

  async appendFile(path: string, content: Content, options?: WriteOptions): Promise<void> {
    await this.#makeRoom(path, content);
    this.#tree.append(path, encode(content, encodingOf(options)));
  }

  /** For the bytes of a text and for the file's copy of them. Throws a FileError (ENOSPC). */
  async #makeRoom(path: string, { length }: Content): Promise<void> {
    await this.#room.make(2 * length);
    if (!this.#room.has(2 * length)) throw new FileError("ENOSPC", { operation: "write", path });
  }

  exists(path: string): Promise<boolean> {
    return Promise.resolve(this.#find(path) !== undefined);
  }

  #find(path: string): TreeNode | undefined {
    try {
      return this.#tree.place(path, { operation: "stat" }).node;
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }

  stat(path: string): Promise<FsStat> {
    return settle(() => statOf(this.#tree.node(path, { operation: "stat" })));
  }

  lstat(path: string): Promise<FsStat> {
    return settle(() => statOf(this.#tree.node(path, { operation: "lstat", keepLast: true })));
  }

  mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void> {
    return settle(() => this.mkdirSync(path, options));
  }

  mkdirSync(path: string, options?: { readonly recursive?: boolean }): void {
    this.#tree.makeFolder(path, options?.recursive === true);
  }

  readdir(path: string): Promise<string[]> {
    return settle(() => [...this.#tree.folder(path, "scandir").children.keys()].sort(byText));
  }

  readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    return settle(() =>
      [...this.#tree.folder(path, "scandir").children]
        .sort(([a], [b]) => byText(a, b))
        .map(([name, { type }]) => ({
          name,
          isFile: type === "file",
          isDirectory: type === "folder",
          isSymbolicLink: type === "link",
        }))
    );
  }

  rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): Promise<void> {
    return settle(() => {
      const node = this.#nodeToRemove(path, options?.force === true);
      if (node === undefined) return;
      if (node.type === "folder" && node.children.size > 0 && options?.recursive !== true) {
        throw new FileError("ENOTEMPTY", { operation: "rm", path });
      }
      this.#tree.remove(path);
    });
  }

  #nodeToRemove(path: string, force: boolean): TreeNode | undefined {
    try {
      return this.#tree.node(path, { operation: "rm", keepLast: true });
    } catch (error) {
      if (force && error instanceof FileError && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async cp(from: string, to: string, options?: { readonly recursive?: boolean }): Promise<void> {
    const source = this.#tree.node(from, { operation: COPY, keepLast: true });
    if (source.type === "folder" && options?.recursive !== true) {
      throw new FileError("EISDIR", { operation: COPY, path: from });
    }
    if (`${posix.normalize(to)}/`.startsWith(`${posix.normalize(from)}/`)) {
      throw new FileError("EINVAL", { operation: COPY, path: to });
    }
    // What is copied is listed before, so that a copy into itself ends.
    for (const { node, path } of [...walk(source, to)]) {
      await this.#room.make(sizeOf(node));
      this.#copyNode(node, path);
    }
  }

  #copyNode(node: TreeNode, path: string): void {
    if (node.type === "folder") {
      this.#tree.makeFolder(path, true);
    } else if (node.type === "file") {
      this.#tree.write(path, contentOf(node));
      this.#tree.setMode(path, node.mode);
    } else {
      if (this.#tree.place(path, { operation: COPY, keepLast: true }).node !== undefined) {
        this.#tree.remove(path);
      }
      this.#tree.makeLink(node.target, path);
    }
  }

  mv(from: string, to: string): Promise<void> {
    return settle(() => this.#tree.move(from, to));
  }

  /** Lexically, as a shell shows its working folder: links stay. */
  resolvePath(base: string, path: string): string {
    const resolved = posix.resolve("/", base, path);
    return path.endsWith("/") && resolved !== "/" ? `${resolved}/` : resolved;
  }

  getAllPaths(): string[] {
    return [...walk(this.#tree.root, "")].map(({ path }) => path || "/");
  }

  chmod(path: string, mode: number): Promise<void> {
    return settle(() => this.#tree.setMode(path, mode));
  }

  symlink(target: string, path: string): Promise<void> {
    return settle(() => this.#tree.makeLink(target, path));
  }

  link(existing: string, path: string): Promise<void> {
    return settle(() => this.#tree.linkFile(existing, path));
  }

  readlink(path: string): Promise<string> {
    return settle(() => {
      const node = this.#tree.node(path, { operation: "readlink", keepLast: true });
      if (node.type !== "link") throw new FileError("EINVAL", { operation: "readlink", path });
      return node.target;
    });
  }

  realpath(path: string): Promise<string> {
    return settle(() => {
      const place = this.#tree.place(path, { operation: "realpath" });
      if (place.node === undefined) throw new FileError("ENOENT", { operation: "realpath", path });
      return place.path;
    });
  }

  utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    return settle(() => this.#tree.setTime(path, mtime.getTime()));
  }
}

function toByteString(text: string): ByteString {
  return text as unknown as ByteString;
}

/** Errors reject. */
function settle<T>(run: () => T): Promise<T> {
  return Promise.try(run);
}

const byText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;

function statOf(node: TreeNode): FsStat {
  return {
    isFile: node.type === "file",
    isDirectory: node.type === "folder",
    isSymbolicLink: node.type === "link",
    mode: node.mode,
    size: sizeOf(node),
    mtime: new Date(node.mtimeMs),
    ino: node.inode,
    dev: 1,
  };
}

const sizeOf = (node: FileNode | FolderNode | Extract<TreeNode, { type: "link" }>): number =>
  node.type === "file" ? node.size : node.type === "link" ? node.target.length : 0;

const encodingOf = (options: WriteOptions | ReadOptions): string =>
  (typeof options === "string" ? options : options?.encoding) ?? "utf8";

const isUtf8 = (encoding: string): boolean => encoding === "utf8" || encoding === "utf-8";

function encode(content: Content, encoding: string): Uint8Array {
  if (typeof content !== "string") return content;
  return Buffer.from(content, toBufferEncoding(encoding));
}

function decode(bytes: Uint8Array<ArrayBuffer>, encoding: string): string {
  if (isUtf8(encoding)) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(toBufferEncoding(encoding));
}

/** just-bash names encodings as Node does. */
function toBufferEncoding(encoding: string): BufferEncoding {
  return Buffer.isEncoding(encoding) ? encoding : "utf8";
}

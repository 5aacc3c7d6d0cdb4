/** Types of the parts that we use of Emscripten's file system: its own are loose. */

import type { PyodideAPI } from "pyodide";

/** A node as Emscripten keeps it; ours add nothing to it. */
export interface EmscriptenNode {
  readonly parent: EmscriptenNode;
  name: string;
  mode: number;
  node_ops: object;
  stream_ops: object;
}

export interface EmscriptenStream {
  readonly node: EmscriptenNode;
  position: number;
}

export interface EmscriptenFs {
  readonly ErrnoError: new (errno: number) => Error;
  createNode(parent: EmscriptenNode | null, name: string, mode: number): EmscriptenNode;
  getPath(node: EmscriptenNode): string;
  mount(type: object, options: object, mountpoint: string): unknown;
  unmount(mountpoint: string): void;
  analyzePath(path: string): {
    readonly exists: boolean;
    readonly object: { readonly mount: { readonly mountpoint: string } } | null;
  };
  mkdirTree(path: string): void;
}

export function asEmscriptenFs(fs: PyodideAPI["FS"]): EmscriptenFs {
  return fs as unknown as EmscriptenFs;
}

/** Kinds of nodes, in their mode. */
export const S_IFMT = 0o170000;
export const S_IFDIR = 0o040000;
export const S_IFREG = 0o100000;
export const S_IFLNK = 0o120000;

/** Numbers of errors, as WASI has them. */
export const errnos = {
  EEXIST: 20,
  EINVAL: 28,
  EISDIR: 31,
  ELOOP: 32,
  ENAMETOOLONG: 37,
  ENODEV: 43,
  ENOENT: 44,
  ENOMEM: 48,
  ENOSPC: 51,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  EPERM: 63,
} as const;

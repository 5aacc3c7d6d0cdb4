/** Errors of the file tree, in the words of Node's `fs`, which the shell's commands read. */

const texts = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  ENOTDIR: "not a directory",
  EISDIR: "illegal operation on a directory",
  ENOTEMPTY: "directory not empty",
  EINVAL: "invalid argument",
  EPERM: "operation not permitted",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  ENOSPC: "no space left on device",
} as const;

export type FileErrorCode = keyof typeof texts;

export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;

  /** `operation` is what was tried, such as `open`. */
  constructor(
    code: FileErrorCode,
    { operation, path }: { readonly operation: string; readonly path: string },
  ) {
    super(`${code}: ${texts[code]}, ${operation} '${path}'`);
    this.code = code;
  }
}

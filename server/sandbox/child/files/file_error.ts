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
  ENOMEM: "not enough memory",
} as const;

export type FileErrorCode = keyof typeof texts;

/** In the words of the C library. */
export const strerror: Readonly<Record<FileErrorCode, string>> = {
  ENOENT: "No such file or directory",
  EEXIST: "File exists",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  ENOTEMPTY: "Directory not empty",
  EINVAL: "Invalid argument",
  EPERM: "Operation not permitted",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOSPC: "No space left on device",
  ENOMEM: "Cannot allocate memory",
};

/** A message of {@link FileError} within a text; its first group is the code. */
export const fileErrorText = new RegExp(
  `(${Object.keys(texts).join("|")}): (?:${Object.values(texts).join("|")}), [a-z]+ (?:'[^'\\n]*'|<path>)'?`,
  "g",
);

export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  readonly path: string;

  /** `operation` is what was tried, such as `open`. */
  constructor(
    code: FileErrorCode,
    { operation, path }: { readonly operation: string; readonly path: string },
  ) {
    super(`${code}: ${texts[code]}, ${operation} '${path}'`);
    this.code = code;
    this.path = path;
  }
}

/** Errors of files in the words that bash and its commands have for them. */

import { FileError, fileErrorText, strerror } from "../files/file_error.ts";
import type { FileTree } from "../files/file_tree.ts";

const NOT_FOUND = strerror.ENOENT;
/** `cat: notes: No such file or directory`, also with quotes around the path. */
const notFoundLine = new RegExp(
  `^((?:[^:\\n]{1,200}: ){1,3})(['"]?)([^'"\\n:]{1,4096})\\2: ${NOT_FOUND}$`,
  "gm",
);

/** just-bash does not say why it cannot open a file for writing. */
const notOpenedLine = /^bash: ([^\n]{1,4096}): cannot open redirect target$/gm;

/** just-bash has one message for folders and for files that may not be run. */
const notRunLine = /^bash: ([^\n:]{1,4096}): Permission denied$/gm;

/** Message of commands that are left out. */
const leftOutLine = /^(bash: [^\n]{1,255}: command not) available in browser environments\..*$/gm;

export class ErrorWords {
  readonly #tree: FileTree;
  /** Where the shell stands. */
  readonly #folder: () => string;

  constructor(tree: FileTree, folder: () => string) {
    this.#tree = tree;
    this.#folder = folder;
  }

  /** Message of an error that no command has caught. */
  wordsOf(error: unknown): string {
    if (error instanceof FileError) return `bash: ${this.#shown(error.path)}: ${strerror[error.code]}\n`;
    return `bash: ${error instanceof Error ? error.message : String(error)}\n`;
  }

  /** As a model would write it: below the working folder without it. */
  #shown(path: string): string {
    const folder = this.#folder();
    return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  }

  /** Why a path cannot be run: it is a folder, or may not be. */
  #whyNotRun(path: string): string {
    return this.#whyUnreadable(path) === strerror.EISDIR ? strerror.EISDIR : "Permission denied";
  }

  /** Commands hand on what the file tree has said, and say of whatever they cannot read that it is not there. */
  mendWords(stderr: string): string {
    return stderr
      .replaceAll(leftOutLine, "$1 found")
      .replaceAll(fileErrorText, (_all, code: string) => codeText(code))
      .replaceAll(notFoundLine, (all: string, ...[before, quote, path = ""]: readonly string[]) => {
        const why = this.#whyUnreadable(path);
        return why === undefined ? all : `${before}${quote}${path}${quote}: ${why}`;
      })
      .replaceAll(notRunLine, (_all, path: string) => `bash: ${path}: ${this.#whyNotRun(path)}`)
      .replaceAll(
        notOpenedLine,
        (_all, path: string) => `bash: ${path}: ${this.#whyUnreadable(path) ?? NOT_FOUND}`,
      );
  }

  /** Undefined where it is not there, or could be read. */
  #whyUnreadable(path: string): string | undefined {
    try {
      const full = path.startsWith("/") ? path : `${this.#folder()}/${path}`;
      const { node } = this.#tree.place(full, { operation: "open" });
      if (node?.type === "folder") return strerror.EISDIR;
      return node?.type === "file" && this.#tree.isUnread(node) ? strerror.ENOMEM : undefined;
    } catch (error) {
      if (error instanceof FileError) return strerror[error.code];
      throw error;
    }
  }
}

function codeText(code: string): string {
  return new Map<string, string>(Object.entries(strerror)).get(code) ?? code;
}

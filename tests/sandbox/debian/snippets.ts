/** The snippets that are compared: the everyday scripts, and those of the folder `snippets`. */

import { scripts } from "./scripts.ts";

export interface Snippet {
  readonly name: string;
  readonly language: "bash" | "python";
  readonly code: string;
}

/** By language; each file has snippets, and above each of them a line with its name. */
const files = [
  ["bash", ["data", "files", "programs", "shell", "texts"]],
  ["python", ["python_data", "python_files", "python_tools"]],
] as const;

const MARK = "#### ";

async function readSnippets(file: string): Promise<readonly (readonly [string, string])[]> {
  const text = await Deno.readTextFile(new URL(`snippets/${file}.txt`, import.meta.url));
  return `\n${text}`.split(`\n${MARK}`).slice(1).map((part) => {
    const end = part.indexOf("\n");
    return [part.slice(0, end), `${part.slice(end + 1).trimEnd()}\n`] as const;
  });
}

/** Reads all of them. */
export async function allSnippets(): Promise<readonly Snippet[]> {
  const everyday = Object.entries(scripts).map(([name, code]) => ({ name, language: "bash" as const, code }));
  const others = files.flatMap(([language, names]) =>
    names.map(async (name) => (await readSnippets(name)).map(([name, code]) => ({ name, language, code })))
  );
  return [...everyday, ...(await Promise.all(others)).flat()];
}

/** The outcome of a run, as it is kept. */
export interface Recorded {
  readonly stdout: string;
  readonly status: number;
  /** Files and links that the snippet has written and left, by path: the beginning of the SHA-256, or a target. */
  readonly files: Readonly<Record<string, string>>;
}

/** Files whose bytes have times or versions of programs in them: that they are there is enough. */
const named = /\.(?:gz|tgz|tar|xz|zip|db|pkl)$/;
/** Folders of programs, whose files are their own. */
const own = /(?:^|\/)(?:\.git|__pycache__)\//;

export const isCompared = (path: string): boolean => !own.test(path);

export async function fingerprint(
  path: string,
  read: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  if (named.test(path)) return "there";
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await read()));
  return hash.slice(0, 6).toHex();
}

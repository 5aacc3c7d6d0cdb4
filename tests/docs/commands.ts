/** The code blocks of the documents, and how the test runs them. */

import { filesBelow } from "./architecture.ts";

const root = new URL("../../", import.meta.url);

/** The documents whose code blocks are run: README and every page of `docs/`. */
export async function pages(): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(new URL("docs/", root))) {
    if (name.endsWith(".md")) names.push(`docs/${name}`);
  }
  return ["README.md", ...names.sort()];
}

/** The documents above, and the pages for contributors in the folders below, whose code blocks are not run. */
export async function allPages(): Promise<readonly string[]> {
  const files = await filesBelow(root, "docs/");
  return ["README.md", ...files.filter((file) => file.endsWith(".md")).sort()];
}

export interface CodeBlock {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Why the block is not run, where a comment before it says so. */
  readonly notRun: string | undefined;
}

const FENCE = /(?:<!-- not run: ([^\n]*?) -->\n)?^```(\w+)\n(.*?)^```$/gms;

export async function codeBlocks(file: string): Promise<readonly CodeBlock[]> {
  const page = await Deno.readTextFile(new URL(file, root));
  return [...page.matchAll(FENCE)].map(({ 1: notRun, 2: language = "", 3: text = "", index }) => ({
    file,
    line: page.slice(0, index).split("\n").length,
    language,
    text,
    notRun,
  }));
}

/** The commands of a shell block: one each line, comments and continued lines taken into account. */
export function commandsOf({ text }: CodeBlock): readonly string[] {
  return text.replaceAll("\\\n", " ").split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
}

/** Anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const headings = page.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, text = ""]) =>
      text.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    ),
  );
}

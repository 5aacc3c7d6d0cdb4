/** Texts and names of the product's sources, in which those of the documents are looked up. */

const root = new URL("../../", import.meta.url);
const read = (file: string) => Deno.readTextFile(new URL(file, root));

/** Stands for what differs from one text to the next. */
const GAP = "…";
/** Shorter pieces of a text between two gaps stand in many files. */
const PIECE_CHARS = 8;
/** Each text has a piece of so many characters, so that a search for it finds its place. */
const LONGEST_PIECE_CHARS = 10;

/** Paths of the product's source files, without tests and what is built or installed. */
async function sourceFiles(endings: RegExp): Promise<readonly string[]> {
  const files = ["main.ts"];
  const walk = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
      const path = `${folder}/${name}`;
      if (isDirectory && name !== "node_modules" && name !== "dist") await walk(path);
      else if (endings.test(name) && !/_test\.tsx?$/.test(name)) files.push(path);
    }
  };
  for (const folder of ["server", "shared", "console"]) await walk(folder);
  return files;
}

/** Texts of a source file as users read them: without comments and with joined lines as one. */
export const readable = (source: string): string =>
  source
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")
    .replaceAll(/["`]\s*\+\s*["`]/g, "")
    .replaceAll('\\"', '"');

/** Readable texts of the product's source files by path. */
export async function productTexts(): Promise<ReadonlyMap<string, string>> {
  const files = await sourceFiles(/\.tsx?$/);
  return new Map(await Promise.all(files.map(async (file) => [file, readable(await read(file))] as const)));
}

const piecesOf = (text: string): readonly string[] =>
  text.split(GAP).map((piece) => piece.trim()).filter(({ length }) => length >= PIECE_CHARS);

/** Whether one source file has all pieces of a text. */
export function isInProduct(text: string, texts: ReadonlyMap<string, string>): boolean {
  const pieces = piecesOf(text);
  if (!pieces.some(({ length }) => length >= LONGEST_PIECE_CHARS)) return false;
  return texts.values().some((source) => pieces.every((piece) => source.includes(piece)));
}

/** Names of several words in small letters, as fields, values and files have them: `max_tokens`, `web-fetch`. */
const SEVERAL_WORDS = /[a-z][a-z\d]*(?:[_-][a-z\d]+)+/g;
/** Names of one word: a text or a key of its own. */
const ONE_WORD = /["'`]([a-z][a-z\d]+)["'`]|\b([a-z][a-z\d]+)\??:/g;

/** All such names of the product's sources, data and settings. */
export async function productNames(): Promise<ReadonlySet<string>> {
  const files = await sourceFiles(/\.(?:tsx?|jsonc?|py)$/);
  const names = new Set<string>();
  for (const file of [...files, "deno.json", "tollgate.example.jsonc"]) {
    const text = await read(file);
    for (const [name] of text.matchAll(SEVERAL_WORDS)) names.add(name);
    for (const [, quoted, key = ""] of text.matchAll(ONE_WORD)) names.add(quoted ?? key);
  }
  return names;
}

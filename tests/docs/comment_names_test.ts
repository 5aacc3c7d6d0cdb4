/** Names in comments: what a comment writes in backticks as a name of the code has to be one. */

import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { sourceFiles } from "../support/source_files.ts";

const root = new URL("../../", import.meta.url);

/** Names of other programs, and made-up ones of texts and identifiers. */
const foreign: ReadonlySet<string> = new Set([
  "Authorization",
  "Cookie",
  "Deno.uid",
  "NoSuchKey",
  "November",
  "Origin",
  "PascalCase",
  "PyYAML",
  "asUsage",
  "camelCase",
  "camelCase2",
  "expireIn",
  "getWeather",
  "setImmediate",
  "throttlingException",
  "toBytes",
]);

interface SourceFile {
  readonly path: string;
  readonly comments: readonly string[];
  /** Identifiers of its code, also those inside its texts. */
  readonly words: ReadonlySet<string>;
  /** Paths of the files that it imports. */
  readonly imports: readonly string[];
}

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line);

function readSource(path: string): SourceFile {
  const lines = Deno.readTextFileSync(new URL(path, root)).split("\n");
  const code = lines.filter((line) => !isComment(line)).join("\n");
  return {
    path,
    comments: lines.filter(isComment),
    words: new Set(code.match(/[A-Za-z_$][\w$]*/g)),
    imports: [...code.matchAll(/from "(\.[^"]+)"/g)].map(([, target = ""]) =>
      normalize(join(dirname(path), target))
    ),
  };
}

/**
 * Names of a comment that are spelled as only code spells them: `camelCase`, `PascalCase`, `call()`. Words in small
 * letters and with underscores are mostly those of an API.
 */
function namesIn(comment: string): readonly string[] {
  return [...comment.matchAll(/`([^`]+)`|\{@link ([^}]+)\}/g)].flatMap(([, quoted, linked]) => {
    const name = quoted ?? linked ?? "";
    const isName = /^#?[A-Za-z$][A-Za-z0-9$]*(?:\.#?[A-Za-z$][A-Za-z0-9$]*)*(?:\(\))?$/.test(name);
    return isName && /[a-z][A-Z]|\(\)$|^[A-Z][a-z]/.test(name) ? [name] : [];
  });
}

const partsOf = (name: string): readonly string[] => name.replace("()", "").replaceAll("#", "").split(".");

/** Lists the names of comments that neither the file's folder nor a file that it imports has. */
function missingNames(files: readonly SourceFile[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const byFolder = Map.groupBy(files, ({ path }) => dirname(path));
  const isKnown = ({ path, imports }: SourceFile, word: string): boolean =>
    byFolder.get(dirname(path))?.some(({ words }) => words.has(word)) === true ||
    imports.some((target) => byPath.get(target)?.words.has(word) === true);
  return files.flatMap((file) =>
    file.comments.flatMap(namesIn)
      .filter((name) => !foreign.has(name) && !partsOf(name).every((part) => isKnown(file, part)))
      .map((name) => `${file.path}: ${name}`)
  );
}

Deno.test("comments name what the code has", () => {
  const files = sourceFiles(root);
  assert.ok(files.length > 1_000);
  assert.deepEqual(missingNames(files.map(readSource)), []);
});

Deno.test("a comment's name is looked up in its folder and in what the file imports", () => {
  const source = (path: string, more: Partial<SourceFile>): SourceFile => ({
    path,
    comments: [],
    words: new Set(),
    imports: [],
    ...more,
  });
  const other = source("b/two.ts", { words: new Set(["renderRequest"]) });
  const comments = [
    "/** As `renderRequest` says; see `wordsOf()`, {@link Wire}, `set -e`, `max_tokens` and `on`. */",
  ];
  const one = source("a/one.ts", { comments, words: new Set(["wordsOf"]), imports: ["b/two.ts"] });
  assert.deepEqual(missingNames([one, other]), ["a/one.ts: Wire"]);
  assert.deepEqual(missingNames([{ ...one, imports: [] }, other]), [
    "a/one.ts: renderRequest",
    "a/one.ts: Wire",
  ]);
});

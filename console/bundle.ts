/**
 * Bundles the console into `dist/`: modules split by page with names that carry a hash, source maps, a gzip form of
 * every text file, and the manifest that `server/api/console` serves by. The argument is the hash of the sources.
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { distFolder, manifestUrl } from "./build_sources.ts";

interface BuiltFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const folder = fileURLToPath(new URL("./", import.meta.url));

const types: ReadonlyMap<string, string> = new Map([
  ["css", "text/css; charset=utf-8"],
  ["html", "text/html; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["map", "application/json"],
  ["svg", "image/svg+xml"],
]);

const options: esbuild.BuildOptions = {
  absWorkingDir: folder,
  nodePaths: [`${folder}node_modules`],
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  sourcemap: "linked",
  // The oldest browsers that know light-dark() and CSS nesting: nothing has to be rewritten for them.
  target: ["chrome123", "firefox120", "safari17.5"],
  outdir: "dist",
  legalComments: "none",
  logLevel: "silent",
};

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

async function bundle(entry: esbuild.BuildOptions): Promise<readonly BuiltFile[]> {
  const { outputFiles = [] } = await esbuild.build({ ...options, ...entry });
  return outputFiles.map(({ path, contents }) => ({ name: nameOf(path), bytes: new Uint8Array(contents) }));
}

const hashed = {
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
} as const;

function entryOf(files: readonly BuiltFile[], pattern: RegExp): string {
  const found = files.find(({ name }) => pattern.test(name));
  if (found === undefined) throw new Error(`The bundle has no file like ${pattern}`);
  return found.name;
}

/** The page, with the names of its files put in. */
function renderPage(files: readonly BuiltFile[]): BuiltFile {
  const template = Deno.readTextFileSync(new URL("index.html", import.meta.url));
  const html = template
    .replace("{theme}", entryOf(files, /^theme-.*\.js$/))
    .replace("{script}", entryOf(files, /^main-.*\.js$/))
    .replace("{style}", entryOf(files, /^main-.*\.css$/))
    .replace("{icon}", entryOf(files, /^icon-.*\.svg$/));
  return { name: "index.html", bytes: new TextEncoder().encode(html) };
}

function describe({ name, bytes }: BuiltFile) {
  const gzip = gzipSync(bytes, { level: 9 });
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  const type = types.get(name.slice(name.lastIndexOf(".") + 1)) ?? "application/octet-stream";
  return {
    gzip,
    entry: { type, size: bytes.length, gzip: gzip.length, etag, immutable: name !== "index.html" },
  };
}

/** The manifest is written last: every file that it names is there then. */
function writeDist(files: readonly BuiltFile[], sources: string): void {
  Deno.mkdirSync(distFolder, { recursive: true });
  const kept = new Set(["manifest.json"]);
  const entries = files.map((file) => {
    const { gzip, entry } = describe(file);
    Deno.writeFileSync(new URL(file.name, distFolder), file.bytes);
    Deno.writeFileSync(new URL(`${file.name}.gz`, distFolder), new Uint8Array(gzip));
    kept.add(file.name).add(`${file.name}.gz`);
    return [file.name, entry] as const;
  });
  const partial = new URL("manifest.json.partial", distFolder);
  Deno.writeTextFileSync(
    partial,
    `${JSON.stringify({ sources, files: Object.fromEntries(entries) }, null, 2)}\n`,
  );
  Deno.renameSync(partial, manifestUrl);
  for (const { name } of [...Deno.readDirSync(distFolder)]) {
    if (!kept.has(name)) Deno.removeSync(new URL(name, distFolder), { recursive: true });
  }
}

const [sources = ""] = Deno.args;
const modules = await bundle({
  ...hashed,
  entryPoints: ["main.tsx"],
  format: "esm",
  splitting: true,
  jsx: "automatic",
  jsxImportSource: "preact",
});
const classic = await bundle({ ...hashed, entryPoints: ["settings/theme.ts"], format: "iife" });
const styles = await bundle({ ...hashed, entryPoints: [{ in: "styles/main.css", out: "main" }] });
const icon = await bundle({
  ...hashed,
  entryPoints: ["icon.svg"],
  loader: { ".svg": "copy" },
  sourcemap: false,
});
const files = [...modules, ...classic, ...styles, ...icon];
writeDist([...files, renderPage(files)], sources);
await esbuild.stop();

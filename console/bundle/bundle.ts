/**
 * Bundles the console into `dist/`: modules split by page with names that carry a hash, source maps, a gzip form of
 * every text file, and the manifest that `server/api/console` serves by. The argument is the hash of the sources.
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { joinGroups, moduleGraph } from "./bundle_groups.ts";
import { groupingPlugin, zodPlugin } from "./bundle_plugin.ts";
import { distFolder, manifestUrl } from "../build_sources.ts";

interface BuiltFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const MAIN = "main.tsx";
const folder = fileURLToPath(new URL("../", import.meta.url));

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

interface Bundle {
  readonly files: readonly BuiltFile[];
  readonly metafile: esbuild.Metafile;
}

async function bundle(entry: esbuild.BuildOptions): Promise<Bundle> {
  const { outputFiles = [], metafile } = await esbuild.build({ ...options, ...entry });
  if (metafile === undefined) throw new Error("The bundler has told nothing of what it has built");
  const files = outputFiles.map(({ path, contents }) => ({
    name: nameOf(path),
    bytes: new Uint8Array(contents),
  }));
  return { files, metafile };
}

/** The modules of the frame and of the pages: once to find out who shares what, then in groups. */
async function bundleModules(): Promise<Bundle> {
  const modules: esbuild.BuildOptions = {
    ...hashed,
    entryPoints: [MAIN],
    format: "esm",
    splitting: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [zodPlugin(folder)],
  };
  const graph = moduleGraph((await bundle(modules)).metafile, MAIN);
  const plugin = groupingPlugin({ folder, pages: graph.pages, groups: joinGroups(graph) });
  return await bundle({ ...modules, plugins: [zodPlugin(folder), plugin] });
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

/** Files that a module of the console is loaded from, itself the last: those that it imports run before. */
function filesOf({ outputs }: esbuild.Metafile, entry: string): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && !found.has(next)) visit(next);
    }
    found.add(path);
  };
  const [own] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  if (own === undefined) throw new Error(`The bundle has no file of ${entry}`);
  visit(own);
  return [...found].map(nameOf);
}

/** Pages as they are addressed: those below `/console` by their name, the overview at `/console` itself. */
function pageEntries({ outputs }: esbuild.Metafile): readonly (readonly [name: string, entry: string])[] {
  return Object.values(outputs).flatMap(({ entryPoint = "" }) => {
    const [, name] = /^pages\/([a-z_]+)\.tsx$/.exec(entryPoint) ?? [];
    return name === undefined ? [] : [[`${name}.html`, entryPoint] as const];
  });
}

interface PageInput {
  readonly name: string;
  /** Scripts that are loaded at once, before those that ask for them have run. */
  readonly preloads: readonly string[];
}

/** A page, with the names of its files put in. */
function renderPage(files: readonly BuiltFile[], { name, preloads }: PageInput): BuiltFile {
  const template = Deno.readTextFileSync(new URL("../index.html", import.meta.url));
  const html = template
    .replace("{theme}", entryOf(files, /^theme-.*\.js$/))
    .replace("{script}", entryOf(files, /^main-.*\.js$/))
    .replace("{style}", entryOf(files, /^main-.*\.css$/))
    .replace("{icon}", entryOf(files, /^icon-.*\.svg$/))
    .replace(
      "{preloads}",
      preloads.map((one) => `<link rel="modulepreload" href="/console/assets/${one}">`).join(""),
    );
  return { name, bytes: new TextEncoder().encode(html) };
}

/** The page of every address: each preloads its own scripts, and one that is not known those of the frame. */
function renderPages(files: readonly BuiltFile[], { metafile }: Bundle): readonly BuiltFile[] {
  const frame = filesOf(metafile, MAIN).slice(0, -1);
  const rows = pageEntries(metafile).map(([name, entry]) => ({
    name,
    preloads: [...new Set([...frame, ...filesOf(metafile, entry)])],
  }));
  return [{ name: "index.html", preloads: frame }, ...rows].map((row) => renderPage(files, row));
}

function describe({ name, bytes }: BuiltFile) {
  const gzip = gzipSync(bytes, { level: 9 });
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  const type = types.get(name.slice(name.lastIndexOf(".") + 1)) ?? "application/octet-stream";
  return {
    gzip,
    entry: { type, size: bytes.length, gzip: gzip.length, etag, immutable: !name.endsWith(".html") },
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
const modules = await bundleModules();
const classic = await bundle({ ...hashed, entryPoints: ["settings/theme.ts"], format: "iife" });
const styles = await bundle({ ...hashed, entryPoints: [{ in: "styles/main.css", out: "main" }] });
const icon = await bundle({
  ...hashed,
  entryPoints: ["icon.svg"],
  loader: { ".svg": "copy" },
  sourcemap: false,
});
const files = [modules, classic, styles, icon].flatMap((one) => one.files);
writeDist([...files, ...renderPages(files, modules)], sources);
await esbuild.stop();

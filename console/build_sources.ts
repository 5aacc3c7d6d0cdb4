/** Which files the console is built from, and whether what is built is up to date. */

import { createHash } from "node:crypto";

const consoleFolder = new URL("./", import.meta.url);
const sharedFolder = new URL("../shared/", import.meta.url);

/** Where the built files are. */
export const distFolder = new URL("./dist/", import.meta.url);
export const manifestUrl = new URL("manifest.json", distFolder);

const isSource = (name: string) =>
  /\.(tsx?|css|html|json|svg|lock)$/.test(name) && !/_test\.tsx?$/.test(name);
const skippedFolders: ReadonlySet<string> = new Set(["dist", "node_modules"]);

function listSources(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return skippedFolders.has(name) ? [] : listSources(new URL(`${name}/`, folder));
    return isSource(name) ? [new URL(name, folder)] : [];
  });
}

/** SHA-256 over the names and contents of every source file, as hexadecimal digits. */
export function hashSources(): string {
  const hash = createHash("sha256");
  const files = [...listSources(consoleFolder), ...listSources(sharedFolder)].map(({ href }) => href).sort();
  for (const href of files) {
    const content = Deno.readFileSync(new URL(href));
    hash.update(`${href.slice(consoleFolder.href.length - "console/".length)}\0${content.length}\0`).update(
      content,
    );
  }
  return hash.digest("hex");
}

/** Hash of the sources that the built files were made from; undefined where nothing is built. */
export function builtSourcesHash(): string | undefined {
  try {
    const manifest: unknown = JSON.parse(Deno.readTextFileSync(manifestUrl));
    return isManifest(manifest) ? manifest.sources : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isManifest(value: unknown): value is { readonly sources: string } {
  return typeof value === "object" && value !== null && "sources" in value &&
    typeof value.sources === "string";
}

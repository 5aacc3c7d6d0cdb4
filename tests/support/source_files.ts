/** The sources: TypeScript files below `server/`, `shared/`, `console/` and `tests/`. */

const skipped: ReadonlySet<string> = new Set(["node_modules", "dist"]);

/** Paths from the checkout's folder, sorted. */
export function sourceFiles(root: URL): readonly string[] {
  const filesIn = (folder: string): readonly string[] =>
    [...Deno.readDirSync(new URL(`${folder}/`, root))].flatMap(({ name, isDirectory }) => {
      if (isDirectory) return skipped.has(name) ? [] : filesIn(`${folder}/${name}`);
      return /\.tsx?$/.test(name) ? [`${folder}/${name}`] : [];
    });
  return ["server", "shared", "console", "tests"].flatMap(filesIn).sort();
}

/** The files with tests: `…_test.ts` below `server/`, `shared/`, `console/` and `tests/`. */

/** Paths from the checkout's folder, sorted. */
export async function testFiles(root: URL): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(`${folder}/`, root))) {
      if (isDirectory && name === "node_modules") continue;
      if (isDirectory) await walk(`${folder}/${name}`);
      else if (/_test\.tsx?$/.test(name)) found.push(`${folder}/${name}`);
    }
  };
  for (const folder of ["server", "shared", "console", "tests"]) await walk(folder);
  return found.sort();
}

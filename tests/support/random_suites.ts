/** The random suites: what tries other cases with another seed. */

const SEED = "tests/support/seed.ts";

/** The modules of ours that a module imports, or whose parts it exports. */
const specifiers = /^(?:import|export)\b[^;"]*"(\.[^"]+\.tsx?)"/gm;

/** Finds those of `files` that take the seed, themselves or through a module that they import; sorted as given. */
export async function randomSuites(root: URL, files: readonly string[]): Promise<readonly string[]> {
  const imports = new Map<string, readonly string[]>();
  const read = async (path: string): Promise<void> => {
    if (imports.has(path)) return;
    imports.set(path, []);
    const text = await Deno.readTextFile(new URL(path, root));
    const paths = [...text.matchAll(specifiers)].map(([, one = ""]) =>
      new URL(one, new URL(path, root)).pathname.slice(root.pathname.length)
    );
    imports.set(path, paths);
    for (const one of paths) await read(one);
  };
  for (const file of files) await read(file);
  const drawing = new Set([SEED]);
  for (let size = 0; size < drawing.size;) {
    size = drawing.size;
    for (const [path, paths] of imports) if (paths.some((one) => drawing.has(one))) drawing.add(path);
  }
  return files.filter((file) => drawing.has(file));
}

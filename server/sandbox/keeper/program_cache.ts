/**
 * A folder of Deno's for the keeper's programs, in which Deno can store nothing for them. The Cache API and
 * `localStorage` need no permission: what one container put there, on the machine's disk, another one could read.
 */

/** Below Deno's own folder, to whose packages and compiled modules it leads. */
const FOLDER = "tollgate-programs";
/** Deno makes a folder of this name for what programs store: a file in its place refuses all of it. */
const STORED = "location_data";
/** Files in which Deno keeps what it has analysed and compiled; SQLite makes those beside them where they lead to. */
const isCacheFile = (name: string) => /^[a-z0-9_]{1,60}_cache_v[0-9]{1,3}$/.test(name);

/** Prepares the folder and returns its path. */
export function programCache(denoDir: string): string {
  const folder = `${denoDir}/${FOLDER}`;
  try {
    prepare(denoDir, folder);
    return folder;
  } catch (error) {
    // Where this user may write nothing, as in a container image, Deno can store nothing for a program either.
    if (isRefused(error)) return denoDir;
    throw error;
  }
}

function prepare(denoDir: string, folder: string): void {
  for (const name of ["npm", "gen", FOLDER]) Deno.mkdirSync(`${denoDir}/${name}`, { recursive: true });
  block(`${folder}/${STORED}`);
  const files = [...Deno.readDirSync(denoDir)].filter(({ name, isFile }) => isFile && isCacheFile(name));
  for (const name of ["npm", "gen", ...files.map(({ name }) => name)]) {
    link(`../${name}`, `${folder}/${name}`);
  }
}

/** Another gateway's keeper may be quicker with each of them. */
function block(path: string): void {
  Deno.openSync(path, { write: true, create: true }).close();
}

function link(target: string, path: string): void {
  try {
    Deno.symlinkSync(target, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable ||
    (error instanceof Error && "code" in error && error.code === "EROFS");
}

/** Programs that read manifests, where this machine has them. */

/** Path of a program; undefined where no folder of PATH has it. */
export function findOnPath(program: string): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return folders.map((folder) => `${folder}/${program}`).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    // Not there, or not for us.
    return false;
  }
}

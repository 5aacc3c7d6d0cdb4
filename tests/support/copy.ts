/** Copies a file, or a folder with all that is in it but what bears one of the names that are left out. */
export function copySync(
  from: string,
  to: string,
  leftOut: ReadonlySet<string> = new Set(),
): void {
  if (!Deno.statSync(from).isDirectory) return Deno.copyFileSync(from, to);
  Deno.mkdirSync(to);
  for (const { name } of Deno.readDirSync(from)) {
    if (!leftOut.has(name)) copySync(`${from}/${name}`, `${to}/${name}`, leftOut);
  }
}

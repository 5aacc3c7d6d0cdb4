/** Copies a file, or a folder with all that is in it. */
export function copySync(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) return Deno.copyFileSync(from, to);
  Deno.mkdirSync(to);
  for (const { name } of Deno.readDirSync(from)) copySync(`${from}/${name}`, `${to}/${name}`);
}

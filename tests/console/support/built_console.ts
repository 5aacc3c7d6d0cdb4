/** The console as `deno task build:console` leaves it. */

import * as z from "zod";

const root = new URL("../../../", import.meta.url);
const manifestUrl = new URL("console/dist/manifest.json", root);

const manifestSchema = z.object({
  sources: z.string(),
  files: z.record(z.string(), z.object({ size: z.number(), gzip: z.number() })),
});
export type ConsoleManifest = Readonly<z.infer<typeof manifestSchema>>;

let built: Promise<ConsoleManifest> | undefined;

/** Builds the console where its sources have changed, once for each test file. Throws where there is none then. */
export function buildConsole(): Promise<ConsoleManifest> {
  return built ??= build();
}

async function build(): Promise<ConsoleManifest> {
  const args = ["task", "--quiet", "build:console"];
  const { stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "null" }).output();
  const said = new TextDecoder().decode(stderr).trim();
  // The task ends well in any case, because gateways start without a console too.
  if (said.includes("Cannot build")) throw new Error(said);
  return manifestSchema.parse(JSON.parse(await Deno.readTextFile(manifestUrl)));
}

/** The text of a built file. */
export async function readBuilt(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(name, manifestUrl));
}

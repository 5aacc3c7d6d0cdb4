/** The newest published versions of the packages of package.json, and of which day they are. */

import * as z from "zod";

export const packages = {
  limits: "@earendil-works/pi-ai",
  prices: "@pydantic/genai-prices",
} as const;

/** Where package.json stands, and what Deno runs with besides this process's environment. */
export interface Place {
  readonly folder: URL;
  readonly env?: Readonly<Record<string, string>>;
}

const here: Place = { folder: new URL("./", import.meta.url) };
const names = Object.values(packages);

interface Ran {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runDeno(args: readonly string[], { folder: cwd, env }: Place = here): Promise<Ran> {
  const command = new Deno.Command(Deno.execPath(), { args: [...args], cwd, env: { NO_COLOR: "1", ...env } });
  const { success, stdout, stderr } = await command.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  return { success, stdout: text(stdout), stderr: text(stderr) };
}

/** Pins the newest versions in package.json and the lock file. Throws where the registry does not answer. */
export async function takeNewest(place: Place = here): Promise<void> {
  const { success, stderr } = await runDeno(
    ["update", "--latest", "--frozen-lockfile=false", ...names],
    place,
  );
  if (!success) throw new Error(`Cannot update the catalog's packages: ${stderr}`);
}

/** Lists what is published and not pinned, in lines; empty when there is nothing. */
export async function newerVersions(place: Place = here): Promise<string> {
  const { success, stdout, stderr } = await runDeno(["outdated", "--latest", ...names], place);
  if (!success) throw new Error(`Cannot ask for newer versions of the catalog's packages: ${stderr}`);
  return stdout;
}

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const info = z.object({ npmCache: z.string() });
const published = z.object({ time: z.record(z.string(), z.string()) });

export interface Version {
  /** With its version. */
  readonly name: string;
  /** `YYYY-MM-DD`, on which it was published. */
  readonly date: string;
}

/** The versions that are pinned. The day stands in what Deno keeps of the registry's answer. */
export async function pinnedVersions(
  place: Place = here,
): Promise<Readonly<Record<keyof typeof packages, Version>>> {
  const { dependencies } = manifest.parse(await readJson(new URL("package.json", place.folder)));
  const { stdout } = await runDeno(["info", "--json"], place);
  const { npmCache } = info.parse(JSON.parse(stdout));
  const versionOf = async (name: string): Promise<Version> => {
    const version = dependencies[name] ?? "";
    const moment = await publishedAt(npmCache, { name, version });
    return { name: `${name} ${version}`, date: moment.slice(0, 10) };
  };
  return { limits: await versionOf(packages.limits), prices: await versionOf(packages.prices) };
}

interface Pinned {
  readonly name: string;
  readonly version: string;
}

async function publishedAt(npmCache: string, { name, version }: Pinned): Promise<string> {
  for await (const { name: registry } of Deno.readDir(npmCache)) {
    const file = `${npmCache}/${registry}/${name}/registry.json`;
    const { data } = published.safeParse(await readJson(file).catch(missing));
    const moment = data?.time[version];
    if (moment !== undefined) return moment;
  }
  throw new Error(
    `Cannot tell when ${name} ${version} was published: run this task where the registry answers`,
  );
}

/** A registry that this package is not from. */
function missing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

const readJson = async (file: string | URL): Promise<unknown> => JSON.parse(await Deno.readTextFile(file));

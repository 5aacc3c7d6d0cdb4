/**
 * `deno task catalog`: takes the newest published packages of prices and limits, makes `server/providers/catalog/snapshot.json`
 * anew from them and from the tables in `hand/`, and prints what changed. With `--check` nothing is written: it prints
 * which newer versions there are, and what the pinned ones would change. `--rates` is explained in make.ts.
 */

import { newerVersions, pinnedVersions, runDeno, takeNewest } from "./newest.ts";

const root = new URL("../../", import.meta.url);
const sourcesFile = new URL("./hand/sources.json", import.meta.url);

async function noteVersions(): Promise<void> {
  const sources = JSON.parse(await Deno.readTextFile(sourcesFile));
  const { limits, prices } = await pinnedVersions();
  await Deno.writeTextFile(sourcesFile, JSON.stringify({ ...sources, prices, limits }, undefined, 2) + "\n");
}

if (import.meta.main) {
  const checks = Deno.args.includes("--check");
  if (checks) {
    console.log(await newerVersions() || "The newest versions of the packages are pinned.");
  } else {
    await takeNewest();
    await noteVersions();
  }
  const made = await runDeno([
    "run",
    "--config",
    "tests/catalog/deno.json",
    "--no-prompt",
    "--allow-read",
    "--allow-env",
    "--allow-write=server/providers/catalog/snapshot.json,tests/catalog/hand",
    "tests/catalog/make.ts",
    ...Deno.args,
  ], { folder: root });
  if (made.stdout !== "") console.log(made.stdout);
  if (!made.success) {
    console.error(made.stderr);
    Deno.exit(1);
  }
}

/** Where Chromium is. Apart from how it is started, because what drives it needs more permissions. */

import { need } from "../../support/need.ts";

/** The first needs half of the processor's time of the others: it is the same engine without a browser's windows. */
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
] as const;

/** `CHROMIUM`, or the first of the usual names on PATH. */
export function findChromium(): string | undefined {
  const configured = Deno.env.get("CHROMIUM");
  if (configured) return isFile(configured) ? configured : undefined;
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return names.flatMap((name) => folders.map((folder) => `${folder}/${name}`)).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** True where Chromium is installed; else what needs it is skipped, and the output says so. */
export function hasChromium(purpose = "The stories of the console"): boolean {
  return need(findChromium() !== undefined, {
    what: "Chromium (apt-get install chromium-headless-shell, or CHROMIUM=path)",
    for: purpose,
  });
}

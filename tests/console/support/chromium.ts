/** Chromium, which the console's stories run in: where it is, and how it is started. */

import { type Browser, chromium } from "playwright-core";
import { need } from "../../support/need.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"] as const;

/** A name for this machine that a browser does not take for it. */
export const OTHER_HOST = "gateway.test";

/** The rest of what a browser does by itself is switched off, and no name but this machine's resolves. */
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
] as const;

/** `CHROMIUM`, or the first of the usual names on PATH. */
function findChromium(): string | undefined {
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

/** True where Chromium is installed; else the stories are skipped, and the output says so. */
export function hasChromium(): boolean {
  return need(findChromium() !== undefined, {
    what: "Chromium (apt-get install chromium, or CHROMIUM=path)",
    for: "The stories of the console",
  });
}

export interface ChromiumOptions {
  /** A port of the loopback for other programs that drive the browser; none by default. */
  readonly debuggingPort?: number;
}

/** Throws where there is no Chromium. */
export async function launchChromium({ debuggingPort }: ChromiumOptions = {}): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("Cannot start Chromium: it is not installed");
  const port = debuggingPort === undefined ? [] : [`--remote-debugging-port=${debuggingPort}`];
  return await chromium.launch({ executablePath, args: [...flags, ...port] });
}

/** How Chromium is started, which the console's stories run in. */

import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./find_chromium.ts";

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

/** Scripts of each page: few, small, and its own loaded before the session is known. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { buildConsole } from "./support/built_console.ts";
import { type ConsoleStory, consoleStory, signedIn } from "./support/console_story.ts";

const MOST_FILES = 8;
/** Bytes on the way to the browser. */
const MOST_BYTES = 110 * 1024;

/** Names of the scripts that a page asks for. */
function watchScripts(page: Page): Set<string> {
  const scripts = new Set<string>();
  page.on("request", (request) => {
    const [, name] = /\/console\/assets\/([^/]+\.js)$/.exec(new URL(request.url()).pathname) ?? [];
    if (name !== undefined) scripts.add(name);
  });
  return scripts;
}

async function assertFew(scripts: ReadonlySet<string>, path: string): Promise<void> {
  const { files } = await buildConsole();
  const sizes = [...scripts].map((name) => files[name]?.gzip ?? NaN);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`${path}: ${scripts.size} scripts, ${(bytes / 1024).toFixed(1)} KiB`);
  assert(scripts.size <= MOST_FILES, `${path} loads ${[...scripts].join(", ")}`);
  assert(bytes <= MOST_BYTES, `${path} loads ${bytes} bytes of scripts`);
}

/** Opens an address; the answer about the session waits until the page's own script was asked for. */
async function openHeld(
  { page, open }: ConsoleStory,
  { path, own }: { path: string; own: RegExp | undefined },
) {
  await page.goto("about:blank");
  const scripts = watchScripts(page);
  const isPreloaded = () => own === undefined || [...scripts].some((name) => own.test(name));
  await page.route("**/console/session", async (route) => {
    await until(isPreloaded, { what: `the script of ${path} before the session` });
    await route.continue();
  });
  await open(path);
  return scripts;
}

consoleStory(
  { name: "every page loads at most 8 scripts of 110 KiB, its own before the session", session: "manager" },
  async (story) => {
    const { page, open } = story;
    await open();
    await signedIn(page);
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('nav a')].map((link) => link.pathname)",
    );
    assert(links.length >= 6);
    for (const link of links) {
      const path = link.replace("/console", "");
      const own = new RegExp(`^${path.slice(1) || "overview"}-`);
      const scripts = await openHeld(story, { path, own });
      await page.locator("main h1").waitFor();
      await page.getByRole("link", { name: /./ }).and(page.locator("[aria-current=page]")).first().waitFor();
      await until(() => story.watch.pending === 0, { what: `the end of ${path}` });
      await assertFew(scripts, `/console${path}`);
      await page.unrouteAll({ behavior: "wait" });
      page.removeAllListeners("request");
    }
  },
);

consoleStory(
  { name: "the page of a key holder loads at most 8 scripts", session: "key holder" },
  async (story) => {
    const scripts = await openHeld(story, { path: "", own: undefined });
    await story.page.getByRole("heading", { name: "What holds for it" }).waitFor();
    // The address is the managers' too, whose script is preloaded.
    const own = new Set([...scripts].filter((name) => !name.startsWith("overview-")));
    await assertFew(own, "/console");
  },
);

consoleStory({ name: "the sign-in page loads at most 8 scripts" }, async (story) => {
  const scripts = await openHeld(story, { path: "/nowhere", own: undefined });
  await story.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await assertFew(scripts, "/console/nowhere");
});

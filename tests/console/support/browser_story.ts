/** A test in a real browser: one browser for each test file, a fresh profile and a watched page for each story. */

import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import { hasChromium } from "./find_chromium.ts";
import { PageWatch } from "./page_watch.ts";
import { screenshotFolder } from "./screenshots.ts";
import { PATIENCE_MS } from "../../support/until.ts";

export type Theme = "light" | "dark";

export interface ViewOptions {
  /** CSS pixels. */
  readonly width?: 1280 | 900 | 360;
  /** Theme of the system that the browser runs on. */
  readonly theme?: Theme;
}

export interface BrowserStory {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly watch: PageWatch;
}

let browser: Browser | undefined;

Deno.test.beforeAll(async () => {
  if (hasChromium()) browser = await launchChromium();
});

Deno.test.afterAll(async () => {
  await browser?.close();
});

/** Registers a story; it is skipped where there is no browser. */
export function browserStory(
  options: ViewOptions & { readonly name: string },
  run: (story: BrowserStory) => Promise<void>,
): void {
  const { name } = options;
  Deno.test({ name, ignore: !hasChromium(), fn: () => withPage(options, run) });
}

/** Runs `run` on a new page, then fails for what the browser reported besides. */
export async function withPage(
  { width = 1280, theme = "light", name }: ViewOptions & { readonly name: string },
  run: (story: BrowserStory) => Promise<void>,
): Promise<void> {
  if (browser === undefined) throw new Error("Cannot run a story: the browser was not started");
  const context = await browser.newContext({
    viewport: { width, height: width === 360 ? 740 : 800 },
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "Europe/Berlin",
  });
  const watch = new PageWatch();
  try {
    context.setDefaultTimeout(PATIENCE_MS);
    watch.follow(context);
    const page = await context.newPage();
    await watch.followPolicy(page);
    await run({ page, context, watch }).catch((cause) => fail({ name, page, watch }, cause));
    watch.check();
  } finally {
    await context.close();
  }
}

interface FailedStory {
  readonly name: string;
  readonly page: Page;
  readonly watch: PageWatch;
}

/** Throws with what the browser reported until then, and leaves a picture where pictures are wanted. */
async function fail({ name, page, watch }: FailedStory, cause: unknown): Promise<never> {
  const folder = screenshotFolder();
  if (folder !== undefined && !page.isClosed()) {
    const file = `${folder}/failed-${name.replaceAll(/[^A-Za-z0-9]+/g, "-")}.png`;
    await page.screenshot({ path: file, fullPage: true });
  }
  const problems = watch.problems.length === 0 ? "nothing" : `\n  ${watch.problems.join("\n  ")}`;
  const message = cause instanceof Error ? cause.message : String(cause);
  throw new Error(`${message}\nAt ${page.url()} the browser reported ${problems}`, { cause });
}

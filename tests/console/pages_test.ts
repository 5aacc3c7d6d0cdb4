/** What holds on every page: accessible in both themes and widths, nothing beyond the edge, pictures on request. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { assertAccessible } from "./support/accessibility.ts";
import { consoleStory } from "./support/console_story.ts";
import { fillForViews, pageViews } from "./support/page_views.ts";
import { screenshots } from "./support/screenshots.ts";

/** Throws when the page scrolls sideways. */
async function assertFits(page: Page): Promise<void> {
  const [content = 0, width = 0] = await page.evaluate<number[]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  assert(content <= width, `${page.url()} is ${content} px wide in a window of ${width} px`);
}

/** Themes, and widths at which the frame changes: at 900 px the rail shows icons only. */
const looks = [["light", 1280], ["light", 900], ["light", 360], ["dark", 1280], ["dark", 360]] as const;

for (const { name, session, path, show } of pageViews) {
  for (const [theme, width] of looks) {
    consoleStory(
      { name: `${name} is accessible and fits, ${theme}, ${width} px`, session, theme, width },
      async (story) => {
        const { page, open } = story;
        await fillForViews(story);
        await open(path);
        await show(page);
        await assertAccessible(page);
        await assertFits(page);
        if (theme === "light" && width === 1280) await screenshots(page, name);
      },
    );
  }
}

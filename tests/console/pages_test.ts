/** Checks every page: accessible in both themes and widths, nothing beyond the edge, pictures on request. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { assertAccessible } from "./support/accessibility.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";
import { fillForViews, pageViews } from "./support/page_views.ts";
import { screenshots } from "./support/screenshots.ts";
import { until } from "../support/until.ts";

/** Parts of a page that reach beyond the room that their container has for content. */
const tooWide = `(() => {
  const room = ({ parentElement: parent }) => {
    const { paddingRight, borderRightWidth } = getComputedStyle(parent);
    return parent.getBoundingClientRect().right - parseFloat(paddingRight) - parseFloat(borderRightWidth);
  };
  const parts = ".tabs > *, .filters > *, .segments, .segments > *, .table-foot > *, .dialog-foot > *, " +
    ".panel-body, .dialog-body, .panel-foot > *, .panel-foot p, .callout > *, .callout li, .notices li > *";
  return [...document.querySelectorAll(parts)]
    .filter((part) => part.getClientRects().length > 0 && !part.matches(".unseen"))
    .filter((part) => part.getBoundingClientRect().right > room(part) + 1 || part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.className + ": " + part.textContent.trim().slice(0, 60));
})()`;

/** Buttons and titles that stay where they are while other things scroll, of which the middle is not to be seen. */
const covered = `(() => {
  const front = document.querySelector("dialog[open]") ?? document.querySelector(".panel") ?? document;
  const parts = ".dialog-foot button, .panel-head h2, .panel-head button, .panel-foot button, .bulk button, .bar button";
  return [...front.querySelectorAll(parts)].filter((part) => part.getClientRects().length > 0).filter((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return found === null || !(part.contains(found) || found.contains(part));
  }).map((part) => part.className + ": " + (part.textContent.trim() || part.ariaLabel));
})()`;

/** Throws when the page scrolls sideways, or a part of it is cut or covered. */
async function assertFits(page: Page): Promise<void> {
  const [content = 0, width = 0] = await page.evaluate<number[]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  assert(content <= width, `${page.url()} is ${content} px wide in a window of ${width} px`);
  assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `${page.url()} at ${width} px`);
  assert.deepEqual(await page.evaluate<string[]>(covered), [], `${page.url()}: covered at ${width} px`);
}

/** A view is opened anew at the first look of each row, and changes to the others as a window or a system does. */
const looks = [
  [["light", 1280], ["light", 900], ["dark", 1280]],
  [["light", 360], ["dark", 360]],
] as const;

type Look = typeof looks[number][number];

/** Two frames are painted, no colour is on its way from one theme to the other, and no list waits for its rows. */
const isPainted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))" +
  ".then(() => !document.getAnimations().some((one) => one instanceof CSSTransition)" +
  " && document.querySelector('[aria-busy=true]') === null)";

/** Waits until the page stays as it is, however long a busy browser takes. */
async function atRest({ page, watch }: Pick<ConsoleStory, "page" | "watch">): Promise<void> {
  const rests = async () =>
    watch.pending === 0 && await page.evaluate<boolean>(isPainted) && watch.pending === 0;
  await until(rests, { what: "that the page is at rest" });
}

/** A window of 1,280 × 800 px, twice enlarged. */
const ENLARGED = { width: 640, height: 400 };

async function setLook(page: Page, [theme, width]: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: width === 360 ? 740 : 800 });
}

async function take({ page, watch }: ConsoleStory, look: Look): Promise<void> {
  await setLook(page, look);
  await atRest({ page, watch });
}

for (const { name, session, path, show, once = false } of pageViews) {
  for (const [at, shown] of (once ? looks.map((look) => [look]) : [looks]).entries()) {
    const part = once ? ` (${at + 1})` : "";
    consoleStory(
      { name: `${name} is accessible and fits, at every width and in both themes${part}`, session },
      async (story) => {
        const { page, open } = story;
        await fillForViews(story);
        for (const [first, ...others] of shown) {
          await page.goto("about:blank");
          await setLook(page, first);
          await open(path);
          await show(page);
          for (const look of [first, ...others]) {
            await take(story, look);
            await assertAccessible(page);
            await assertFits(page);
          }
          if (first[1] !== 1280) continue;
          await page.setViewportSize(ENLARGED);
          await atRest(story);
          await assertFits(page);
          await take(story, first);
          await screenshots(page, name);
        }
      },
    );
  }
}

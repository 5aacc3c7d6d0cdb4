/** The console without a pointer. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { consoleStory, signedIn } from "./support/console_story.ts";
import { fillForViews } from "./support/page_views.ts";

/** Text or label of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
  );
}

const holdsFocus = (page: Page, text: string) =>
  until(async () => await focused(page) === text, { what: `the focus on ${text}` });

const isOpen = async (page: Page) => await page.getByRole("dialog").count() > 0;

/** Presses Tab until something has the focus. */
async function moveFocusTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if (await focused(page) === text) return;
  }
  assert.fail(`Tab does not lead to ${text}`);
}

consoleStory(
  { name: "a manager signs in by keyboard, and the skip link leads to the content" },
  async (story) => {
    const { page, gateway, open } = story;
    await open("/keys");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.keyboard.type(gateway.managementKey);
    await page.keyboard.press("Enter");
    await signedIn(page);
    await moveFocusTo(page, "Skip to content");
    await page.keyboard.press("Enter");
    assert.match(page.url(), /#main$/);
  },
);

consoleStory({
  name: "the palette finds a key and opens it, and Esc gives the focus back to its row",
  session: "manager",
}, async (story) => {
  const { page, open } = story;
  await fillForViews(story);
  await open("/keys");
  await page.getByText(/^Keys 1 to /).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search, or go to" }).waitFor();
  await page.keyboard.type("notebooks");
  await page.getByRole("group", { name: "Keys" }).getByRole("option", { name: /research-notebooks/ })
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "research-notebooks" }).waitFor();
  await holdsFocus(page, "research-notebooks");
  await page.keyboard.press("Escape");
  await until(() => !page.url().includes("key="), { what: "the panel's closing" });
  await holdsFocus(page, "research-notebooks");
});

consoleStory({
  name: "/ leads to the search, arrows from row to row, Alt with arrows from panel to panel",
  session: "manager",
}, async (story) => {
  const { page, open } = story;
  await fillForViews(story);
  await open("/keys?sort=name");
  await page.getByText(/^Keys 1 to /).waitFor();
  await page.keyboard.press("/");
  await holdsFocus(page, "Search keys");
  const rows = await page.locator("tbody .row-link").allInnerTexts();
  assert(rows.length >= 4);
  await moveFocusTo(page, String(rows[0]));
  await page.keyboard.press("ArrowDown");
  await holdsFocus(page, String(rows[1]));
  await page.keyboard.press("ArrowUp");
  await holdsFocus(page, String(rows[0]));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: String(rows[0]) }).waitFor();
  await page.keyboard.press("Alt+ArrowDown");
  await page.getByRole("heading", { name: String(rows[1]) }).waitFor();
});

/** Opens the first row, and presses Esc in the moment in which its panel is on the page, before the browser shows it. */
const OPEN_AND_CLOSE = `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (document.querySelector(".panel h2") === null) return;
    observer.disconnect();
    document.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, key: "Escape" }));
    resolve();
  });
  observer.observe(document.body, { subtree: true, childList: true });
  document.querySelector("tbody .row-link").click();
})`;

for (const path of ["/keys", "/guardrails"]) {
  consoleStory(
    { name: `Esc closes a panel of ${path} that was opened in this moment`, session: "manager" },
    async (story) => {
      const { page, open } = story;
      await fillForViews(story);
      await open(path);
      await page.locator("tbody .row-link").first().waitFor();
      await page.evaluate(OPEN_AND_CLOSE);
      await page.locator(".panel").waitFor({ state: "detached" });
      assert.equal(await page.locator("tbody .row-link").count() > 0, true);
    },
  );
}

/** Tells in the moment in which a dialog is on the page whether it has the focus. */
const hasFocusAtOnce = (open: string) =>
  `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (document.querySelector("dialog") === null) return;
    observer.disconnect();
    resolve(document.activeElement?.closest("dialog[open]") !== null);
  });
  setTimeout(() => resolve("no dialog came"), 20_000);
  observer.observe(document.body, { subtree: true, childList: true });
  ${open};
})`;

const press = (name: string) =>
  `[...document.querySelectorAll("button")].find((one) => one.innerText === "${name}").click()`;

consoleStory(
  { name: "what is typed in the moment in which a dialog opens reaches it", session: "manager" },
  async (story) => {
    const { page, open } = story;
    for (const [path, name] of [["/byok", "New provider key"], ["/keys", "New key"]] as const) {
      await open(path);
      await page.getByRole("button", { name }).waitFor();
      assert.equal(await page.evaluate(hasFocusAtOnce(press(name))), true, name);
    }
    const palette = 'dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, key: "k", ctrlKey: true }))';
    await open("/keys");
    await page.getByRole("button", { name: "New key" }).waitFor();
    assert.equal(await page.evaluate(hasFocusAtOnce(`document.${palette}`)), true, "palette");
  },
);

consoleStory({ name: "a manager raises a limit by keyboard", session: "manager" }, async (story) => {
  const { page, gateway, open } = story;
  await fillForViews(story);
  await open("/keys");
  await page.getByText(/^Keys 1 to /).waitFor();
  await moveFocusTo(page, "research-notebooks");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "research-notebooks" }).waitFor();
  await page.getByLabel("Limit", { exact: true }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("75.5");
  await page.getByText("$75.50").first().waitFor();
  await moveFocusTo(page, "Save changes");
  await page.keyboard.press("Enter");
  await page.getByText("The key was saved.").waitFor();
  const { body } = await managed(gateway, { call: "GET /keys" });
  assert.match(JSON.stringify(body.data), /"name":"research-notebooks"[^}]*"limit":75\.5\b/);
});

consoleStory({
  name: "a manager creates a key by keyboard, and Esc does not lose its text",
  session: "manager",
}, async (story) => {
  const { page, gateway, open } = story;
  await open("/keys");
  await page.getByText(/^Keys 1 to /).waitFor();
  await moveFocusTo(page, "New key");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Key By keyboard is ready" }).waitFor();
  const text = await page.getByRole("dialog").locator("code").first().innerText();
  assert.match(text, /^tg-api-[A-Za-z0-9_-]{43}$/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  assert.equal(await isOpen(page), true);
  const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${text}` } });
  await response.body?.cancel();
  assert.equal(response.status, 200);
  await page.getByRole("checkbox", { name: "I have stored it" }).focus();
  await page.keyboard.press("Space");
  await moveFocusTo(page, "Done");
  await page.keyboard.press("Enter");
  await until(async () => !await isOpen(page), { what: "the dialog's closing" });
});

/** Stories of managers with the settings, sessions, credits and the backup. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { managed } from "../support/manage.ts";
import { consoleStory, keyOf, openSession, signedIn, signIn } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const hostile = '<img src=x onerror=alert(1)> \u202ereversed =cmd()"';

const tabs = (page: Page) => page.getByRole("navigation", { name: "Settings" });

consoleStory(
  {
    name: "settings in force tell where each value came from, and no secret",
    session: "reader",
    gateway: { env: { OPENAI_API_KEY: "planted0123456789Secret", TOLLGATE_LOCAL: "on" } },
  },
  async ({ page, open }) => {
    await open("/settings");
    await page.getByText(/^\d+ of \d+ settings$/).waitFor();
    await page.getByText("Data folder").first().waitFor();
    await screenshots(page, "settings");
    await page.keyboard.press("/");
    await page.keyboard.type("OPENAI_API_KEY");
    const row = page.getByRole("row", { name: /^OPENAI_API_KEY/ });
    await row.getByText("set", { exact: true }).waitFor();
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("From", { exact: true }).selectOption("the environment");
    await page.waitForURL(/from=environment/);
    await page.reload();
    await page.getByText(/^\d+ of \d+ settings$/).waitFor();
    await page.getByRole("row", { name: /^TOLLGATE_LOCAL/ }).locator("bdi", { hasText: /^on$/ })
      .waitFor();
    assert.equal(await page.getByText("planted").count(), 0);
    await page.getByRole("searchbox").fill("nobody");
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await page.getByText(/^\d+ settings$/).waitFor();
  },
);

consoleStory(
  { name: "sessions are listed, ended one by one and all others together", session: "manager" },
  async ({ page, gateway, open }) => {
    const reading = await keyOf(gateway, "reader");
    for (const key of [reading, gateway.apiKey, gateway.managementKey]) await openSession({ gateway, key });
    await open("/settings?view=sessions");
    await page.getByText("4 sessions", { exact: true }).waitFor();
    assert.equal(await page.getByText("this session", { exact: true }).count(), 1);
    await screenshots(page, "settings-sessions");
    await page.getByRole("button", { name: "End session of For looking only" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The session of For looking only was ended.").waitFor();
    await page.getByText("3 sessions", { exact: true }).waitFor();
    await page.getByRole("button", { name: "End all others" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^2 other sessions end at once/).waitFor();
    await dialog.getByRole("button", { name: "End all others" }).click();
    await page.getByText("1 session", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "End all others" }).isDisabled(), true);
    await page.reload();
    await signedIn(page);
  },
);

consoleStory(
  { name: "a read-only manager ends sessions of its own key only", session: "reader" },
  async ({ page, gateway, open }) => {
    await openSession({ gateway, key: gateway.managementKey });
    await open("/settings?view=sessions");
    await page.getByText("2 sessions", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: /^End session/ }).count(), 0);
    assert.equal(await page.getByRole("button", { name: "End all others" }).isDisabled(), true);
    await page.getByText("A read-only key can end sessions of its own only.").waitFor();
    assert.equal(await page.getByText("Sign-in link").count(), 0);
    await tabs(page).getByText("Credits").click();
    await page.getByText("Credits were never changed.").waitFor();
    assert.equal(await page.getByLabel("Amount").count(), 0);
    await tabs(page).getByText("Backup").click();
    await page.getByText("A read-only key cannot download a backup.").waitFor();
  },
);

consoleStory(
  { name: "a sign-in link made anew signs another browser in, once", session: "manager" },
  async ({ page, context, open, gateway, watch }) => {
    watch.expect(/ 401 .*\/console\/session\)/);
    await open("/settings?view=sessions");
    await page.getByRole("button", { name: "Make a sign-in link" }).click();
    await page.getByText("The link is ready").waitFor();
    const link = await page.locator(".secret code").innerText();
    await screenshots(page, "settings-link");
    assert.match(link, new RegExp(`^${gateway.url}/console#[A-Za-z0-9_-]{43}$`));
    await page.goto("about:blank");
    await context.clearCookies();
    await page.goto(link);
    await signedIn(page);
    assert.equal(new URL(page.url()).hash, "");
    await page.goto("about:blank");
    await context.clearCookies();
    await page.goto(link);
    await page.getByText(/was used already or is older than 10 minutes/).waitFor();
  },
);

consoleStory(
  { name: "credits are changed with a reason, told before, and cleared", session: "manager" },
  async ({ page, gateway, open }) => {
    await open("/settings?view=credits");
    await page.getByText(/^No limit: credits were never added/).waitFor();
    await page.getByRole("button", { name: "Change credits" }).click();
    await page.getByText("Say why.").waitFor();
    await page.getByText(/^Write an amount in USD that is not 0/).waitFor();
    await page.getByLabel("Amount", { exact: true }).fill("250");
    await page.getByLabel("Reason", { exact: true }).fill(hostile);
    await page.keyboard.press("Enter");
    await page.getByText("The credits were changed.").waitFor();
    await page.getByRole("row").getByText(hostile).waitFor();
    await page.getByLabel("Amount", { exact: true }).fill("-40.50");
    await page.getByText("Left after it: $209.50.").waitFor();
    await page.getByLabel("Reason", { exact: true }).fill("Taken back");
    await page.getByRole("button", { name: "Change credits" }).click();
    await page.getByText("2 of 2, newest first").waitFor();
    await screenshots(page, "settings-credits");
    const credits = async () => Object((await managed(gateway, { call: "GET /credits" })).body).data;
    assert.equal((await credits()).total_credits, 209.5);
    await page.getByRole("button", { name: "Clear credits" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Clear credits" }).click();
    await page.getByText(/^No limit: credits were never added/).waitFor();
    assert.equal((await credits()).unlimited, true);
    assert.equal(await page.locator("img").count(), 0);
  },
);

consoleStory(
  { name: "a backup is offered once the key's name is typed", session: "manager" },
  async ({ page, open }) => {
    await open("/settings?view=backup");
    const button = page.getByRole("button", { name: "Download backup" });
    assert.equal(await button.isDisabled(), true);
    await page.getByLabel("Type First management key to confirm").fill("First management");
    assert.equal(await button.isDisabled(), true);
    await page.getByLabel("Type First management key to confirm").fill("First management key");
    const link = page.getByRole("link", { name: "Download backup" });
    await screenshots(page, "settings-backup");
    assert.equal(await link.getAttribute("href"), "/console/api/backup?confirm=First+management+key");
  },
);

consoleStory(
  { name: "where the store is not embedded, the page says how to back it up", session: "manager" },
  async ({ page, open }) => {
    await open("/settings?view=backup");
    const settings = await page.evaluate("fetch('/console/api/settings').then((answer) => answer.json())");
    const { data } = Object(settings);
    const json = { data: { ...data, store: { ...data.store, kind: "postgres" } } };
    await page.route("**/console/api/settings", (route) => route.fulfill({ json }));
    await page.reload();
    await page.getByText(/^The store is PostgreSQL: back it up by/).waitFor();
    assert.equal(await page.getByRole("button", { name: "Download backup" }).count(), 0);
  },
);

consoleStory(
  { name: "the doctor runs by a button, and a read-only manager reads what it found", session: "manager" },
  async ({ page, open, context, gateway }) => {
    await open("/settings?view=doctor");
    await page.getByText("Not checked yet").waitFor();
    await page.getByRole("button", { name: "Run the checks" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(/^Checked \d+ \w+ \d{4}, /).waitFor();
    await page.getByRole("row", { name: /^store/ }).getByText("Well").waitFor();
    await screenshots(page, "settings-doctor");
    await signIn(context, { gateway, key: await keyOf(gateway, "reader") });
    await page.reload();
    await page.getByText(/^Checked \d+ \w+ \d{4}, /).waitFor();
    assert.equal(await page.getByRole("button", { name: "Run the checks" }).count(), 0);
  },
);

consoleStory(
  { name: "the history of credits is read page by page, with the keyboard", session: "reader" },
  async ({ page, gateway, open }) => {
    for (let at = 1; at <= 27; at++) {
      const body = { amount_usd: 1, reason: at === 1 ? '<b>first</b> \u202ereversed =cmd()"' : `Part ${at}` };
      await managed(gateway, { call: "POST /credits", body });
    }
    await open("/settings?view=credits");
    await page.getByText("Changes 1 to 25 of 27, newest first").waitFor();
    await page.getByText("Part 27", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Next", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Changes 26 to 27 of 27, newest first").waitFor();
    await page.getByText("<b>first</b>").waitFor();
    await page.getByRole("button", { name: "Previous", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Changes 1 to 25 of 27, newest first").waitFor();
    assert.equal(await page.getByRole("button", { name: "Change credits" }).count(), 0, "a reader looks");
  },
);

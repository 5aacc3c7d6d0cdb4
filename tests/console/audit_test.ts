/** Stories of managers with the audit log. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createKey, managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const rows = (page: Page) => page.locator("tbody tr:has(.row-link)");
const panel = (page: Page) => page.getByRole("complementary").filter({ has: page.getByRole("heading") });

const hostile = '<img src=x onerror=alert(1)> \u202ereversed =cmd()"'.padEnd(100, "W");

consoleStory(
  {
    name: "changes are found by action, target and actor, in the address, and shown before → after",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    const { record } = await createKey(gateway, { name: "billing", limit: 250 });
    await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { limit: 320, name: hostile } });
    const { body } = await managed(gateway, { call: "POST /management-keys", body: { name: "Robot" } });
    await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Lab", slug: "lab" },
      token: String(body.key),
    });
    await open("/audit");
    await page.getByText(/^Changes 1 to /).waitFor();
    await rows(page).filter({ hasText: "Created a workspace" }).getByText("Robot").waitFor();
    await screenshots(page, "audit");
    await page.getByLabel("Action", { exact: true }).selectOption("Changed a key");
    await page.getByText("Changes 1 to 1 of 1", { exact: true }).waitFor();
    await page.waitForURL(/operation=keys.update/);
    await page.reload();
    await rows(page).first().locator("td").first().click();
    await panel(page).getByRole("heading", { name: "Changed a key" }).waitFor();
    const said = (await panel(page).getByLabel("Before → after").innerText()).replaceAll(/\s+/g, " ");
    assert.match(said, /limit 250 → ?becomes 320/);
    assert.match(said, /name billing → ?becomes <img src=x onerror=alert\(1\)>/);
    assert.equal(await page.locator("img").count(), 0);
    const tooWide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert.equal(await page.evaluate(tooWide), 0, "a long name breaks in the panel's head");
    await screenshots(page, "audit-panel");
    await panel(page).getByRole("button", { name: "All changes of this target" }).click();
    await page.waitForURL((url) => url.searchParams.get("target") === record.hash);
    await page.getByLabel("Action", { exact: true }).selectOption("any");
    await page.getByText("Changes 1 to 2 of 2", { exact: true }).waitFor();
    await page.getByLabel("Action", { exact: true }).selectOption("Created a guardrail");
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await page.getByLabel("Actor", { exact: true }).selectOption("Robot");
    await page.getByText("Changes 1 to 1 of 1", { exact: true }).waitFor();
    await rows(page).first().getByRole("button", { name: "Created a workspace" }).click();
    await panel(page).getByRole("link", { name: "Open it" }).click();
    await panel(page).getByRole("heading", { name: "Lab" }).waitFor();
  },
);

consoleStory(
  { name: "the time of the audit log is narrowed, and what is filtered is exported", session: "reader" },
  async ({ page, gateway, open }) => {
    await createKey(gateway, { name: hostile });
    await createKey(gateway, { name: "=cmd()" });
    await open("/audit?type=key");
    await page.getByText(/^Changes 1 to \d of \d$/).waitFor();
    await page.getByLabel("Time", { exact: true }).selectOption("last 1 h");
    await page.waitForURL(/range=1h/);
    await page.getByLabel("Time", { exact: true }).selectOption("between …");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("From time").fill("10:00");
    assert.equal(
      await dialog.getByRole("button", { name: "Show" }).isDisabled(),
      true,
      "a time without a day",
    );
    await dialog.getByLabel("Until day").fill("2020-01-01");
    await dialog.getByLabel("From time").fill("");
    await dialog.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/until=2020-01-01/);
    await page.getByText("No change found").waitFor();
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await page.getByLabel("Target", { exact: true }).selectOption("key");
    await page.getByText(/^Changes 1 to \d of \d$/).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByText("Export", { exact: true }).click();
    await page.getByRole("link", { name: "CSV" }).click();
    const csv = await Deno.readTextFile(await (await saved).path());
    assert.match(csv, /^id,at,operation,actor,request_id,subject,before,after\r?\n/);
    assert.match(csv, /keys\.create/);
    assert.doesNotMatch(csv, /management_keys\.create/, "the filters hold for the export");
    await page.keyboard.press("/");
    await page.keyboard.type("nobody");
    await page.getByText("No change found").waitFor();
  },
);

consoleStory(
  { name: "the audit log goes on page by page, by keyboard", session: "manager" },
  async ({ page, gateway, open }) => {
    for (let n = 0; n < 30; n++) await createKey(gateway, { name: `key ${n}` });
    await open("/audit?operation=keys.create");
    await page.getByText(/^Changes 1 to 25 of 3\d$/).waitFor();
    await page.getByRole("button", { name: "Next" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(/^Changes 26 to 3\d of 3\d$/).waitFor();
    await page.reload();
    await page.getByText(/^Changes 26 to 3\d of 3\d$/).waitFor();
    await rows(page).first().getByRole("button").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await panel(page).getByRole("heading", { name: "Created a key" }).waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await panel(page).getByText("key 4", { exact: true }).first().waitFor();
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "detached" });
  },
);

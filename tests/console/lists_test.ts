/** Lists: their place and filters stand in the address, and they say there is nothing only where there is nothing. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { makeToolFile } from "../support/folder_gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";

const names = (page: Page) => page.locator("tbody .row-link").allInnerTexts();

consoleStory(
  { name: "the page of a list stands in the address, and survives a reload", session: "manager" },
  async ({ page, gateway, open }) => {
    for (let at = 0; at < 44; at++) {
      await createKey(gateway, { name: `key ${String(at).padStart(2, "0")}` });
    }
    await open("/keys?sort=name");
    for (const from of [21, 41]) {
      await page.getByRole("button", { name: "Next", exact: true }).click();
      await page.getByText(new RegExp(`^Keys ${from} to `)).waitFor();
    }
    const shown = await names(page);
    await page.reload();
    await page.getByText(/^Keys 41 to 45/).waitFor();
    assert.deepEqual(await names(page), shown);
    await page.getByRole("button", { name: "Previous", exact: true }).click();
    await page.getByText(/^Keys 1 to 20/).waitFor();
    assert(!page.url().includes("cursor="));
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText(/^Keys 21 to 40/).waitFor();
    await page.getByRole("searchbox", { name: "Search keys" }).fill("12");
    await page.getByText(/^Keys 1 to 1/).waitFor();
    assert(!page.url().includes("cursor="));
  },
);

consoleStory(
  { name: "keys without spend follow those with it, the youngest first", session: "manager" },
  async ({ page, gateway, open }) => {
    const { key } = await createKey(gateway, { name: "spender" });
    await (await ask({ url: gateway.url, apiKey: key }, { model: "mock/model", input: "Hi" })).text();
    for (const name of ["older", "younger"]) await createKey(gateway, { name });
    await open("/keys?sort=usage_monthly");
    await page.getByText(/^Keys 1 to 4/).waitFor();
    assert.deepEqual(await names(page), ["spender", "younger", "older", "First API key"]);
  },
);

consoleStory(
  {
    name: "keys are filtered by state, and an empty filter does not say that there is no key",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    await createKey(gateway, { name: "closed", limit: 0 });
    await open("/keys");
    await page.getByText(/^Keys 1 to 2/).waitFor();
    await page.getByLabel("State", { exact: true }).selectOption("limit reached");
    await page.getByText(/^Keys 1 to 1/).waitFor();
    assert.deepEqual(await names(page), ["closed"]);
    assert.match(page.url(), /state=reached/);
    await page.getByLabel("State", { exact: true }).selectOption("expiring soon");
    await page.getByText("No key found").waitFor();
    assert.equal(await page.getByText("No key yet").count(), 0);
    await page.getByRole("button", { name: "Show all keys" }).click();
    await page.getByText(/^Keys 1 to 2/).waitFor();
  },
);

consoleStory(
  { name: "files are listed newest first", session: "manager" },
  async ({ page, gateway, open }) => {
    for (const filename of ["first.csv", "second.csv", "third.csv"]) {
      await makeToolFile(gateway, new TextEncoder().encode(filename), { filename });
    }
    await open("/files");
    await page.getByRole("button", { name: "first.csv" }).waitFor();
    assert.deepEqual(await names(page), ["third.csv", "second.csv", "first.csv"]);
  },
);

consoleStory(
  { name: "workspaces are searched and sorted, by the address", session: "manager" },
  async ({ page, gateway, open }) => {
    for (const name of ["Research", "Support desk", "Accounting"]) {
      const slug = name.toLowerCase().replace(" ", "-");
      await managed(gateway, { call: "POST /workspaces", body: { name, slug } });
    }
    await open("/workspaces");
    await page.getByRole("button", { name: "Research", exact: true }).waitFor();
    await page.getByRole("columnheader", { name: "Workspace" }).getByRole("button").click();
    await page.waitForURL(/sort=name/);
    assert.deepEqual(await names(page), ["Accounting", "Default", "Research", "Support desk"]);
    await page.getByRole("searchbox", { name: "Search workspaces" }).fill("desk");
    await page.getByText("1 of 4 workspaces").waitFor();
    assert.deepEqual(await names(page), ["Support desk"]);
    await page.reload();
    await page.getByText("1 of 4 workspaces").waitFor();
  },
);

consoleStory(
  { name: "default guardrails that ask for nothing are behind a chip", session: "manager" },
  async ({ page, gateway, open }) => {
    const guardrail = { name: "Desk", workspace_id: null, limit_usd: 5, reset_interval: "daily" };
    await managed(gateway, { call: "POST /guardrails", body: guardrail });
    await open("/guardrails");
    await page.getByRole("button", { name: "Desk", exact: true }).waitFor();
    const chip = page.getByRole("button", { name: "1 default that asks for nothing" });
    assert.equal(await chip.getAttribute("aria-pressed"), "false");
    assert.deepEqual(await names(page), ["Desk"]);
    await chip.click();
    await page.getByRole("button", { name: "Default", exact: true }).waitFor();
    assert.equal((await names(page)).length, 2);
    assert.match(page.url(), /idle=shown/);
  },
);

consoleStory(
  { name: "a key without a limit has no meter", session: "manager" },
  async ({ page, gateway, open }) => {
    await createKey(gateway, { name: "limited", limit: 5 });
    await open("/keys");
    await page.getByText(/^Keys 1 to 2/).waitFor();
    assert.equal(await page.locator("tbody svg.meter").count(), 1);
  },
);

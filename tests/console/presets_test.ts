/** Stories of the page of presets. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

type Gateway = ConsoleStory["gateway"];

const panel = (page: Page) => page.getByRole("complementary").filter({ has: page.getByRole("heading") });
const dialog = (page: Page) => page.getByRole("dialog");
const body = (page: Page) => dialog(page).getByLabel("Body of the request (JSON)");
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).last().click();
const version = (page: Page, number: number) =>
  panel(page).getByRole("heading", { name: `Version ${number}`, exact: true }).waitFor();

async function save(gateway: Gateway, fields: object): Promise<void> {
  const call = "POST /presets/support/chat/completions";
  assert.equal((await managed(gateway, { call, body: fields })).status, 200);
}

const newest = async (gateway: Gateway) =>
  Object((await managed(gateway, { call: "GET /presets/support" })).body.data);

/** Whether the button that saves is in front of everything else, a message included. */
const isSaveFree = `(() => {
  const button = document.querySelector(".panel-foot .button-primary");
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const front = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return document.querySelector(".toast") !== null && button.contains(front);
})()`;

consoleStory(
  { name: "a preset is saved, refused at its fields, versioned, used again and deleted", session: "manager" },
  async ({ page, gateway, open, watch }) => {
    watch.expect(/ 400 .*\/presets\//);
    await open("/presets");
    await page.getByText("No preset yet").waitFor();
    await click(page, "New preset");
    await dialog(page).getByLabel("Slug").fill("No slug");
    await body(page).fill('{"model": "mock/model",\n "temperature": }');
    await click(page, "Save preset");
    await dialog(page).getByText(/^It is no JSON: /).waitFor();
    await dialog(page).locator('input[aria-invalid="true"]').waitFor();
    await dialog(page).getByLabel("Slug").fill("support");
    await body(page).fill('{"model": "mock/model", "temperature": 9}');
    await click(page, "Save preset");
    await dialog(page).locator(".hint-bad").getByText(/temperature is 9/).waitFor();
    await screenshots(page, "preset-refused");
    await body(page).fill('{"model": "mock/model", "temperature": 1, "instructions": "Be brief."}');
    assert.equal(await dialog(page).locator(".hint-bad").count(), 0, "it was about another text");
    await dialog(page).getByLabel("Request to").selectOption("Responses");
    await click(page, "Save preset");
    await version(page, 1);
    await panel(page).getByText("Be brief.", { exact: true }).waitFor();

    await click(page, "Save new version");
    await click(page, "Save version");
    await page.getByText("Version 1 says this already.").waitFor();
    await click(page, "Save new version");
    await body(page).fill((await body(page).inputValue()).replace('"temperature": 1', '"temperature": 0.5'));
    await click(page, "Save version");
    await version(page, 2);
    await save(gateway, { model: "mock/model" });
    await page.reload();
    await version(page, 3);
    await panel(page).getByRole("button", { name: "Version 1", exact: true }).click();
    await version(page, 1);
    await click(page, "Use version 1 again");
    await version(page, 4);
    const { config, system_prompt } = (await newest(gateway)).designated_version;
    assert.deepEqual([config, system_prompt], [{ model: "mock/model", temperature: 1 }, "Be brief."]);

    await panel(page).getByLabel("Name", { exact: true }).fill("Support desk");
    await panel(page).getByLabel("State", { exact: true }).selectOption("Archived");
    await click(page, "Save changes");
    await page.getByText("The preset was saved.").waitFor();
    await panel(page).getByLabel("Description").fill("For customers");
    assert.equal(
      await page.evaluate<boolean>(isSaveFree),
      true,
      "no message covers the button of the next save",
    );
    await click(page, "Save changes");
    await panel(page).getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
    const { name, status, description } = await newest(gateway);
    assert.deepEqual([name, status, description], ["Support desk", "archived", "For customers"]);
    await page.getByRole("row", { name: /Support desk.*4.*Archived/ }).waitFor();
    await click(page, "Delete preset");
    await click(page, "Delete preset support");
    await page.getByText("No preset yet").waitFor();
  },
);

consoleStory(
  { name: "what is typed stays while the connection is lost and the preset is deleted", session: "manager" },
  async ({ page, context, gateway, open, watch }) => {
    watch.expect(/ERR_INTERNET_DISCONNECTED/);
    watch.expect(/ 404 .*\/presets\/support/);
    await save(gateway, { model: "mock/model" });
    await open("/presets");
    await page.getByRole("button", { name: "support", exact: true }).click();
    await version(page, 1);
    await panel(page).getByLabel("Description").fill("typed");
    await context.setOffline(true);
    await click(page, "Save changes");
    await page.getByText(/No connection to the gateway since/).waitFor();
    await panel(page).getByText("The preset was not saved").waitFor();
    await managed(gateway, { call: "DELETE /presets/support" });
    await context.setOffline(false);
    await click(page, "Try now");
    await page.getByText("No preset yet").waitFor();
    await click(page, "Save changes");
    await panel(page).getByText("Somebody has deleted this preset").waitFor();
    assert.equal(await panel(page).getByLabel("Description").inputValue(), "typed");
    await page.keyboard.press("Escape");
    await click(page, "Discard changes");
    await panel(page).waitFor({ state: "detached" });
  },
);

consoleStory(
  { name: "a read-only manager reads a preset, copies its name, and changes nothing", session: "reader" },
  async ({ page, context, gateway, open }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await save(gateway, { model: "mock/model", messages: [{ role: "system", content: "<img src=x>" }] });
    await open("/presets?status=disabled");
    await click(page, "Remove all filters");
    await page.getByRole("button", { name: "support", exact: true }).click();
    await panel(page).getByText("<img src=x>", { exact: true }).waitFor();
    await screenshots(page, "preset-panel-read-only");
    assert.equal(await page.getByRole("button", { name: /New|Save|Delete|Use version/ }).count(), 0);
    assert.equal(await panel(page).getByLabel("Name", { exact: true }).isDisabled(), true);
    await click(page, "Copy @preset/support");
    await panel(page).getByText("Copied").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), "@preset/support");
    await panel(page).getByRole("link", { name: "Try in playground" }).click();
    await page.getByLabel("Model", { exact: true }).waitFor();
    assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), "@preset/support");
  },
);

consoleStory(
  { name: "a receipt names its preset and version, by which requests are found", session: "reader" },
  async ({ page, gateway, open }) => {
    await save(gateway, { model: "mock/model" });
    for (const model of ["@preset/support", "mock/model"]) {
      await (await ask(gateway, { model, input: "Hi" })).text();
    }
    const rows = page.locator("tbody tr:has(.row-link)");
    await open("/requests");
    await rows.nth(1).waitFor();
    await click(page, "Filter");
    await dialog(page).getByLabel("Preset", { exact: true }).fill("support");
    await click(page, "Show requests");
    await page.waitForURL(/preset=support/);
    await until(async () => await rows.count() === 1);
    await rows.first().locator(".row-link").click();
    const about = panel(page).getByRole("region", { name: "About" });
    await about.getByRole("link", { name: "support", exact: true }).waitFor();
    await screenshots(page, "receipt-of-preset");
    await about.getByRole("link", { name: "version 1", exact: true }).click();
    await version(page, 1);
    await page.goBack();
    await page.getByRole("button", { name: "Remove filter Preset support" }).click();
    await rows.nth(1).waitFor();
  },
);

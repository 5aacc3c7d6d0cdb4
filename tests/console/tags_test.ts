/** Stories of the page of tag rules, and of the tags of requests. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const panel = (page: Page) => page.getByRole("complementary").filter({ has: page.getByRole("heading") });
const dialog = (page: Page) => page.getByRole("dialog");
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).last().click();

consoleStory(
  { name: "a tag rule is created, refused, edited and deleted", session: "manager" },
  async ({ page, gateway, open, watch }) => {
    watch.expect(/ 400 .*\/classifiers/);
    await open("/tags");
    await page.getByText("No tag rule yet").waitFor();
    await click(page, "New tag rule");
    await click(page, "Create tag rule");
    await dialog(page).getByText("A tag rule needs a name.").waitFor();
    await dialog(page).getByLabel("Name", { exact: true }).fill("Dear requests");
    await dialog(page).getByLabel("Tag", { exact: true }).fill("Not a tag");
    await dialog(page).getByLabel("Field 1").selectOption("total_cost");
    await dialog(page).getByLabel("Comparison 1").selectOption("gte");
    await dialog(page).getByLabel("Value 1").fill("0.05");
    await click(page, "Create tag rule");
    await dialog(page).getByText(/^A tag is needed: /).waitFor();
    await dialog(page).getByLabel("Tag", { exact: true }).fill("dear");
    await dialog(page).getByLabel("Value 1").fill("much");
    await click(page, "Create tag rule");
    await dialog(page).getByText("The tag rule was not created").waitFor();
    await screenshots(page, "tag-rule-refused");
    await dialog(page).getByLabel("Value 1").fill("0.05");
    await click(page, "Create tag rule");
    await panel(page).getByText("Requests with dear").waitFor();

    await click(page, "Add condition");
    await panel(page).getByLabel("Comparison 2").selectOption("in");
    await panel(page).getByLabel("Value 2").fill("mock/model, mock/other");
    await panel(page).getByRole("switch", { name: "Rule is on" }).click();
    await click(page, "Save changes");
    await page.getByText("The tag rule was saved.").waitFor();
    const { body } = await managed(gateway, { call: "GET /observability/classifiers" });
    const [rule] = Array.isArray(body.data) ? body.data : [];
    assert.deepEqual([rule.tag, rule.enabled, rule.conditions], ["dear", false, [
      { field: "total_cost", operator: "gte", value: 0.05 },
      { field: "model", operator: "in", value: ["mock/model", "mock/other"] },
    ]]);
    await page.getByRole("row", { name: /Dear requests.*Off/ }).waitFor();
    await click(page, "Delete tag rule");
    await click(page, "Delete tag rule Dear requests");
    await page.getByText("No tag rule yet").waitFor();
  },
);

consoleStory(
  { name: "a receipt shows its tags, and each narrows the list of requests", session: "reader" },
  async ({ page, gateway, open }) => {
    const conditions = [{ field: "user_id", operator: "equals", value: "ada" }];
    for (const tag of ["star", "moon"]) {
      const call = "POST /observability/classifiers";
      assert.equal((await managed(gateway, { call, body: { name: tag, tag, conditions } })).status, 201);
    }
    for (const user of ["ada", "grace"]) {
      await (await ask({ url: gateway.url, apiKey: gateway.apiKey }, {
        model: "mock/model",
        input: "Hi",
        user,
      }))
        .text();
    }
    const rows = page.locator("tbody tr:has(.row-link)");
    await open("/tags");
    await page.getByText("2 tag rules", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "New tag rule" }).count(), 0);
    await page.getByRole("button", { name: "star", exact: true }).click();
    assert.equal(await panel(page).getByLabel("Name", { exact: true }).isDisabled(), true);
    assert.equal(await page.getByRole("button", { name: /Add|Save|Delete/ }).count(), 0);
    await panel(page).getByRole("link", { name: "Requests with star" }).click();
    await page.waitForURL(/tag=star/);
    await until(async () => await rows.count() === 1);
    await rows.first().locator(".row-link").click();
    await panel(page).getByRole("link", { name: "moon", exact: true }).click();
    await page.waitForURL(/tag=moon/);
    await until(async () => await rows.count() === 1);
    await page.getByRole("button", { name: "Remove filter Tag moon" }).click();
    await rows.nth(1).waitFor();
  },
);

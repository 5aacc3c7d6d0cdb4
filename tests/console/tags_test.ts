/** Story of the page of tag rules. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { managed } from "../support/manage.ts";
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

/** Nothing that was typed is lost: neither by a save that runs, nor by a step elsewhere. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createKey, managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";

const saving = async (page: Page) => await page.getByRole("button", { name: "Save changes" }).click();
const dialog = (page: Page) => page.getByRole("dialog", { name: "Discard what you changed?" });
const keep = (page: Page) => page.getByRole("button", { name: "Keep editing" }).click();

/** Holds changes of a path back until `release`; they are refused where `refuse` says so. */
async function holdChanges(page: Page, path: string) {
  const held = Promise.withResolvers<boolean>();
  await page.route(path, async (route) => {
    if (route.request().method() === "GET") return await route.continue();
    if (await held.promise) return await route.continue();
    const error = { code: 503, message: "The store does not answer.", metadata: {} };
    await route.fulfill({ status: 503, json: { error } });
  });
  return (passes: boolean) => held.resolve(passes);
}

const forms = [
  { what: "a key", path: "/keys", api: "**/console/api/keys/*", row: "busy", field: "Name", other: "Limit" },
  {
    ...{ what: "a guardrail", path: "/guardrails", api: "**/console/api/guardrails/*", row: "Desk" },
    ...{ field: "Name", other: "Description" },
  },
  {
    ...{ what: "a workspace", path: "/workspaces", api: "**/console/api/workspaces/*", row: "Default" },
    ...{ field: "Description", other: "Model for text" },
  },
  {
    ...{ what: "a destination", path: "/destinations", api: "**/console/api/observability/destinations/*" },
    ...{ row: "Warehouse", field: "Name", other: "Part of the sessions (%)" },
  },
  {
    ...{ what: "a preset", path: "/presets", api: "**/console/api/presets/*", row: "support" },
    ...{ field: "Name", other: "Description" },
  },
  {
    ...{ what: "a tag rule", path: "/tags", api: "**/console/api/observability/classifiers/*" },
    ...{ row: "Dear", field: "Name", other: "Tag" },
  },
] as const;

for (const { what, path, api, row, field, other } of forms) {
  for (const passes of [true, false]) {
    const end = passes ? "goes through" : "is refused";
    consoleStory(
      { name: `typed into ${what} while a save runs stays when it ${end}`, session: "manager" },
      async ({ page, gateway, open, watch }) => {
        if (!passes) watch.expect(/ 503 /);
        await createKey(gateway, { name: "busy" });
        const guardrail = { name: "Desk", workspace_id: null, limit_usd: 5, reset_interval: "daily" };
        await managed(gateway, { call: "POST /guardrails", body: guardrail });
        const config = { url: "https://receipts.example/hook" };
        const destination = { type: "webhook", name: "Warehouse", config };
        await managed(gateway, { call: "POST /observability/destinations", body: destination });
        const preset = { call: "POST /presets/support/chat/completions", body: { model: "mock/model" } };
        await managed(gateway, preset);
        const conditions = [{ field: "user_id", operator: "equals", value: "ada" }];
        const rule = { name: "Dear", tag: "dear", conditions };
        await managed(gateway, { call: "POST /observability/classifiers", body: rule });
        await open(path);
        await page.getByRole("button", { name: row, exact: true }).click();
        const panel = page.getByRole("complementary", { name: row });
        await panel.getByLabel(field, { exact: true }).fill("renamed");
        const release = await holdChanges(page, api);
        await saving(page);
        const typed = page.locator("aside.panel").getByLabel(other, { exact: true });
        await typed.fill("12");
        release(passes);
        if (passes) await page.getByText(/was saved\.$/).waitFor();
        else await page.getByText("The store does not answer.").first().waitFor();
        await page.getByRole("button", { name: "Save changes" }).waitFor();
        assert.equal(await typed.inputValue(), "12");
        const first = page.locator("aside.panel").getByLabel(field, { exact: true });
        assert.equal(await first.inputValue(), "renamed");
      },
    );
  }
}

const steps: readonly {
  readonly how: string;
  readonly go: (page: Page) => Promise<void>;
  readonly at: RegExp;
}[] = [
  { how: "Esc", go: (page) => page.keyboard.press("Escape"), at: /\/keys$/ },
  {
    how: "another row",
    go: (page) => page.getByRole("button", { name: "other", exact: true }).click(),
    at: /\/keys\?key=/,
  },
  {
    how: "another page",
    go: (page) => page.getByRole("link", { name: "Guardrails", exact: true }).click(),
    at: /\/guardrails$/,
  },
  { how: "going back", go: async (page) => void await page.evaluate("history.back()"), at: /\/keys$/ },
];

for (const { how, go, at } of steps) {
  consoleStory(
    { name: `typed changes are asked about before ${how} drops them`, session: "manager" },
    async ({ page, gateway, open }) => {
      for (const name of ["busy", "other"]) await createKey(gateway, { name });
      await open("/keys");
      await page.getByRole("button", { name: "busy", exact: true }).click();
      const name = page.getByLabel("Name", { exact: true });
      await name.fill("renamed");
      const before = page.url();
      await go(page);
      await dialog(page).waitFor();
      assert.equal(await page.evaluate("document.activeElement.textContent"), "Keep editing");
      await keep(page);
      assert.equal(await name.inputValue(), "renamed");
      assert.equal(page.url(), before);
      await go(page);
      await page.getByRole("button", { name: "Discard changes" }).click();
      await page.waitForURL(at);
      assert.notEqual(page.url(), before);
      assert.equal(await page.getByText("renamed").count(), 0);
    },
  );
}

consoleStory(
  { name: "a reload asks about typed changes, and nothing is asked without them", session: "manager" },
  async ({ page, gateway, open }) => {
    await createKey(gateway, { name: "busy" });
    await open("/keys");
    await page.getByRole("button", { name: "busy", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("renamed");
    const asked: string[] = [];
    page.on("dialog", (browserDialog) => {
      asked.push(browserDialog.type());
      void browserDialog.accept();
    });
    await page.reload();
    await page.getByRole("heading", { name: "busy" }).waitFor();
    assert.deepEqual(asked, ["beforeunload"]);
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: "busy" }).waitFor({ state: "detached" });
    assert.equal(await dialog(page).count(), 0);
  },
);

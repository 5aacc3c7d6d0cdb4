/** Stories of managers with workspaces. */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { createKey, managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

consoleStory(
  { name: "a workspace is created, named, given budgets that rise, and deleted", session: "manager" },
  async ({ page, gateway, open }) => {
    await open("/workspaces");
    await page.getByRole("button", { name: "New workspace" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Document intake");
    assert.equal(await page.getByLabel("Slug").inputValue(), "document-intake");
    await page.getByRole("button", { name: "Create workspace" }).click();
    await page.getByRole("heading", { name: "Document intake" }).waitFor();
    await page.getByLabel("A day").fill("80");
    await page.getByLabel("A week").fill("40");
    await page.getByText("Has to be above a day with $80.00.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Save changes" }).isDisabled(), true);
    await page.getByLabel("A week").fill("400");
    await page.getByLabel("Model for text").fill("mock/model");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The workspace was saved.").waitFor();
    const budgets = await managed(gateway, { call: "GET /workspaces/document-intake/budgets" });
    assert.match(
      JSON.stringify(budgets.body),
      /"limit_usd":80\b.*"limit_usd":400\b|"limit_usd":400\b.*"limit_usd":80\b/,
    );
    await page.getByRole("button", { name: "Delete workspace …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete workspace Document intake" }).click();
    await page.getByText("Workspace Document intake was deleted.").waitFor();
    const gone = await managed(gateway, { call: "GET /workspaces/document-intake" });
    assert.equal(gone.status, 404);
  },
);

consoleStory(
  { name: "active keys stand in the way of a deletion, with a link to each", session: "manager" },
  async ({ page, gateway, open }) => {
    const { body } = await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Research", slug: "research" },
    });
    const { id } = Object(body.data);
    await createKey(gateway, { name: "agents-lab", workspace_id: id });
    await open("/workspaces");
    await page.getByRole("button", { name: "Delete workspace Research" }).click();
    await page.getByRole("heading", { name: "Research cannot be deleted yet" }).waitFor();
    await page.getByRole("link", { name: "agents-lab" }).click();
    await page.getByRole("heading", { name: "agents-lab" }).waitFor();
    assert.match(page.url(), /\/console\/keys\?workspace=research&key=/);
  },
);

consoleStory(
  { name: "the default workspace is deleted only when its name is typed", session: "manager" },
  async ({ page, gateway, open }) => {
    const { body } = await managed(gateway, { call: "GET /keys" });
    for (const { hash } of Object(body.data)) await managed(gateway, { call: `DELETE /keys/${hash}` });
    await open("/workspaces?delete=default");
    await page.getByRole("heading", { name: "Delete the default workspace?" }).waitFor();
    const button = page.getByRole("dialog").getByRole("button", { name: "Delete workspace Default" });
    assert.equal(await button.isDisabled(), true);
    await page.getByLabel("Type default to confirm").fill("default");
    await button.click();
    await page.getByText("Workspace Default was deleted.").waitFor();
  },
);

consoleStory(
  { name: "plugins of a workspace are set, locked and cleared", session: "manager" },
  async ({ page, gateway, open }) => {
    const plugins = async () => {
      const { body } = await managed(gateway, { call: "GET /workspaces/default" });
      return Object(body.data).default_plugins;
    };
    await open("/workspaces?open=default");
    await page.getByLabel("moderation", { exact: true }).selectOption("Locked on");
    await page.getByLabel("web", { exact: true }).selectOption("On");
    const settings = page.getByLabel("Settings of web", { exact: true });
    await settings.fill('{"max_results": 0}');
    await page.getByText("max_results is 0; at least 1 is needed.").waitFor();
    await screenshots(page, "workspace-plugins");
    assert.equal(await page.getByRole("button", { name: "Save changes" }).isDisabled(), true);
    await settings.fill('{"max_results": 3}');
    await page.getByText('moderation on (locked), web on {"max_results": 3}').waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The workspace was saved.").waitFor();
    assert.deepEqual(await plugins(), [{ id: "moderation", locked: true }, { id: "web", max_results: 3 }]);
    await page.getByLabel("moderation", { exact: true }).selectOption("When requested");
    await page.getByLabel("web", { exact: true }).selectOption("When requested");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
    assert.equal(await plugins(), null);
  },
);

consoleStory(
  { name: "members come and go", session: "manager" },
  async ({ page, open }) => {
    await open("/workspaces?open=default");
    await page.getByLabel("User to add").fill("ada@example.com");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Remove ada@example.com" }).click();
    await page.getByText("No member is named.").waitFor();
  },
);

consoleStory(
  { name: "the list tells each workspace's active keys and its tightest budget", session: "reader" },
  async ({ page, gateway, open }) => {
    const { key } = await createKey(gateway, { name: "spender" });
    const { record } = await createKey(gateway, { name: "closed" });
    await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: true } });
    await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
    for (const [interval, limit_usd] of [["daily", 5], ["monthly", 1_000]] as const) {
      await managed(gateway, { call: `PUT /workspaces/default/budgets/${interval}`, body: { limit_usd } });
    }
    await (await ask({ url: gateway.url, apiKey: key }, { model: "mock/model", input: "Hi" })).text();
    await open("/workspaces");
    const row = page.getByRole("row", { name: /^Default/ });
    await row.getByText("$5.00 a day").waitFor();
    await row.getByRole("img", { name: /^Default: \$0\.02 spent, .* limit \$5\.00/ }).waitFor();
    await page.getByRole("row", { name: /^Lab/ }).getByText("no budget").waitFor();
    await screenshots(page, "workspaces-budgets");
    await row.getByRole("link", { name: "2", exact: true }).click();
    await page.getByText("Keys 1 to 2 of 2").waitFor();
    assert.match(page.url(), /workspace=default&state=active/);
  },
);

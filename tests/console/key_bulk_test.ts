/** Stories of managers who change several keys at once, or make one like another. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { createKey, managed } from "../support/manage.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const hostile = '<img src=x onerror=alert(1)> \u202ereversed =cmd()"';

async function select(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  await page.getByText(`${names.length} keys selected`).waitFor();
}

async function keyOf(gateway: ConsoleStory["gateway"], hash: string) {
  const { status, body } = await managed(gateway, { call: `GET /keys/${hash}` });
  return { status, ...Object(body.data) };
}

consoleStory(
  {
    name: "limit, expiry, guardrail and state of several keys change by one dialog that lists it",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    const guardrail = { name: "No mock models", ignored_models: ["mock/*"], workspace_id: null };
    const made = await managed(gateway, { call: "POST /guardrails", body: guardrail });
    const one = await createKey(gateway, { name: "one", limit: 5 });
    const two = await createKey(gateway, { name: hostile });
    await open("/keys");
    await select(page, ["one", hostile]);
    await page.getByRole("button", { name: "Change …" }).click();
    const dialog = page.getByRole("dialog");
    const preview = dialog.getByRole("region", { name: "What changes" });
    await dialog.getByLabel("Limit", { exact: true }).last().fill("many");
    await dialog.getByText("many is not an amount in USD").waitFor();
    await dialog.getByLabel("Limit", { exact: true }).last().fill("40");
    await preview.getByRole("row", { name: /^one/ }).getByText("$40.00, monthly").waitFor();
    await preview.getByRole("row", { name: /^one/ }).getByText("$5.00").first().waitFor();
    await screenshots(page, "keys-bulk");
    await dialog.getByRole("button", { name: "Set the limit of 2 keys" }).click();
    await page.getByText("2 keys changed").waitFor();
    for (const { record } of [one, two]) {
      const { limit, limit_reset } = await keyOf(gateway, record.hash);
      assert.deepEqual([limit, limit_reset], [40, "monthly"]);
    }
    await select(page, ["one", hostile]);
    await page.getByRole("button", { name: "Change …" }).click();
    await dialog.getByText("Expiry", { exact: true }).click();
    await dialog.getByText("None of these keys would change.").waitFor();
    assert.equal(await dialog.getByRole("button", { name: /^Set the expiry/ }).isDisabled(), true);
    await dialog.getByLabel("Expires").selectOption("In 30 days");
    await dialog.getByRole("button", { name: "Set the expiry of 2 keys" }).click();
    await page.getByText("2 keys changed").last().waitFor();
    await dialog.waitFor({ state: "detached" });
    assert.match((await keyOf(gateway, one.record.hash)).expires_at, /^20/);
    await select(page, ["one", hostile]);
    await page.getByRole("button", { name: "Change …" }).click();
    await dialog.getByText("Guardrail", { exact: true }).first().click();
    await dialog.getByLabel("Guardrail", { exact: true }).last().selectOption("No mock models");
    await dialog.getByRole("button", { name: "Set the guardrail of 2 keys" }).click();
    await dialog.waitFor({ state: "detached" });
    const refused = await ask({ url: gateway.url, apiKey: one.key }, { model: "mock/model", input: "Hi" });
    await refused.body?.cancel();
    assert.equal(refused.status, 404, JSON.stringify(made.body));
    await select(page, ["one", hostile]);
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await dialog.getByRole("button", { name: "Disable 2 keys" }).click();
    await page.getByText("2 keys disabled").waitFor();
    await page.getByRole("checkbox", { name: "Select one" }).check();
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    await dialog.getByRole("button", { name: "Enable 1 key" }).click();
    await page.getByText("1 key enabled").waitFor();
    assert.equal((await keyOf(gateway, one.record.hash)).disabled, false);
    assert.equal((await keyOf(gateway, two.record.hash)).disabled, true);
    assert.equal(await page.locator("img").count(), 0);
  },
);

consoleStory(
  { name: "the response cache of several keys is set by one dialog", session: "manager" },
  async ({ page, gateway, open }) => {
    const keys = [await createKey(gateway, { name: "one", cache_enabled: true, cache_ttl_seconds: 60 })];
    keys.push(await createKey(gateway, { name: "two" }));
    await open("/keys");
    await select(page, ["one", "two"]);
    await page.getByRole("button", { name: "Change …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Cache", { exact: true }).click();
    await dialog.getByLabel("Kept for, in seconds").fill("60");
    const row = dialog.getByRole("region", { name: "What changes" }).getByRole("row", { name: /^two/ });
    await row.getByText("cached for 60 s").waitFor();
    await screenshots(page, "keys-bulk-cache");
    await dialog.getByRole("button", { name: "Set the cache of 1 key" }).click();
    await dialog.waitFor({ state: "detached" });
    for (const { record } of keys) {
      const { cache_enabled, cache_ttl_seconds } = await keyOf(gateway, record.hash);
      assert.deepEqual([cache_enabled, cache_ttl_seconds], [true, 60]);
    }
  },
);

consoleStory(
  {
    name: "keys that were refused stay in the dialog, with the reason; others are deleted",
    session: "manager",
  },
  async ({ page, gateway, open, watch }) => {
    const keys = [];
    for (const name of ["alpha", "beta", "gamma"]) keys.push(await createKey(gateway, { name }));
    await open("/keys");
    await select(page, ["alpha", "beta", "gamma"]);
    await managed(gateway, { call: `DELETE /keys/${keys[1]?.record.hash}` });
    await page.getByRole("button", { name: "Disable", exact: true }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Disable 3 keys" }).click();
    await dialog.getByText(/^beta: /).waitFor();
    await page.getByText("2 keys disabled").waitFor();
    await screenshots(page, "keys-bulk-refused");
    await page.keyboard.press("Escape");
    await page.getByText("1 key selected").waitFor();
    await select(page, ["alpha", "beta", "gamma"]);
    watch.expect(/ 404 .*\/console\/api\/keys\//);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByRole("button", { name: "Delete 3 keys" }).click();
    await dialog.getByText(/^beta: /).waitFor();
    await page.getByText("2 keys deleted").waitFor();
    for (const at of [0, 2]) assert.equal((await keyOf(gateway, keys[at]?.record.hash ?? "")).status, 404);
  },
);

consoleStory(
  { name: "a new key is made like another, with its limit, guardrail and rate limits", session: "manager" },
  async ({ page, gateway, open }) => {
    const fields = { name: "pattern", limit: 12.5, limit_reset: "weekly", include_byok_in_limit: true };
    const { record } = await createKey(gateway, fields);
    const rates = { requests_per_minute: 60 };
    await managed(gateway, { call: `PUT /keys/${record.hash}/rate-limits`, body: rates });
    await open(`/keys?key=${record.hash}`);
    await page.getByRole("link", { name: "New key like this one" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "New key like pattern" }).waitFor();
    assert.equal(await dialog.getByLabel("Limit", { exact: true }).inputValue(), "12.50");
    assert.equal(await dialog.getByLabel("Requests a minute").inputValue(), "60");
    await dialog.getByLabel("Name", { exact: true }).fill("copy");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("heading", { name: "Key copy is ready" }).waitFor();
    await dialog.locator("pre").getByText("mock/model").waitFor();
    await dialog.getByLabel("I have stored it").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText(/^Keys 1 to 3 of 3/).waitFor();
    assert(!page.url().includes("like="));
    const { body } = await managed(gateway, { call: "GET /keys?q=copy" });
    const [copy] = Object(body.data);
    assert.deepEqual([copy.limit, copy.limit_reset, copy.include_byok_in_limit], [12.5, "weekly", true]);
  },
);

consoleStory(
  { name: "keys are sorted by last use, and the list tells when that was", session: "reader" },
  async ({ page, gateway, open }) => {
    const { key } = await createKey(gateway, { name: "used" });
    await createKey(gateway, { name: "idle" });
    await (await ask({ url: gateway.url, apiKey: key }, { model: "mock/model", input: "Hi" })).text();
    await open("/keys?sort=last_used");
    await page.getByText(/^Keys 1 to 3 of 3/).waitFor();
    assert.equal((await page.locator("tbody .row-link").allInnerTexts())[0], "used");
    await page.setViewportSize({ width: 1440, height: 800 });
    await page.getByRole("row", { name: /idle/ }).getByText("never", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Disable|Change …)$/ }).count(), 0);
  },
);

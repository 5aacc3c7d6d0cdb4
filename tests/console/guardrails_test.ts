/** Stories of managers with guardrails. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { createKey, managed } from "../support/manage.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";
import { untilInPage } from "./support/until_in_page.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Creates a guardrail of no workspace, and returns its id. */
async function createGuardrail(gateway: ConsoleStory["gateway"], fields: Fields): Promise<string> {
  const body = { workspace_id: null, ...fields };
  const made = await managed(gateway, { call: "POST /guardrails", body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return String(Object(made.body.data).id);
}

async function readGuardrail(gateway: ConsoleStory["gateway"], id: string): Promise<Fields> {
  const { body } = await managed(gateway, { call: `GET /guardrails/${id}` });
  return Object(body.data);
}

const idOf = (page: Page) => new URL(page.url()).searchParams.get("open") ?? "";

/** Chooses in a row of choices. */
const choose = (page: Page, [row, choice]: readonly [string, string]) =>
  page.getByRole("radiogroup", { name: row, exact: true }).getByText(choice, { exact: true }).click();

const view = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Parts of the guardrail" }).getByRole("link", { name }).click();

const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("The guardrail was saved.").first().waitFor();
};

/** Types into every field that is no content filter. */
async function typeRules(page: Page): Promise<void> {
  await page.getByLabel("Description", { exact: true }).fill("For answers to customers");
  await page.getByLabel("Workspace", { exact: true }).last().selectOption({ label: "Default" });
  await page.getByLabel("Limit", { exact: true }).fill("5");
  await page.getByText("Daily", { exact: true }).click();
  await page.getByRole("switch", { name: "Count provider keys of the workspace" }).check();
  await page.getByLabel("Allowed models").fill("mock/*\n\nopenai/gpt-5.5\n");
  await page.getByLabel("Ignored models").fill("mock/old");
  await page.getByLabel("Allowed providers").fill("mock");
  await page.getByLabel("Ignored providers").fill("azure");
  await choose(page, ["Zero data retention (ZDR)", "On"]);
  await choose(page, ["ZDR, models of xAI", "Off"]);
  await choose(page, ["Paid endpoints may train on data", "Off"]);
  await page.getByLabel("Europe").check();
}

consoleStory(
  { name: "a guardrail is created with every rule, changed and deleted", session: "manager" },
  async ({ page, gateway, open }) => {
    await open("/guardrails?idle=shown");
    await page.getByRole("button", { name: "Default", exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Delete guardrail Default" }).count(), 0);
    await page.getByRole("button", { name: "New guardrail" }).click();
    await page.getByRole("button", { name: "Create guardrail" }).click();
    await page.getByText("A guardrail needs a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Support desk");
    await typeRules(page);
    await page.getByRole("button", { name: "Create guardrail" }).click();
    await page.getByText("Guardrail Support desk was created.").waitFor();
    await page.getByRole("heading", { name: "Support desk" }).waitFor();
    const { id: _, created_at: _c, updated_at: _u, workspace_id: of, ...settings } = await readGuardrail(
      gateway,
      idOf(page),
    );
    assert.equal(typeof of, "string");
    assert.deepEqual(settings, {
      name: "Support desk",
      description: "For answers to customers",
      limit_usd: 5,
      reset_interval: "daily",
      include_byok_in_budgets: true,
      allowed_models: ["mock/*", "openai/gpt-5.5"],
      ignored_models: ["mock/old"],
      allowed_providers: ["mock"],
      ignored_providers: ["azure"],
      enforce_zdr: true,
      enforce_zdr_anthropic: null,
      enforce_zdr_openai: null,
      enforce_zdr_google: null,
      enforce_zdr_xai: false,
      enforce_zdr_other: null,
      enable_paid_model_training: false,
      enable_free_model_training: null,
      enable_free_model_publication: null,
      allowed_data_regions: ["europe"],
      content_filters: null,
      content_filter_builtins: null,
      unreadable: "allow",
      words: null,
      words_action: "block",
      except: null,
      external: null,
    });
    await page.getByText(/\$5\.00 daily, ZDR but of xAI, no training/).first().waitFor();
    await page.getByLabel("Limit", { exact: true }).fill("");
    assert.match(await page.locator(".panel-foot").innerText(), /Limit \$5\.00 →\s*becomes\s*nothing/);
    await save(page);
    const { limit_usd, reset_interval } = await readGuardrail(gateway, idOf(page));
    assert.deepEqual([limit_usd, reset_interval], [null, null]);
    await page.getByRole("button", { name: "Delete guardrail …" }).click();
    await page.getByRole("dialog").getByText("0 keys and 0 members lose it.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete guardrail Support desk" }).click();
    await page.getByText("Guardrail Support desk was deleted.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Support desk", exact: true }).count(), 0);
  },
);

consoleStory(
  { name: "what is wrong with a pattern stands at it, whatever view is open", session: "manager" },
  async ({ page, gateway, open, watch }) => {
    const id = await createGuardrail(gateway, { name: "Support desk" });
    await open(`/guardrails?open=${id}&view=filters`);
    await page.getByRole("button", { name: "Add pattern" }).click();
    await page.getByLabel("Pattern 1", { exact: true }).fill("(?=a)");
    await view(page, "Rules");
    watch.expect(/^console error: .* 400 .*\/console\/api\/guardrails/);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText(/has a group that looks around, which is not allowed/).first().waitFor();
    await page.getByLabel("Pattern 1", { exact: true }).fill("");
    await view(page, "Rules");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("A pattern has to be filled in.").waitFor();
    assert.match(page.url(), /view=filters/);
    await untilInPage(page, "document.activeElement?.matches('.panel [aria-invalid]')");
    await page.getByRole("button", { name: "Remove pattern 1" }).click();
    await page.getByText("No pattern.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Save changes" }).count(), 0);
  },
);

consoleStory(
  { name: "keys and members get a guardrail and lose it", session: "manager" },
  async ({ page, gateway, open }) => {
    const id = await createGuardrail(gateway, { name: "Support desk" });
    const { record } = await createKey(gateway, { name: "support-assistant" });
    await createKey(gateway, { name: "research-notebooks" });
    await open(`/guardrails?open=${id}`);
    await view(page, "Assigned");
    await page.getByText("No key has it.").waitFor();
    await page.getByLabel("Key to add").fill("supp");
    await page.getByRole("button", { name: "Add key research-notebooks" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add key support-assistant" }).click();
    await page.getByRole("button", { name: "Remove key support-assistant" }).waitFor();
    await page.getByText("No other key is called so.").waitFor();
    await page.getByLabel("User to add").fill("ada@example.com");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Remove ada@example.com" }).waitFor();
    const has = await managed(gateway, { call: `GET /guardrails/assignments/keys?key_hash=${record.hash}` });
    assert.equal(Object(has.body.data)[0]?.guardrail_id, id);
    const counts = () => page.getByRole("row", { name: /Support desk/ }).getByRole("cell").allInnerTexts();
    await page.getByRole("row", { name: /Support desk.* 1 1 / }).waitFor();
    assert.deepEqual((await counts()).slice(-3, -1), ["1", "1"]);
    await page.getByRole("button", { name: "Remove key support-assistant" }).click();
    await page.getByText("No key has it.").waitFor();
    await page.getByRole("button", { name: "Remove ada@example.com" }).click();
    await page.getByText("No member has it.").waitFor();
  },
);

consoleStory(
  { name: "guardrails are searched, and Alt with the arrow keys moves through them", session: "manager" },
  async ({ page, gateway, open }) => {
    await createGuardrail(gateway, { name: "Support desk" });
    await createGuardrail(gateway, { name: "Research" });
    await open("/guardrails?view=filters");
    await page.getByRole("button", { name: "Support desk", exact: true }).click();
    await page.getByRole("heading", { name: "Support desk" }).waitFor();
    // The panel listens to the keyboard from when it has the focus.
    await page.locator(".panel :focus").waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByRole("heading", { name: "Research" }).waitFor();
    assert.match(page.url(), /view=filters/);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Research" }).waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement?.textContent"), "Research");
    await page.keyboard.press("/");
    await page.keyboard.type("nobody");
    await page.getByText("No guardrail found").waitFor();
    await page.getByRole("button", { name: "Show all guardrails" }).click();
    await page.getByText("3 guardrails").waitFor();
  },
);

consoleStory(
  { name: "who may only look changes nothing, and may try a text", session: "reader" },
  async ({ page, gateway, open }) => {
    const id = await createGuardrail(gateway, { name: "Support desk" });
    await open(`/guardrails?open=${id}`);
    await page.getByRole("heading", { name: "Support desk" }).waitFor();
    await page.locator(".panel :focus").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).isDisabled(), true);
    for (const name of [/^New guardrail/, /^Delete guardrail/]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0);
    }
    await view(page, "Filters");
    assert.equal(await page.getByRole("radio").first().isDisabled(), true);
    await view(page, "Try a text");
    await page.getByLabel("Text", { exact: true }).fill("Nothing to see here");
    await page.getByRole("button", { name: "Try", exact: true }).click();
    await page.getByText("Nothing found").waitFor();
  },
);

/** Types the filters of the next story, and saves them. */
async function saveFilters(page: Page): Promise<void> {
  await choose(page, ["Email addresses", "Redact"]);
  await page.getByLabel("What Email addresses reads").selectOption({ label: "Everything, the answer too" });
  await page.getByLabel("Label of Email addresses").fill("[mail]");
  await choose(page, ["Names of people", "Flag"]);
  await choose(page, ["Phone numbers", "Mask"]);
  await choose(page, ["What cannot be read", "Block"]);
  await page.getByRole("button", { name: "Add pattern" }).click();
  await page.getByLabel("Pattern 1", { exact: true }).fill("INV-\\d{8}");
  await choose(page, ["What pattern 1 does", "Block"]);
  await page.getByRole("button", { name: "Add pattern" }).click();
  await page.getByLabel("Pattern 2", { exact: true }).fill("secret .*");
  await page.getByLabel("Label of Pattern 2", { exact: true }).fill("[secret]");
  await save(page);
}

consoleStory(
  { name: "content filters are saved, with what the gateway says to them", session: "manager" },
  async ({ page, gateway, open }) => {
    const id = await createGuardrail(gateway, { name: "Support desk" });
    await open(`/guardrails?open=${id}&view=filters`);
    await saveFilters(page);
    await page.getByText("A match has at most 12 characters.").waitFor();
    await page.getByText("A match has no bound.").waitFor();
    await page.getByText("Saved, but to know").waitFor();
    const saved = await readGuardrail(gateway, id);
    const { content_filters: patterns, content_filter_builtins: builtins } = saved;
    assert.equal(saved.unreadable, "block");
    assert.match(
      JSON.stringify(patterns),
      /"INV-\\\\d\{8\}","action":"block".*"secret \.\*","action":"redact"/,
    );
    assert.match(JSON.stringify(builtins), /"email".*"redact".*"phone".*"mask".*"person-name".*"flag"/);
  },
);

const filters = {
  content_filters: [{ pattern: "INV-\\d{8}", action: "block" }],
  content_filter_builtins: [{ slug: "email", action: "redact", scan_scope: "all_messages" }],
} as const;

consoleStory(
  { name: "a text is tried, with its matches and the text as it goes on", session: "manager" },
  async ({ page, gateway, open }) => {
    const id = await createGuardrail(gateway, { name: "Support desk", ...filters });
    await open(`/guardrails?open=${id}&view=trial`);
    await page.getByLabel("Text", { exact: true }).fill("Write to ada@example.com, please.");
    await page.getByText("Output", { exact: true }).click();
    await page.getByRole("button", { name: "Try", exact: true }).click();
    await page.getByText("Redacted", { exact: true }).waitFor();
    await page.locator("mark").filter({ hasText: "ada@example.com" }).waitFor();
    const onward = page.getByRole("region", { name: "Text as it goes on" });
    assert.match(await onward.innerText(), /^Write to \[[^\]@]+\], please\.$/);
    await page.getByLabel("Text", { exact: true }).fill("Invoice INV-20260101 of ada@example.com");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Blocked", { exact: true }).waitFor();
    await page.getByText("It does not go on.").waitFor();
  },
);

consoleStory(
  { name: "what filters did to requests is shown, the latest first", session: "manager" },
  async ({ page, gateway, open }) => {
    const id = await createGuardrail(gateway, { name: "Support desk", ...filters });
    const { key, record } = await createKey(gateway, { name: "support-assistant" });
    const body = { key_hashes: [record.hash] };
    await managed(gateway, { call: `POST /guardrails/${id}/assignments/keys`, body });
    for (const input of ["Write to ada@example.com, please.", "Invoice INV-20260101"]) {
      const response = await ask({ url: gateway.url, apiKey: key }, { model: "mock/model", input });
      await response.text();
    }
    await open(`/guardrails?open=${id}&view=receipts`);
    await page.getByRole("cell", { name: /^Redacted 1 × email, input/ }).waitFor();
    const done = await page.getByRole("cell", { name: /, input/ }).allInnerTexts();
    assert.deepEqual(done.map((text) => text.split(" ")[0]), ["Blocked", "Redacted"]);
  },
);

consoleStory(
  { name: "what the gateway refuses of a filter stands at its field", session: "manager" },
  async ({ page, gateway, open, watch }) => {
    const id = await createGuardrail(gateway, { name: "Support desk" });
    const message = "Cannot update guardrail: content_filters.0.pattern takes too long";
    const error = { code: 400, message, metadata: { path: "content_filters.0.pattern" } };
    await page.route(
      `**/console/api/guardrails/${id}`,
      (route) =>
        route.request().method() === "PATCH"
          ? route.fulfill({ status: 400, json: { error } })
          : route.continue(),
    );
    await open(`/guardrails?open=${id}&view=filters`);
    await page.getByRole("button", { name: "Add pattern" }).click();
    await page.getByLabel("Pattern 1", { exact: true }).fill("a+");
    watch.expect(/^console error: .* 400 .*\/console\/api\/guardrails/);
    await view(page, "Rules");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("What is wrong stands at its field.").waitFor();
    await page.getByText(message).waitFor();
    await page.getByLabel("Pattern 1", { exact: true }).fill("b+");
    await page.getByText(message).waitFor({ state: "detached" });
  },
);

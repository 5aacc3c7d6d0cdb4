/** Stories of managers with provider keys, Connect clients and management keys. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createKey, managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const panel = (page: Page) => page.getByRole("complementary").filter({ has: page.getByRole("heading") });

/** Markup, marks that turn the line, and a formula: each is a name like another. */
const hostile = '<img src=x onerror=alert(1)> \u202ereversed =cmd()"';

/** The text of a secret that a dialog shows, which is put away then. */
async function readSecret(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  const text = await dialog.locator(".secret code").innerText();
  await page.keyboard.press("Escape");
  assert.equal(await dialog.getByRole("button", { name: "Done" }).isDisabled(), true, "nobody stored it yet");
  await dialog.getByLabel("I have stored it").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  return text;
}

consoleStory(
  {
    name: "a provider key is stored, narrowed, replaced and deleted, and never shown",
    session: "manager",
  },
  async ({ page, gateway, open, watch }) => {
    watch.expect(/ 400 .*\/byok\)/);
    const { record } = await createKey(gateway, { name: "batch" });
    await open("/byok");
    await page.getByText("No provider key yet").waitFor();
    await page.getByRole("button", { name: "New provider key" }).click();
    const dialog = page.getByRole("dialog");
    await page.keyboard.type("nobody");
    await dialog.getByLabel("Key", { exact: true }).fill("two words");
    await dialog.getByRole("button", { name: "Store provider key" }).click();
    await dialog.getByText("It is no key: printable ASCII").waitFor();
    await dialog.getByLabel("Key", { exact: true }).fill("sk-planted0123456789");
    await dialog.getByRole("button", { name: "Store provider key" }).click();
    await dialog.getByText(/is "nobody", which is no provider here: allowed are/).waitFor();
    await dialog.getByLabel("Provider", { exact: true }).fill("openai");
    await dialog.getByLabel("Name", { exact: true }).fill("Account of research");
    await dialog.getByLabel("Use no other key at this provider").check();
    await dialog.getByLabel("Use it after the gateway's own key").check();
    await dialog.getByText("A key that comes after the gateway's cannot be the only one.").waitFor();
    await dialog.getByLabel("Use no other key at this provider").uncheck();
    await screenshots(page, "byok-new");
    await dialog.getByRole("button", { name: "Store provider key" }).click();
    await panel(page).getByRole("heading", { name: "Account of research" }).waitFor();
    assert.equal(await page.getByText("planted").count(), 0, "the key is not shown");
    await panel(page).getByLabel("Models").fill("openai/*");
    await panel(page).getByLabel("Find a key to add").fill("batch");
    await panel(page).getByRole("button", { name: "Add key batch" }).click();
    await panel(page).getByText("Keys that may use it all").waitFor();
    await screenshots(page, "byok-panel");
    await panel(page).getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The provider key was saved.").waitFor();
    const list = async () => Object((await managed(gateway, { call: "GET /byok" })).body).data;
    const [stored] = await list();
    assert.deepEqual(
      [stored.allowed_models, stored.allowed_api_key_hashes, stored.is_fallback, stored.is_byok_only],
      [["openai/*"], [record.hash], true, false],
    );
    await panel(page).getByRole("button", { name: "Replace key" }).click();
    await dialog.getByLabel("Key", { exact: true }).fill("sk-another0123456xyz");
    await dialog.getByRole("button", { name: "Replace key" }).click();
    await page.getByText("The key was replaced.").waitFor();
    assert.equal((await list())[0].label, "sk-...xyz");
    await panel(page).getByRole("button", { name: "Delete provider key" }).click();
    await dialog.getByRole("button", { name: "Delete provider key Account of research" }).click();
    await page.getByText("No provider key yet").waitFor();
    assert.deepEqual(await list(), []);
  },
);

consoleStory(
  {
    name: "provider keys are narrowed by search, provider and workspace, in the address",
    session: "reader",
  },
  async ({ page, gateway, open }) => {
    const { body: { data } } = await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Lab", slug: "lab" },
    });
    const rows = [
      { provider: "openai", name: "First", workspace_id: null },
      { provider: "anthropic", name: hostile },
      { provider: "openai", name: "Lab's", workspace_id: Object(data).id },
    ];
    for (const row of rows) {
      const { status } = await managed(gateway, {
        call: "POST /byok",
        body: { ...row, key: "sk-0123456789" },
      });
      assert.equal(status, 201);
    }
    await open("/byok");
    await page.getByText("3 provider keys").waitFor();
    assert.equal(await page.getByRole("button", { name: "New provider key" }).count(), 0);
    await page.getByLabel("Provider", { exact: true }).selectOption("openai");
    await page.getByText("2 of 3 provider keys").waitFor();
    await page.reload();
    await page.getByText("2 of 3 provider keys").waitFor();
    await page.getByRole("searchbox").fill("nothing");
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await open("/byok?workspace=lab");
    await page.getByText("2 of 3 provider keys").waitFor();
    await open("/byok");
    await page.getByRole("button", { name: hostile }).click();
    await panel(page).getByRole("heading", { name: hostile }).waitFor();
    assert.equal(await panel(page).getByLabel("Name", { exact: true }).isDisabled(), true);
    assert.equal(await panel(page).getByRole("button", { name: /Replace|Delete|Add key/ }).count(), 0);
    assert.equal(await page.locator("img").count(), 0);
  },
);

consoleStory(
  { name: "a Connect client gets a secret, another one, and none any more", session: "manager" },
  async ({ page, gateway, open, watch }) => {
    watch.expect(/ 400 .*\/connect\/clients\//);
    const makeKey = async (token: string, name: string) => {
      const body = { name, external_user: hostile };
      return (await managed(gateway, { call: "POST /keys", body, token })).status;
    };
    await open("/clients");
    await page.getByText("No Connect client yet").waitFor();
    await page.getByRole("button", { name: "New client" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Create client" }).click();
    await page.getByText("A client needs a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Notebook portal");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Client Notebook portal is ready" }).waitFor();
    await screenshots(page, "client-created");
    const first = await readSecret(page);
    assert.equal(await makeKey(first, "made by first"), 201);
    await panel(page).getByRole("button", { name: "Rotate secret" }).click();
    await page.getByLabel("The old text works for").selectOption("No longer: at once");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    const second = await readSecret(page);
    assert.equal(await makeKey(first, "too late"), 401);
    assert.equal(await makeKey(second, "made by second"), 201);
    await screenshots(page, "client-panel");
    await panel(page).getByRole("button", { name: "Delete client" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete client Notebook portal" }).click();
    await page.getByText("it has 2 API keys; delete them first, or revoke the client").waitFor();
    await page.keyboard.press("Escape");
    await panel(page).getByRole("button", { name: "Revoke client" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke client Notebook portal" }).click();
    await panel(page).getByText("2 keys stay valid").waitFor();
    await panel(page).getByText(hostile).first().waitFor();
    await screenshots(page, "client-revoked");
    assert.equal(await makeKey(second, "too late"), 401);
    await panel(page).getByRole("link", { name: "made by second" }).click();
    await panel(page).getByRole("heading", { name: "made by second" }).waitFor();
  },
);

consoleStory(
  { name: "the last management key stays, and the page says why before the click", session: "manager" },
  async ({ page, gateway, open }) => {
    await open("/keys");
    await page.getByRole("navigation", { name: "Keys" }).getByText("Management keys").click();
    await page.getByText("1 management key", { exact: true }).waitFor();
    await page.locator("tbody .row-link").first().click();
    await panel(page).getByText("This is the last management key that can do everything.").waitFor();
    await panel(page).getByText("You are signed in with this key.").waitFor();
    for (const label of ["Read-only", "Disabled", "Expires"]) {
      assert.equal(await panel(page).getByLabel(label, { exact: true }).isDisabled(), true, label);
    }
    const remove = panel(page).getByRole("button", { name: "Delete management key" });
    assert.equal(await remove.isDisabled(), true);
    await screenshots(page, "management-key-last");
    await page.getByRole("button", { name: "New management key" }).click();
    await page.getByLabel("Name", { exact: true }).last().fill("Second");
    await page.getByRole("dialog").getByLabel("Expires").selectOption("In 90 days");
    await page.getByRole("button", { name: "Create management key" }).click();
    const secret = await readSecret(page);
    assert.equal((await managed(gateway, { call: "GET /workspaces", token: secret })).status, 200);
    await panel(page).getByRole("heading", { name: "Second" }).waitFor();
    await page.getByText("2 management keys").waitFor();
    assert.equal(await remove.isDisabled(), false, "another one is left");
    await panel(page).getByLabel("Read-only", { exact: true }).check();
    await panel(page).getByLabel("Expires", { exact: true }).selectOption("Never");
    await panel(page).getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The management key was saved.").waitFor();
    const change = { call: "POST /keys", body: { name: "No" }, token: secret };
    assert.equal((await managed(gateway, change)).status, 403);
    await remove.click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete management key Second" }).click();
    await page.getByText("1 management key", { exact: true }).waitFor();
    assert.equal((await managed(gateway, { call: "GET /workspaces", token: secret })).status, 401);
  },
);

consoleStory(
  { name: "a read-only manager sees clients and management keys and changes none", session: "reader" },
  async ({ page, gateway, open }) => {
    await managed(gateway, { call: "POST /connect/clients", body: { name: hostile } });
    await open("/clients");
    await page.getByRole("button", { name: hostile }).click();
    await panel(page).getByRole("heading", { name: hostile }).waitFor();
    assert.equal(await page.getByRole("button", { name: /New|Rotate|Revoke|Delete/ }).count(), 0);
    await open("/keys?view=management");
    await page.getByText("2 management keys").waitFor();
    await page.locator("tbody .row-link").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await panel(page).getByText("This is the last management key that can do everything.").waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await panel(page).getByRole("heading", { name: "For looking only" }).waitFor();
    assert.equal(await panel(page).getByLabel("Name", { exact: true }).isDisabled(), true);
    assert.equal(await page.getByRole("button", { name: /New|Delete/ }).count(), 0);
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "detached" });
  },
);

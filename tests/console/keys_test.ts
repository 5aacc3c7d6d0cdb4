/** Stories of managers with keys. */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { createKey, managed } from "../support/manage.ts";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { assertAccessible } from "./support/accessibility.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const request = { model: "mock/model", input: "Hi" };

consoleStory(
  {
    name: "a raised limit lets the refused request pass; a lowered one refuses the next",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    const { key, record } = await createKey(gateway, { name: "batch-summaries", limit: 0.000001 });
    const statusOf = async () => {
      const response = await ask({ url: gateway.url, apiKey: key }, request);
      await response.body?.cancel();
      return response.status;
    };
    const setLimit = async (usd: string) => {
      await page.getByLabel("Limit", { exact: true }).fill(usd);
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("The key was saved.").last().waitFor();
      await page.getByRole("button", { name: "Dismiss" }).last().click();
    };
    assert.equal(await statusOf(), 402);
    await open(`/keys?key=${record.hash}`);
    await setLimit("50");
    assert.equal(await statusOf(), 200);
    await setLimit("0.000001");
    assert.equal(await statusOf(), 402);
  },
);

consoleStory(
  { name: "before → after stands beside the button, and discarding takes it back", session: "manager" },
  async ({ page, gateway, open }) => {
    const { record } = await createKey(gateway, { name: "billing", limit: 250, limit_reset: "monthly" });
    await open(`/keys?key=${record.hash}`);
    await page.getByLabel("Limit", { exact: true }).fill("320");
    await page.getByText("Daily", { exact: true }).click();
    const foot = page.getByRole("complementary", { name: "billing" }).locator("footer");
    const said = (await foot.innerText()).replaceAll(/\s+/g, " ");
    assert.match(said, /Limit \$250\.00 → ?becomes \$320\.00/);
    assert.match(said, /Resets Monthly → ?becomes Daily/);
    await foot.getByRole("button", { name: "Discard" }).click();
    assert.equal(await page.getByLabel("Limit", { exact: true }).inputValue(), "250.00");
  },
);

consoleStory(
  {
    name: "two managers edit one key: the second hears of the first and keeps what was typed",
    session: "manager",
  },
  async ({ page, gateway, open, watch }) => {
    const { record } = await createKey(gateway, { name: "shared", limit: 250 });
    await open(`/keys?key=${record.hash}`);
    await page.getByLabel("Limit", { exact: true }).fill("320");
    await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { limit: 300 } });
    watch.expect(/^console error: .* 400 .*\/console\/api\/keys/);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("was changed by somebody else a moment ago").waitFor();
    assert.equal(await page.getByLabel("Limit", { exact: true }).inputValue(), "320");
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("Limit $300.00").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The key was saved.").waitFor();
    const { body } = await managed(gateway, { call: `GET /keys/${record.hash}` });
    assert.match(JSON.stringify(body), /"limit":320\b/);
  },
);

consoleStory(
  {
    name: "a key is found by a fragment of its name, and the search stands in the address",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    for (const name of ["doc-intake-pipeline", "support-assistant", "Invoice classifier"]) {
      await createKey(gateway, { name });
    }
    await open("/keys");
    await page.getByText(/^Keys 1 to 4/).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("classi");
    await page.getByText(/^Keys 1 to 1/).waitFor();
    assert.match(page.url(), /\?q=classi$/);
    await page.reload();
    await page.getByRole("button", { name: "Invoice classifier" }).waitFor();
    assert.equal(await page.getByRole("row").count(), 2);
  },
);

consoleStory(
  { name: "several keys are disabled at once, and what became of each is told", session: "manager" },
  async ({ page, gateway, open }) => {
    const keys = [await createKey(gateway, { name: "one" }), await createKey(gateway, { name: "two" })];
    await open("/keys");
    for (const name of ["one", "two"]) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await page.getByRole("button", { name: "Disable 2 keys" }).click();
    await page.getByText("2 keys disabled").waitFor();
    for (const { record } of keys) {
      const { body } = await managed(gateway, { call: `GET /keys/${record.hash}` });
      assert.match(JSON.stringify(body), /"disabled":true/);
    }
  },
);

consoleStory(
  { name: "a new key is shown once, works, and is rotated and deleted from its panel", session: "manager" },
  async ({ page, gateway, open, watch }) => {
    await open("/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("A key needs a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("contract-extraction");
    await page.getByLabel("Limit", { exact: true }).fill("75,00");
    await page.getByText("75,00 is not an amount in USD").waitFor();
    await page.getByLabel("Limit", { exact: true }).fill("75.00");
    await page.getByRole("button", { name: "Create key" }).click();
    const text = await page.getByRole("dialog").locator("code").first().innerText();
    const called = await ask({ url: gateway.url, apiKey: text }, request);
    await called.body?.cancel();
    assert.equal(called.status, 200);
    await page.getByLabel("I have stored it").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "contract-extraction" }).click();
    await page.getByRole("button", { name: "Rotate key" }).click();
    await page.getByLabel("The old text works for").selectOption("0");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
    await page.getByLabel("I have stored it").check();
    await page.getByRole("button", { name: "Done" }).click();
    const refused = await ask({ url: gateway.url, apiKey: text }, request);
    await refused.body?.cancel();
    assert.equal(refused.status, 401);
    await page.getByRole("button", { name: "Delete key", exact: true }).click();
    await page.getByRole("button", { name: "Delete key contract-extraction" }).click();
    await page.getByText("Key contract-extraction was deleted.").waitFor();
    watch.check();
  },
);

consoleStory(
  {
    name: "a new key has its guardrail, rate limits and expiry from its first request on",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    const guardrail = { name: "No mock models", ignored_models: ["mock/*"] };
    await managed(gateway, { call: "POST /guardrails", body: guardrail });
    await open("/keys");
    await page.getByRole("button", { name: "New key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("nightly-evals");
    await dialog.getByLabel("Expires").selectOption("In 30 days");
    await dialog.getByLabel("Guardrail").selectOption("No mock models");
    await dialog.getByLabel("Requests a minute").fill("many");
    await dialog.getByText("Write a whole number above 0").waitFor();
    await dialog.getByLabel("Requests a minute").fill("1,200");
    await screenshots(page, "new-key");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("the key may call none yet").waitFor();
    await screenshots(page, "created-key");
    await assertAccessible(page);
    const text = await dialog.locator("code").first().innerText();
    const refused = await ask({ url: gateway.url, apiKey: text }, request);
    await refused.body?.cancel();
    assert.equal(refused.status, 404);
    const hash = hashKey(text);
    const { body: key } = await managed(gateway, { call: `GET /keys/${hash}` });
    assert.match(JSON.stringify(key), /"expires_at":"20/);
    const { body: rates } = await managed(gateway, { call: `GET /keys/${hash}/rate-limits` });
    assert.deepEqual(rates, {
      data: { requests_per_minute: 1_200, tokens_per_minute: null, concurrent_streams: null },
    });
  },
);

consoleStory(
  { name: "a new key ends at a day and time that are chosen freely", session: "manager" },
  async ({ page, gateway, open }) => {
    await open("/keys?open=new");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("summer-interns");
    await dialog.getByLabel("Expires").selectOption("On a date …");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("Choose a date and a time.").waitFor();
    await dialog.getByLabel("Date", { exact: true }).fill("2020-08-31");
    await dialog.getByText("31 Aug 2020, 23:59 UTC is past.").waitFor();
    await dialog.getByLabel("Date", { exact: true }).fill("2199-08-31");
    await dialog.getByLabel("Time (UTC)").fill("18:30");
    await dialog.getByText("Expires 31 Aug 2199, 18:30 UTC.").waitFor();
    await screenshots(page, "new-key-date");
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Create key" }).click();
    const text = await dialog.locator(".secret code").innerText();
    const { body } = await managed(gateway, { call: `GET /keys/${hashKey(text)}` });
    assert.equal(Object(body.data).expires_at, "2199-08-31T18:30:00.000Z");
  },
);

consoleStory(
  {
    name: "a new key's panel has the set-up of each client with address and key filled in",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    await open("/keys?open=new");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("coding-agents");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = await dialog.locator(".secret code").innerText();
    for (const client of ["Claude Code", "Codex", "OpenCode", "Cline", "Cursor", "OpenAI", "curl"]) {
      await dialog.getByRole("button", { name: client, exact: true }).click();
      const code = (await dialog.locator("pre").allInnerTexts()).join("\n");
      assert(code.includes(key) && code.includes(gateway.url), client);
      assert(code.includes("mock/model"), `${client} names the model that the key may call`);
    }
  },
);

consoleStory(
  { name: "a new key without its guardrail says so, and gets it when asked again", session: "manager" },
  async ({ page, gateway, open, watch }) => {
    const guardrail = { name: "No mock models", ignored_models: ["mock/*"] };
    await managed(gateway, { call: "POST /guardrails", body: guardrail });
    // However late the workspaces are told.
    await page.route(/\/console\/api\/workspaces\?/, async (route) => {
      await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
      await route.continue();
    });
    await open("/keys?open=new");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("guarded");
    await dialog.getByLabel("Guardrail").selectOption("No mock models");
    const assignments = /\/console\/api\/guardrails\/.*\/assignments\/keys$/;
    await page.route(assignments, (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: 503, message: "The store does not answer.", metadata: {} } },
      }));
    watch.expect(/^console error: .* 503 .*\/assignments\/keys/);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("The key has no guardrail yet").waitFor();
    await dialog.locator("pre").getByText("mock/model").waitFor();
    await page.unroute(assignments);
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.getByText("The key has no guardrail yet").waitFor({ state: "detached" });
    await dialog.getByText("the key may call none yet").waitFor();
    const key = await dialog.locator(".secret code").innerText();
    const refused = await ask({ url: gateway.url, apiKey: key }, request);
    await refused.body?.cancel();
    assert.equal(refused.status, 404);
  },
);

consoleStory(
  { name: "pages go forward and back, one request each, and keep their order", session: "manager" },
  async ({ page, gateway, open }) => {
    // No beginning of a hash or a label, which the search looks at too.
    for (let at = 0; at < 44; at++) {
      await createKey(gateway, { name: `key item${String(at).padStart(2, "0")}` });
    }
    const lists: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/console/api/keys") lists.push(request.url());
    });
    await open("/keys?sort=name");
    await page.getByText(/^Keys 1 to 20/).waitFor();
    const names = () => page.locator("tbody .row-link").allInnerTexts();
    const first = await names();
    assert.deepEqual(first.slice(0, 2), ["First API key", "key item00"]);
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText(/^Keys 21 to 40/).waitFor();
    assert.equal((await names())[0], "key item19");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText(/^Keys 41 to 45/).waitFor();
    assert.equal(await page.getByRole("button", { name: "Next", exact: true }).isDisabled(), true);
    await page.getByRole("button", { name: "Previous", exact: true }).click();
    await page.getByText(/^Keys 21 to 40/).waitFor();
    await page.getByRole("button", { name: "Previous", exact: true }).click();
    await page.getByText(/^Keys 1 to 20/).waitFor();
    assert.deepEqual(await names(), first);
    assert.equal(lists.length, 5);
    await page.getByRole("searchbox", { name: "Search keys" }).fill("key item07");
    await page.getByText(/^Keys 1 to 1/).waitFor();
    assert.deepEqual(await names(), ["key item07"]);
    assert.equal(lists.length, 6);
  },
);

consoleStory(
  { name: "a key is given a guardrail, which holds for its next request, and loses it", session: "manager" },
  async ({ page, gateway, open }) => {
    const { key, record } = await createKey(gateway, { name: "guarded" });
    const guardrail = { name: "No mock models", ignored_models: ["mock/*"] };
    await managed(gateway, { call: "POST /guardrails", body: guardrail });
    const statusOf = async () => {
      const response = await ask({ url: gateway.url, apiKey: key }, { model: "mock/model", input: "Hi" });
      await response.text();
      return response.status;
    };
    assert.equal(await statusOf(), 200);
    await open(`/keys?key=${record.hash}`);
    const choice = page.getByLabel("Of this key");
    await choice.selectOption("No mock models");
    await page.getByText("The guardrail was changed.").waitFor();
    assert.equal(await statusOf(), 404);
    await page.reload();
    await page.getByRole("heading", { name: "guarded" }).waitFor();
    await choice.locator("option:checked", { hasText: "No mock models" }).waitFor({ state: "attached" });
    await choice.selectOption("None");
    await page.getByText("The guardrail was changed.").waitFor();
    assert.equal(await statusOf(), 200);
  },
);

consoleStory(
  { name: "columns are hidden and stay so; name, money and state cannot be hidden", session: "manager" },
  async ({ page, open }) => {
    await open("/keys");
    await page.getByText(/^Keys 1 to 1/).waitFor();
    const heads = () => page.locator("thead th").allInnerTexts();
    const all = await heads();
    assert.ok(all.includes("Resets") && all.includes("Spent of limit"));
    const summary = page.locator("summary", { hasText: "Columns" });
    await summary.click();
    const menu = page.getByRole("group", { name: "Columns" });
    assert.deepEqual(await menu.locator("label").allInnerTexts(), [
      "Workspace",
      "Left",
      "Resets",
      "Last used",
      "Created",
    ]);
    await menu.getByLabel("Resets").uncheck();
    assert.deepEqual(await heads(), all.filter((head) => head !== "Resets"));
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    await page.reload();
    await page.getByText(/^Keys 1 to 1/).waitFor();
    assert.ok(!(await heads()).includes("Resets"));
    await summary.click();
    await menu.getByLabel("Resets").check();
    assert.deepEqual(await heads(), all);
  },
);

consoleStory(
  { name: "a new key caches responses, until its panel says no more", session: "manager" },
  async ({ page, gateway, open }) => {
    await open("/keys?open=new");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("test-runs");
    const seconds = "Kept for, in seconds";
    assert.equal(await dialog.getByLabel(seconds).count(), 0);
    await dialog.getByLabel("Cache responses").check();
    await dialog.getByLabel(seconds).fill("0");
    await dialog.getByText("Write a whole number from 1 to 86,400").waitFor();
    await dialog.getByLabel(seconds).fill("77");
    await screenshots(page, "new-key-cache");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const text = await dialog.locator(".secret code").innerText();
    const cached = async () => {
      const reply = await ask({ url: gateway.url, apiKey: text }, request);
      await reply.text();
      const word = (name: string) => reply.headers.get(`x-openrouter-cache-${name}`);
      return [word("status"), word("status") === "MISS" ? word("ttl") : undefined];
    };
    assert.deepEqual(await cached(), ["MISS", "77"]);
    assert.deepEqual(await cached(), ["HIT", undefined]);
    await page.getByLabel("I have stored it").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "test-runs" }).click();
    const panel = page.getByRole("complementary", { name: "test-runs" });
    assert.equal(await panel.getByLabel(seconds).inputValue(), "77");
    await panel.getByLabel("Cache responses").uncheck();
    const said = (await panel.locator("footer").innerText()).replaceAll(/\s+/g, " ");
    assert.match(said, /Cache responses yes → ?becomes no/);
    await panel.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The key was saved.").waitFor();
    assert.deepEqual(await cached(), [null, undefined]);
    const { body } = await managed(gateway, { call: `GET /keys/${hashKey(text)}` });
    const { cache_enabled, cache_ttl_seconds } = Object(body.data);
    assert.deepEqual([cache_enabled, cache_ttl_seconds], [false, 77]);
  },
);

/** Tests the figures of the overview. */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { asList, asObject } from "../support/event_stream.ts";
import type { Gateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";

const DAY_MS = 86_400_000;
const request = { model: "mock/model", input: "Hi" };

consoleStory(
  { name: "an empty gateway shows the way to the first request, and then what it cost", session: "manager" },
  async ({ page, gateway, open }) => {
    await open();
    await page.getByText("The gateway runs. Nothing has been asked yet.").waitFor();
    for (const client of ["Codex", "Claude Code", "Cursor", "Cline", "OpenCode", "OpenAI", "curl"]) {
      await page.getByRole("button", { name: client, exact: true }).click();
      assert(
        await page.locator("pre").first().innerText().then((text) => text.includes(gateway.url)),
        client,
      );
    }
    const response = await ask(gateway, request);
    await response.body?.cancel();
    await page.getByRole("heading", { name: "Over every limit" }).waitFor();
    await page.getByText("1 receipt").waitFor();
    await page.getByRole("img", { name: /^Spend by model, last 24 h, \$0\.0[1-9]/ }).waitFor();
  },
);

consoleStory(
  { name: "what needs attention comes first, with the act that ends it", session: "manager" },
  async ({ page, gateway, open }) => {
    const { key, record } = await createKey(gateway, { name: "eval-nightly", limit: 50 });
    for (let at = 0; at < 3; at++) {
      const response = await ask({ url: gateway.url, apiKey: key }, request);
      await response.text();
    }
    await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { limit: 0.01 } });
    await open();
    const notices = page.getByRole("region", { name: "Needs attention" });
    await notices.getByText("eval-nightly").waitFor();
    await notices.getByRole("link", { name: "Raise the limit" }).click();
    await page.getByRole("heading", { name: "eval-nightly" }).waitFor();
  },
);

consoleStory(
  { name: "a key that refuses everything is named, however many others have spent more", session: "manager" },
  async ({ page, gateway, open }) => {
    await (await ask(gateway, request)).text();
    for (let at = 0; at < 6; at++) await createKey(gateway, { name: `closed ${at}`, limit: 0 });
    await createKey(gateway, {
      name: "soon over",
      expires_at: new Date(Date.now() + 2 * DAY_MS).toISOString(),
    });
    await managed(gateway, {
      call: "PUT /workspaces/default/budgets/daily",
      body: { limit_usd: 0.000_001 },
    });
    await open();
    const notices = page.getByRole("region", { name: "Needs attention" });
    await notices.getByText(/^The daily budget of Default has reached its limit/).waitFor();
    await notices.getByText(/^1 more key has reached its limit\.$/).waitFor();
    await notices.getByText(/^soon over expires in 1 d/).waitFor();
    await notices.getByRole("link", { name: "Raise the budget" }).click();
    await page.getByRole("heading", { name: "Default", level: 2 }).waitFor();
  },
);

consoleStory(
  { name: "credits are shown while they are a limit", session: "manager" },
  async ({ page, gateway, open }) => {
    await (await ask(gateway, request)).text();
    await managed(gateway, { call: "POST /credits", body: { amount_usd: 25, reason: "First" } });
    await open();
    await page.getByRole("heading", { name: "Credits left" }).waitFor();
    await page.getByText("of $25.00, for all keys").waitFor();
    await managed(gateway, { call: "DELETE /credits" });
    await page.reload();
    await page.getByRole("heading", { name: "Over every limit" }).waitFor();
    await page.getByRole("heading", { name: "Spend", exact: true }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Credits left" }).count(), 0);
  },
);

consoleStory(
  { name: "period, dimension and form stand in the address; the period goes along", session: "manager" },
  async ({ page, gateway, open }) => {
    const response = await ask(gateway, request);
    await response.body?.cancel();
    await open();
    await page.getByRole("button", { name: "7 d" }).click();
    await page.getByLabel("By", { exact: true }).selectOption("workspace");
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.getByRole("columnheader", { name: "Default" }).waitFor();
    const url = new URL(page.url());
    assert.deepEqual(Object.fromEntries(url.searchParams), { range: "7d", by: "workspace", show: "table" });
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    assert.match(page.url(), /\/console\/keys\?range=7d$/);
  },
);

consoleStory(
  { name: "a lost connection is said, tried again, and read again when it is back", session: "manager" },
  async ({ page, context, open, watch }) => {
    await open("/keys");
    await page.getByText(/^Keys 1 to /).waitFor();
    watch.expect(/ERR_INTERNET_DISCONNECTED/);
    await context.setOffline(true);
    await page.getByRole("searchbox", { name: "Search keys" }).fill("first");
    await page.getByText(/No connection to the gateway since/).waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText(/No connection to the gateway since/).waitFor({ state: "detached" });
    await page.getByText(/^Keys 1 to 1/).waitFor();
  },
);

consoleStory(
  { name: "legends have names of keys, also where more keys than that were used", session: "manager" },
  async ({ page, gateway, open }) => {
    for (const name of ["one", "two", "three", "four", "five", "six"]) {
      const { key } = await createKey(gateway, { name: `key ${name}` });
      await (await ask({ url: gateway.url, apiKey: key }, request)).text();
    }
    await open("?by=api_key_id&show=table");
    const table = page.getByRole("region", { name: "Spend, as a table" });
    await table.getByRole("columnheader").nth(6).waitFor();
    const heads = await table.getByRole("columnheader").allInnerTexts();
    assert.equal(heads.slice(1).every((head) => /^key (one|two|three|four|five|six)$/.test(head)), true);
    const times = await table.getByRole("row").locator("td:first-child").allInnerTexts();
    assert.match(times[0] ?? "", / UTC$/);
    const used = await table.getByRole("row").nth(1).innerText();
    assert.match(used, /\$0\.0/, "the running hour stands first");
  },
);

consoleStory(
  { name: "a series leaves the chart and comes back by its name beside it", session: "manager" },
  async ({ page, gateway, open }) => {
    await (await ask(gateway, request)).text();
    await open();
    const series = page.getByRole("list", { name: "Spend" }).getByRole("button", { name: /^model/ });
    await series.waitFor();
    const bars = page.getByRole("img", { name: /^Spend by model/ }).locator("path.f1");
    assert.deepEqual([await series.getAttribute("aria-pressed"), await bars.count()], ["true", 2]);
    await series.click();
    assert.deepEqual([await series.getAttribute("aria-pressed"), await bars.count()], ["false", 0]);
    await series.click();
    assert.equal(await bars.count(), 2);
  },
);

consoleStory(
  { name: "requests that a limit refused are told apart from those that were answered", session: "manager" },
  async ({ page, gateway, open }) => {
    const { key } = await createKey(gateway, { limit: 0 });
    for (const apiKey of [gateway.apiKey, key, key]) {
      await (await ask({ url: gateway.url, apiKey }, request)).text();
    }
    await open();
    await page.getByText("0 of 3 failed (0 %), 2 refused").waitFor();
    await page.getByRole("img", { name: /3, of which 0 failed and 2 were refused$/ }).waitFor();
  },
);

consoleStory(
  {
    name: "a key's own page counts and names the models that its guardrails leave",
    session: "key holder",
  },
  async ({ page, gateway, open }) => {
    const made = await managed(gateway, {
      call: "PATCH /guardrails/" + await defaultGuardrail(gateway),
      body: { allowed_models: ["mock/*"] },
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await open();
    await page.getByText("1 can be called").waitFor();
    await page.getByText('"model": "mock/model"').waitFor();
  },
);

/** The guardrail of the first workspace, which every key of it has. */
async function defaultGuardrail(gateway: Gateway): Promise<string> {
  const { body } = await managed(gateway, { call: "GET /guardrails" });
  const [first] = asList(body.data).map(asObject);
  return String(first?.id);
}
